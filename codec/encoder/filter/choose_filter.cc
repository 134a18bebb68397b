#include "codec/encoder/filter/choose_filter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/encoder/filter/correction_sums.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/encoder/filter/fit_corrections.h"
#include "codec/encoder/filter/fit_jpeg_lattice.h"
#include "codec/encoder/filter/fit_level_maps.h"
#include "codec/encoder/image_kind.h"
#include "codec/encoder/jpeg/jpeg_grid.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/filter_elements.h"
#include "codec/tile/tile_models.h"
#include "common/metrics.h"

namespace mmp {
namespace {

using Plane = std::vector<uint8_t>;
using Errors = std::vector<int64_t>;  // squared, by block

// Both networks are used in one tile, which takes a decoder longer, if that spares one of so many
// parts of the error.
constexpr int64_t kBothWorth = 256;

// Corrections are tried of the first network, too, where the second costs less by less than one of
// so many parts.
constexpr int64_t kNearlyAsGood = 16;

// The strength that was trained for about this lambda.
int StrengthFor(Lambda lambda) {
  int strength = 1;
  while (strength < kWienerStrengths &&
         kWienerLimits[strength - 1] * kWienerLimits[strength] < lambda.q8 >> 8)
    ++strength;
  return strength;
}

// The level whose noise is nearest: lambda is about 2^(level / 2) there.
int LevelFor(Lambda lambda) {
  constexpr int64_t kRootOf2Q16 = 92682;
  int level = 1;
  while (level < kNetworkLevels && int64_t{lambda.q8} * lambda.q8 > kRootOf2Q16 << level) ++level;
  return level;
}

// Tries a number in [1, most], and its neighbours as long as they are better than what was tried
// before.
template <typename Try>
void TryAround(int first, int most, const Try& is_better) {
  is_better(first);
  int number = first - 1;
  while (number >= 1 && is_better(number)) --number;
  if (number < first - 1) return;
  number = first + 1;
  while (number <= most && is_better(number)) ++number;
}

bool TriesNetworks(const CodecParameters& parameters, Lambda lambda) {
  return parameters.Uses(kFilterNetwork) && !lambda.lossless();
}

// Which networks the tile can be filtered by, and how many of them are tried. Where a picture was a
// JPEG file, the third one's positions do not lie across the edges of its blocks.
struct TriedNetworks {
  std::span<const NetworkKind> networks;
  size_t count;
  NetworkOrigin of_third = {};

  NetworkRun Run(size_t place, int level) const {
    const NetworkKind kind = networks[place];
    return {kind, level, OriginOf(kind, of_third)};
  }
};

// Where the blocks of JPEG are, if it was and a filter has use for it.
std::optional<JpegGrid> GridSoughtIn(const CodecParameters& parameters, const ImageView& image) {
  if (!HasNetworkPairs(parameters) && !parameters.Uses(kJpegLattice)) return {};
  return FindJpegGrid(image);
}

TriedNetworks NetworksTried(const CodecParameters& parameters, const ImageView& image,
                            const std::optional<JpegGrid>& jpeg) {
  const std::span<const NetworkKind> networks = NetworksOf(parameters);
  if (HasNetworkPairs(parameters) && jpeg)
    return {NetworksOf(parameters, NetworkPair::kThird), 2, {jpeg->row % 2, jpeg->column % 2}};
  return {networks, networks.size() > 1 && IsSoft(image) ? size_t{2} : size_t{1}};
}

class FilterChooser {
 public:
  FilterChooser(const TileState& tile, const ImageView& image, Lambda lambda,
                const StepWeights& weights, FilterEffort effort, NetworkBeside* network,
                TaskPool& pool, const GoesOn& goes_on)
      : tile_(tile),
        image_(image),
        lambda_(lambda),
        weights_(weights),
        effort_(effort),
        network_(network),
        pool_(pool),
        goes_on_(goes_on),
        jpeg_grid_(GridSoughtIn(tile.parameters, image)),
        tried_(NetworksTried(tile.parameters, image, jpeg_grid_)),
        unfiltered_(BlockErrors(tile.plane)) {
    Try({}, Sum(unfiltered_), best_);
  }

  // The Wiener filter by trained weights, then by corrected ones of the best strength.
  void TryWiener() {
    const WienerFilter filter(tile_.plane, tile_.width, tile_.height, pool_);
    Errors trained;  // with the best strength
    TryAround(StrengthFor(lambda_), kWienerStrengths, [&](int strength) {
      Errors errors = BlockErrors(filter.Filter(strength, {}, pool_));
      if (!TryBlocks({.wiener = {.strength = strength}}, {&unfiltered_, &errors}, best_))
        return false;
      trained = std::move(errors);
      return true;
    });
    if (best_.choice.wiener.strength > 0)
      TryCorrections(filter, tile_.plane, best_.choice, {&unfiltered_, &trained});
  }

  // The networks, then corrections of what they leave.
  void TryNetworks() {
    const int level = LevelFor(lambda_);
    Candidate best;
    Filtered first, second;
    TryLevels(level, [&](int tried) { return TryAlone(0, tried, first, best); });
    const Candidate by_first = best;
    if (tried_.count > 1) TrySecond(first, second, best);
    // A soft picture that was a JPEG file of little loss is soft above all.
    const bool was_jpeg = tried_.networks.back() == NetworkKind::kThirdDeep;
    if (was_jpeg && !HasSecond(best) && IsSoft(image_)) {
      tried_ = {NetworksOf(tile_.parameters), 2};
      TrySecond(first, second, best);
    }
    TryCorrected(best, {&tile_.plane, &first.plane, &second.plane});
    if (best.cost < by_first.cost && by_first.cost - best.cost < best.cost / kNearlyAsGood)
      TryCorrected(by_first, {&tile_.plane, &first.plane});
  }

  // Whether the best so far is one with the network.
  bool HasNetwork() const { return best_.choice.network.level > 0; }

  // With a JPEG file's lattice and maps of gray levels that suit the best.
  ChosenFilter Chosen() && {
    Plane filtered;
    if (wiener_) {  // the network, the slowest part of it, need not run again
      filtered = std::move(after_network_);
      wiener_->Apply(best_.choice.wiener, filtered, pool_);
    } else {
      filtered = tile_.plane;
      ApplyFilter(best_.choice, tile_.prediction, tile_.Size(), filtered, pool_, goes_on_);
    }
    if (!weights_.AreAlike())
      return {FilterSymbols(best_.choice, tile_.parameters), std::move(filtered)};
    FilterChoice choice = WithLattice(filtered);
    if (choice.jpeg_lattice.is_used) {
      Plane on_lattice = filtered;
      ApplyJpegLattice(choice.jpeg_lattice, tile_.tile_width, tile_.tile_height, tile_.width,
                       on_lattice, pool_);
      // What is pulled is rounded, and levels may have less to gain from maps.
      FilterChoice without = best_.choice;
      MapLevels(choice, on_lattice);
      MapLevels(without, filtered);
      if (Cost(choice, on_lattice) < Cost(without, filtered)) {
        filtered = std::move(on_lattice);
      } else {
        choice = std::move(without);
      }
    } else {
      MapLevels(choice, filtered);
    }
    return {FilterSymbols(choice, tile_.parameters), std::move(filtered)};
  }

 private:
  struct Candidate {
    FilterChoice choice = {};
    int64_t cost = std::numeric_limits<int64_t>::max();
  };
  // What a network makes of the tile.
  struct Filtered {
    int level = 0;
    Plane plane = {};
    Errors errors = {};
  };

  // The best, with the lattice that suits what it makes of the tile, if one does.
  FilterChoice WithLattice(const Plane& filtered) const {
    FilterChoice choice = best_.choice;
    if (tile_.parameters.Uses(kJpegLattice) && jpeg_grid_)
      choice.jpeg_lattice =
          FitJpegLattice(filtered.data(), tile_.width, image_, *jpeg_grid_, lambda_, pool_);
    return choice;
  }

  // Adds maps of gray levels, if they suit what the choice has made of the tile, and applies them.
  void MapLevels(FilterChoice& choice, Plane& filtered) const {
    if (!tile_.parameters.Uses(kLevelMaps)) return;
    choice.level_maps =
        FitLevelMaps(filtered, tile_.width, image_, lambda_, effort_.is_hurried, pool_);
    ApplyLevelMaps(choice.level_maps, tile_.width, tile_.height, filtered, pool_);
  }

  // Of a choice, and of what all of it makes of the tile.
  int64_t Cost(const FilterChoice& choice, const Plane& filtered) const {
    return Sum(BlockErrors(filtered)) + Price(lambda_, FilterRateQ12(choice, tile_.parameters));
  }

  // Whether a block has the second of the networks.
  static bool HasSecond(const Candidate& candidate) {
    return std::ranges::count(candidate.choice.network.blocks, 2) > 0;
  }

  static int64_t Sum(const Errors& errors) {
    int64_t sum = 0;
    for (const int64_t error : errors) sum += error;
    return sum;
  }

  Errors BlockErrors(const Plane& plane) const {
    const int columns = FilterBlocksAcross(tile_.width);
    Errors errors(FilterBlocks(tile_.width, tile_.height));
    const size_t stride = static_cast<size_t>(tile_.width);
    pool_.ForEach(static_cast<int>(errors.size()) / columns, [&](int row, int /*member*/) {
      for (int column = 0; column < columns; ++column) {
        const int x = column * kFilterBlockSize, y = row * kFilterBlockSize;
        const int width = std::min(kFilterBlockSize, image_.width - x);
        const int height = std::min(kFilterBlockSize, image_.height - y);
        if (width <= 0 || height <= 0) continue;  // all beyond the image's edge
        errors[static_cast<size_t>(row) * columns + column] =
            static_cast<int64_t>(weights_.SumSquaredError(
                image_.Crop(x, y, width, height), {&plane[y * stride + x], width, height, stride}));
      }
    });
    return errors;
  }

  // What a network makes of the tile.
  Filtered FilterBy(NetworkRun run) const {
    Filtered filtered = {.level = run.level};
    if (network_ != nullptr) filtered.plane = network_->Take(run);
    if (filtered.plane.empty()) {
      filtered.plane = tile_.plane;  // for what the network does not see
      const std::vector<uint8_t> all(unfiltered_.size(), 1);
      NetworkFilter(StandardNetwork(run.kind), run.level, run.origin)
          .Apply(tile_.Predicted(), all, filtered.plane.data(), pool_, goes_on_);
    }
    filtered.errors = BlockErrors(filtered.plane);
    return filtered;
  }

  // Levels around the first; in a hurry that alone.
  template <typename Try>
  void TryLevels(int first, const Try& is_better) const {
    if (effort_.is_hurried) {
      is_better(first);
    } else {
      TryAround(first, kNetworkLevels, is_better);
    }
  }

  // Whether a level of the network at this place among those of the tile, alone, is better than
  // `best`; if so, `kept` becomes what the network makes.
  bool TryAlone(size_t place, int level, Filtered& kept, Candidate& best) const {
    Filtered filtered = FilterBy(tried_.Run(place, level));
    std::vector<const Errors*> errors(place + 2);
    errors.front() = &unfiltered_;
    errors.back() = &filtered.errors;
    if (!TryNetworkBlocks(level, errors, best)) return false;
    kept = std::move(filtered);
    return true;
  }

  // The other network of the pair in place of the first and beside it. `second` is of the level of
  // `best`, if that has it.
  void TrySecond(const Filtered& first, Filtered& second, Candidate& best) const {
    Candidate alone, both;
    TryAlone(1, first.level, second, alone);
    TryNetworkBlocks(first.level, {&unfiltered_, &first.errors, &second.errors}, both);
    Filtered best_alone;  // of another level
    if (alone.cost < best.cost)
      TryLevels(first.level, [&](int level) {
        return level == first.level || TryAlone(1, level, best_alone, alone);
      });
    const int64_t least = std::min(best.cost, alone.cost);
    if (both.cost < least - least / kBothWorth) {
      best = std::move(both);
    } else if (alone.cost < best.cost) {
      best = std::move(alone);
      if (!best_alone.plane.empty()) second = std::move(best_alone);
    }
  }

  // A choice of networks, then corrections of what they leave. Planes by the numbers of blocks.
  void TryCorrected(Candidate networks, const std::vector<const Plane*>& planes) {
    const int64_t before = best_.cost;
    if (networks.cost < before) best_ = networks;
    const std::vector<uint8_t>& blocks = networks.choice.network.blocks;
    if (std::ranges::all_of(blocks, [](uint8_t block) { return block == 0; })) return;
    Plane filtered = Joined(blocks, planes);
    WienerFilter filter(filtered, tile_.width, tile_.height, pool_);
    const Errors errors = BlockErrors(filtered);
    networks.choice.wiener = {.strength = StrengthFor(lambda_),
                              .blocks = std::vector(blocks.size(), WienerBlock::kCorrected),
                              .base = WienerBase::kZeros};
    TryCorrections(filter, filtered, networks.choice, {&errors, nullptr});
    if (best_.cost == before) return;
    after_network_ = std::move(filtered);
    wiener_ = std::move(filter);
  }

  // Each block from the plane of its number, which has that block.
  Plane Joined(const std::vector<uint8_t>& blocks, const std::vector<const Plane*>& planes) const {
    Plane joined(tile_.plane.size());
    for (size_t block = 0; block < blocks.size(); ++block)
      CopyFilterBlock(static_cast<int>(block), tile_.width, tile_.height,
                      planes[blocks[block]]->data(), joined.data());
    return joined;
  }

  // Corrections of the strength, for the blocks that the choice filters; `before` are the errors of
  // `plane`, which the filter is made of, and of the plane that trained weights make of it.
  void TryCorrections(const WienerFilter& filter, const Plane& plane, FilterChoice choice,
                      std::vector<const Errors*> before) {
    if (!tile_.parameters.Uses(kWiener) || !tile_.parameters.Uses(kCorrections)) return;
    WienerChoice& wiener = choice.wiener;
    wiener.corrections = FitCorrections(
        SumCorrections(filter, wiener, image_, plane.data(), tile_.width, effort_.sampling, pool_),
        wiener.strength, lambda_, wiener.base, pool_);
    if (wiener.corrections.sets.empty()) return;
    const Errors corrected =
        BlockErrors(filter.Filter(wiener.strength, wiener.corrections, pool_, wiener.base));
    before.push_back(&corrected);
    TryBlocks(std::move(choice), before, best_);
  }

  // The symbol of least cost for each block, coded as `element` where these are allowed, and the
  // sum of the errors; errors by symbol, null if it is not to be chosen.
  std::pair<std::vector<uint8_t>, int64_t> ChooseBlocks(
      FilterElement element, uint32_t allowed, const std::vector<const Errors*>& errors) const {
    SymbolModel<kMostFilterSymbols> model = FilterModels().of[element];
    const int symbols = static_cast<int>(errors.size());
    std::vector<uint8_t> chosen;
    int64_t sum = 0;
    for (size_t block = 0; block < unfiltered_.size(); ++block) {
      auto price = [&](int symbol) {
        return (*errors[symbol])[block] + Price(lambda_, model.RateQ12(symbol, allowed));
      };
      int best = 0;
      for (int symbol = 1; symbol < symbols; ++symbol)
        if (errors[symbol] != nullptr && price(symbol) < price(best)) best = symbol;
      model.Update(best);
      sum += (*errors[best])[block];
      chosen.push_back(static_cast<uint8_t>(best));
    }
    return {std::move(chosen), sum};
  }

  // The next three make `best` the choice if that is better, and say whether it is.
  bool Try(FilterChoice choice, int64_t error, Candidate& best) const {
    const int64_t cost = error + Price(lambda_, FilterRateQ12(choice, tile_.parameters));
    if (cost >= best.cost) return false;
    best = {std::move(choice), cost};
    return true;
  }

  // With the best blocks of the Wiener filter, given the errors of each WienerBlock.
  bool TryBlocks(FilterChoice choice, const std::vector<const Errors*>& errors,
                 Candidate& best) const {
    uint32_t allowed = 0;
    for (size_t kind = 0; kind < errors.size(); ++kind)
      if (errors[kind] != nullptr) allowed |= 1u << kind;
    const auto [chosen, error] = ChooseBlocks(kFilterBlock, allowed, errors);
    choice.wiener.blocks.clear();
    for (const uint8_t block : chosen)
      choice.wiener.blocks.push_back(static_cast<WienerBlock>(block));
    return Try(std::move(choice), error, best);
  }

  // With the best blocks of the networks, whose errors may be null, behind those of none.
  bool TryNetworkBlocks(int level, const std::vector<const Errors*>& errors,
                        Candidate& best) const {
    const FilterElement element = BlockElementOf(tried_.networks);
    auto [chosen, error] = ChooseBlocks(element, AllFilterSymbols(element), errors);
    return Try({.network = {tried_.networks, level, std::move(chosen), tried_.of_third},
                .wiener = {.base = WienerBase::kZeros}},
               error, best);
  }

  const TileState& tile_;
  const ImageView& image_;
  const Lambda lambda_;
  const StepWeights& weights_;
  const FilterEffort effort_;
  NetworkBeside* const network_;  // may be null
  TaskPool& pool_;
  const GoesOn& goes_on_;
  const std::optional<JpegGrid> jpeg_grid_;
  TriedNetworks tried_;  // if networks are
  const Errors unfiltered_;
  Candidate best_;
  // If the network is chosen:
  Plane after_network_;
  std::optional<WienerFilter> wiener_;  // for that
};

}  // namespace

std::vector<NetworkRun> NetworkRunsTried(const CodecParameters& parameters, const ImageView& image,
                                         Lambda lambda, bool is_hurried) {
  if (!TriesNetworks(parameters, lambda)) return {};
  const TriedNetworks tried = NetworksTried(parameters, image, GridSoughtIn(parameters, image));
  const int level = LevelFor(lambda);
  std::vector<NetworkRun> runs = {tried.Run(0, level)};
  if (!is_hurried && level > 1) runs.push_back(tried.Run(0, level - 1));
  if (!is_hurried && level < kNetworkLevels) runs.push_back(tried.Run(0, level + 1));
  if (tried.count > 1) runs.push_back(tried.Run(1, level));
  if (!is_hurried && level > 2) runs.push_back(tried.Run(0, level - 2));
  return runs;
}

ChosenFilter ChooseFilter(const TileState& tile, const ImageView& image, Lambda lambda,
                          const StepWeights& weights, FilterEffort effort, NetworkBeside* network,
                          TaskPool& pool, const GoesOn& goes_on) {
  if (!tile.parameters.HasFilter()) return {};
  FilterChooser chooser(tile, image, lambda, weights, effort, network, pool, goes_on);
  const bool has_network = TriesNetworks(tile.parameters, lambda);
  if (effort.is_hurried && has_network) chooser.TryNetworks();
  // What a network filters the trained weights seldom do better.
  if (tile.parameters.Uses(kWiener) && !(effort.is_hurried && chooser.HasNetwork()))
    chooser.TryWiener();
  if (!effort.is_hurried && has_network) chooser.TryNetworks();
  return std::move(chooser).Chosen();
}

}  // namespace mmp
