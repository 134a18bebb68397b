#include "tests/support/reference_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "codec/intra/predict.h"
#include "codec/intra/predictors.h"
#include "codec/rdo/satd.h"
#include "codec/tile/front_coder.h"
#include "codec/tile/learnt_later.h"
#include "tests/support/indices.h"

namespace mmp {

namespace {

int32_t SquaredError(std::span<const int16_t> a, std::span<const int16_t> b) {
  int32_t error = 0;
  for (size_t k = 0; k < a.size(); ++k) error += (a[k] - b[k]) * (a[k] - b[k]);
  return error;
}

}  // namespace

ReferenceCosts::ReferenceCosts(const SymbolCosts& symbol_costs) : symbol_costs_(symbol_costs) {
  cost_bounds_.Update(symbol_costs);
  const Dictionary& dictionary = symbol_costs.tile().dictionary;
  for (int level = 0; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    patterns_[level].resize(static_cast<size_t>(dictionary.size(level)) * pixels);
    for (int index = 0; index < dictionary.size(level); ++index)
      dictionary.Copy(level, index, &patterns_[level][static_cast<size_t>(index) * pixels]);
  }
}

ReferenceResidual::ReferenceResidual(const ReferenceCosts& reference_costs, int level,
                                     const std::vector<int16_t>& values, int slack_q4)
    : reference_costs_(reference_costs), level_(level), values_(values), slack_q4_(slack_q4) {
  const LevelShape whole = kLevelShapes[level];
  // Smaller blocks come first: their levels are lower.
  for (int part = 0; part <= level; ++part) {
    const LevelShape shape = kLevelShapes[part];
    if (shape.height() > whole.height() || shape.width() > whole.width()) continue;
    nodes_[part].resize(whole.pixels() / shape.pixels());
    for (int y = 0; y < whole.height(); y += shape.height())
      for (int x = 0; x < whole.width(); x += shape.width())
        Solve({static_cast<uint8_t>(y), static_cast<uint8_t>(x), static_cast<uint8_t>(part)});
  }
}

size_t ReferenceResidual::Place(BlockRect rect) const {
  const int columns = kLevelShapes[level_].width() / rect.width();
  return static_cast<size_t>(rect.y / rect.height() * columns + rect.x / rect.width());
}

std::vector<int16_t> ReferenceResidual::Part(BlockRect rect) const {
  const int stride = kLevelShapes[level_].width();
  std::vector<int16_t> part;
  for (int i = 0; i < rect.height(); ++i) {
    const auto row = values_.begin() + (rect.y + i) * stride + rect.x;
    part.insert(part.end(), row, row + rect.width());
  }
  return part;
}

void ReferenceResidual::Solve(BlockRect rect) {
  const SymbolCosts& symbol_costs = reference_costs_.symbol_costs();
  const std::vector<int16_t> part = Part(rect);
  Node& node = nodes_[rect.level][Place(rect)];
  int64_t least = INT64_MAX;
  const int patterns = symbol_costs.tile().dictionary.size(rect.level);
  for (int p = 0; p < patterns; ++p) {
    const int64_t error = SquaredError(part, reference_costs_.Pattern(rect.level, p));
    const int64_t rate = symbol_costs.Index(rect.level)[p];
    const int64_t cost = !symbol_costs.lambda().lossless() ? kDistortionScale * error + rate
                         : error == 0                      ? rate
                                                           : kImpossible;
    if (cost >= least) continue;
    least = cost;
    node.index = p;
  }
  const auto& flags = symbol_costs.ResidualFlagCosts(rect.level);
  node.costs = {static_cast<int32_t>(least), kImpossible, kImpossible};
  for (const Split split : {Split::kVertical, Split::kHorizontal}) {
    if (HalfLevel(rect.level, split) < 0) continue;
    if (slack_q4_ > 0 && IsGoodEnough(rect, split, node.costs.pattern)) continue;
    (split == Split::kVertical ? node.costs.vertical : node.costs.horizontal) =
        At(rect.Half(split, 0)).best + At(rect.Half(split, 1)).best;
  }
  node.best = node.costs.pattern + flags[kPattern];
  node.flag = kPattern;
  auto consider = [&](ResidualFlag flag, int32_t cost) {
    if (flags[flag] >= kImpossible || cost + flags[flag] >= node.best) return;
    node.best = cost + flags[flag];
    node.flag = flag;
  };
  consider(kSplitVertical, node.costs.vertical);
  consider(kSplitHorizontal, node.costs.horizontal);
}

// The rule of SpeedFeatures::residual_slack_q4; blocks of two pixels are always split.
bool ReferenceResidual::IsGoodEnough(BlockRect rect, Split split, int32_t pattern_cost) const {
  if (rect.pixels() <= 2) return false;
  int64_t least = reference_costs_.cost_bounds().SplitMargin(rect.level, split);
  for (int half = 0; half < 2; ++half) {
    const BlockRect part = rect.Half(split, half);
    int32_t norm = 0;
    for (const int16_t v : Part(part)) norm += v * v;
    least += reference_costs_.cost_bounds().Residual(part.level, kDistortionScale * norm);
  }
  return pattern_cost <= least + (least * slack_q4_ >> 4);
}

// visitor(rect, flag, index) at every node but the root's flag, in coding order; index is -1 where
// the node is split.
template <typename Visitor>
void ReferenceResidual::Visit(BlockRect rect, ResidualFlag flag, const Visitor& visitor) const {
  if (flag == kPattern) return visitor(rect, flag, At(rect).index);
  visitor(rect, flag, -1);
  const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
  for (int half = 0; half < 2; ++half)
    Visit(rect.Half(split, half), At(rect.Half(split, half)).flag, visitor);
}

MacroblockSymbols ReferenceResidual::Symbols(ResidualFlag root) const {
  MacroblockSymbols symbols;
  bool is_root = true;
  Visit({0, 0, static_cast<uint8_t>(level_)}, root,
        [&](BlockRect rect, ResidualFlag flag, int index) {
          if (!is_root && !std::has_single_bit(AllowedResidualFlags(rect.level)))
            symbols.push_back(flag);
          if (index >= 0) symbols.push_back(static_cast<uint32_t>(index));
          is_root = false;
        });
  return symbols;
}

std::vector<int16_t> ReferenceResidual::Values(ResidualFlag root) const {
  const int width = kLevelShapes[level_].width();
  std::vector<int16_t> values(kLevelShapes[level_].pixels());
  Visit({0, 0, static_cast<uint8_t>(level_)}, root, [&](BlockRect rect, ResidualFlag, int index) {
    if (index < 0) return;
    const int16_t* pattern = reference_costs_.Pattern(rect.level, index).data();
    for (int i = 0; i < rect.height(); ++i)
      for (int j = 0; j < rect.width(); ++j) values[(rect.y + i) * width + rect.x + j] = *pattern++;
  });
  return values;
}

namespace {

BlockCopies CopiesFor(const TileState& tile, MacroblockPlace place) {
  BlockCopies copies;
  LoadBlockCopies(tile.block_vectors, tile.parameters.order, tile.plane.data(), tile.width, place,
                  copies);
  return copies;
}

class ReferenceSearch {
 public:
  ReferenceSearch(const SymbolCosts& symbol_costs, const MacroblockSamples& original,
                  MacroblockPlace place, const SpeedFeatures& speed_features)
      : symbol_costs_(symbol_costs),
        reference_costs_(symbol_costs),
        copies_(CopiesFor(symbol_costs.tile(), place)),
        original_(original),
        speed_features_(speed_features) {}

  ReferenceChoice SearchNode(const Canvas& canvas, BlockRect rect) const {
    const std::vector<Mode> modes = Modes(canvas, rect);
    ReferenceChoice best = SearchLeaf(rect, modes);
    const int64_t least_other = reference_costs_.cost_bounds().OtherPredictionLeaf(rect.level);
    const int64_t good_enough = least_other * speed_features_.prediction_slack_q4 >> 4;
    if (best.flag == kLeaf && best.cost < good_enough) return best;
    if (best.cost < least_other * speed_features_.tree_slack_q4 >> 4) return best;
    const ReferenceChoice leaf = best;
    for (const Split split : {Split::kVertical, Split::kHorizontal}) {
      if (!CanSplit(rect, split)) continue;
      if (!MayBeWhole(rect, modes) && !IsBetterBySatd(rect, modes, split)) continue;
      // The rule of SpeedFeatures::guided_slack_q6 and guided_small_slack_q6.
      const int way = static_cast<int>(split);
      const int64_t other = leaf.residual_split[1 - way];
      const int slack_q6 = rect.pixels() > 64 ? speed_features_.guided_slack_q6
                                              : speed_features_.guided_small_slack_q6;
      if (slack_q6 >= 0 && leaf.residual_split[way] > other + (other * slack_q6 >> 6)) continue;
      ReferenceChoice choice = SearchSplit(canvas, rect, split);
      if (choice.cost < best.cost) best = std::move(choice);
    }
    return best;
  }

 private:
  // A mode that can be used, what it predicts, and what is left.
  struct Mode {
    int mode;
    uint32_t usable;  // all that the node can be predicted by, as a bit mask
    std::array<uint8_t, kMacroblockPixels> prediction;
    std::vector<int16_t> residual;
    int64_t satd;
    int64_t estimate;  // of its cost
    int sign;
  };

  bool CanSplit(BlockRect rect, Split split) const {
    if (!PredictionMaySplit(rect.level, split, symbol_costs_.tile().parameters.prediction_level))
      return false;
    const LevelShape half = kLevelShapes[HalfLevel(rect.level, split)];
    return std::min(half.height(), half.width()) >= speed_features_.thinnest_prediction;
  }

  // The rule of SpeedFeatures::whole_satd_q4.
  bool MayBeWhole(BlockRect rect, const std::vector<Mode>& modes) const {
    if (speed_features_.whole_satd_q4 == 0 || rect.level != kMacroblockLevel) return true;
    if (!CanSplit(rect, Split::kVertical) && !CanSplit(rect, Split::kHorizontal)) return true;
    const double root_lambda = static_cast<int>(std::sqrt(symbol_costs_.lambda().q8)) / 16.0;
    const double most = speed_features_.whole_satd_q4 / 16.0 * root_lambda * rect.pixels();
    return std::ranges::any_of(modes, [&](const Mode& mode) {
      return Satd(mode.residual.data(), kLevelShapes[rect.level]) <= most;
    });
  }

  // The rule of SpeedFeatures::halves_slack_q6.
  bool IsBetterBySatd(BlockRect rect, const std::vector<Mode>& modes, Split split) const {
    const Split other = split == Split::kVertical ? Split::kHorizontal : Split::kVertical;
    const int slack_q6 = speed_features_.halves_slack_q6;
    if (slack_q6 < 0 || !CanSplit(rect, other)) return true;
    const int64_t of_other = SatdOfHalves(modes, other);
    return SatdOfHalves(modes, split) <= of_other + (of_other * slack_q6 >> 6);
  }

  // Of a macroblock's halves, each by the mode that leaves least there.
  static int64_t SatdOfHalves(const std::vector<Mode>& modes, Split split) {
    int64_t sum = 0;
    for (int half = 0; half < 2; ++half) {
      const BlockRect part = BlockRect{0, 0, kMacroblockLevel}.Half(split, half);
      int64_t least = INT64_MAX;
      for (const Mode& mode : modes) {
        std::vector<int16_t> residual;
        for (int i = 0; i < part.height(); ++i)
          for (int j = 0; j < part.width(); ++j)
            residual.push_back(mode.residual[(part.y + i) * kMacroblockSize + part.x + j]);
        least = std::min<int64_t>(least, Satd(residual.data(), kLevelShapes[part.level]));
      }
      sum += least;
    }
    return sum;
  }

  // Those that the node can be predicted by, as a bit mask.
  uint32_t UsableModes(const BlockBorder& border, BlockRect rect) const {
    return AvailableModes(border, copies_, rect) & symbol_costs_.tile().parameters.modes;
  }

  ReferenceChoice SearchLeaf(BlockRect rect, const std::vector<Mode>& modes) const {
    ReferenceChoice best;
    best.cost = INT64_MAX;
    if (!MayBeWhole(rect, modes)) return best;
    uint32_t usable = 0;
    for (const Mode& mode : modes) usable = mode.usable;
    for (const Mode& mode : Promising(modes)) TryMode(rect, usable, mode, best);
    return best;
  }

  // The modes that are tried.
  std::vector<Mode> Modes(const Canvas& canvas, BlockRect rect) const {
    BlockBorder border;
    LoadBorder(canvas, rect, border);
    const uint32_t modes = UsableModes(border, rect);
    const auto rates_q12 = symbol_costs_.ModeRatesQ12(rect.level, modes);
    const int64_t root_lambda_q4 = static_cast<int64_t>(std::sqrt(symbol_costs_.lambda().q8));
    std::vector<Mode> list;
    for (int m = 0; m < kPredictionModes; ++m) {
      if ((modes >> m & 1) == 0) continue;
      Mode& mode = list.emplace_back();
      mode.mode = m;
      mode.usable = modes;
      Predict(canvas, border, copies_, rect, m, mode.prediction.data());
      for (int i = 0; i < rect.height(); ++i)
        for (int j = 0; j < rect.width(); ++j)
          mode.residual.push_back(
              static_cast<int16_t>(original_.samples[(rect.y + i) * kMacroblockSize + rect.x + j] -
                                   mode.prediction[i * rect.width() + j]));
      mode.satd = Satd(mode.residual.data(), kLevelShapes[rect.level]);
      mode.sign = SignOf(mode.prediction, rect);
      for (int16_t& value : mode.residual) value = static_cast<int16_t>(mode.sign * value);
      mode.estimate = 16 * mode.satd + (root_lambda_q4 * rates_q12[m] >> kRateShift);
    }
    if (speed_features_.spares_dear_modes) DropDearModes(rect.pixels(), list);
    if (speed_features_.halves_angles) DropAngles(list);
    return list;
  }

  // The rule of SpeedFeatures::spares_dear_modes.
  static void DropDearModes(int pixels, std::vector<Mode>& modes) {
    std::erase_if(modes, [&](const Mode& mode) {
      return (mode.mode == 26 && pixels != 32 && pixels != 64) || (mode.mode == 25 && pixels < 32);
    });
  }

  // The rule of SpeedFeatures::halves_angles.
  static void DropAngles(std::vector<Mode>& modes) {
    constexpr int kInOrder[] = {11, 12, 13, 14, 0, 15, 16, 17, 18, 19, 20, 21, 1, 22, 23, 24};
    const auto place = [&](int mode) {
      const auto at = std::ranges::find(kInOrder, mode);
      return at == std::end(kInOrder) ? -1 : static_cast<int>(at - std::begin(kInOrder));
    };
    std::pair<int64_t, int> best(INT64_MAX, -2);
    for (const Mode& mode : modes)
      if (place(mode.mode) >= 0 && place(mode.mode) % 2 == 0)
        best = std::min(best, {mode.satd, place(mode.mode)});
    std::erase_if(modes, [&](const Mode& mode) {
      const int at = place(mode.mode);
      return at >= 0 && at % 2 == 1 && std::abs(at - best.second) != 1;
    });
  }

  // By which the residual of a leaf that is predicted so is multiplied to be coded.
  int SignOf(const std::array<uint8_t, kMacroblockPixels>& prediction, BlockRect rect) const {
    if (!symbol_costs_.tile().parameters.Uses(kReversedResiduals)) return 1;
    int above = 0;
    for (int k = 0; k < rect.pixels(); ++k) above += prediction[k] - 128;
    return above >= 0 ? -1 : 1;
  }

  // Those whose residual trees are searched.
  std::vector<Mode> Promising(std::vector<Mode> list) const {
    const size_t count = static_cast<size_t>(speed_features_.modes_searched);
    if (count > 0 && list.size() > count) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Mode& a, const Mode& b) { return a.estimate < b.estimate; });
      list.resize(count);
      std::sort(list.begin(), list.end(),
                [](const Mode& a, const Mode& b) { return a.mode < b.mode; });
    }
    return list;
  }

  void TryMode(BlockRect rect, uint32_t modes, const Mode& mode, ReferenceChoice& best) const {
    const ReferenceResidual residual(reference_costs_, rect.level, mode.residual,
                                     speed_features_.residual_slack_q4);
    const auto& flags = symbol_costs_.PartitionCosts(rect.level);
    const int64_t mode_cost =
        symbol_costs_.lambda().Cost(symbol_costs_.ModeRatesQ12(rect.level, modes)[mode.mode]);
    auto consider = [&](Partition flag, ResidualFlag root, int64_t tree_cost) {
      if (flag != kLeaf && tree_cost < kImpossible) {
        int64_t& split = best.residual_split[flag == kSplitResidualVertical ? 0 : 1];
        split = std::min(split, mode_cost + flags[flag] + tree_cost);
      }
      if (tree_cost >= kImpossible || mode_cost + flags[flag] + tree_cost >= best.cost) return;
      best.cost = mode_cost + flags[flag] + tree_cost;
      best.flag = flag;
      best.symbols = FlagSymbol(rect.level, flag);
      if (!std::has_single_bit(modes)) best.symbols.push_back(mode.mode);
      const MacroblockSymbols tree = residual.Symbols(root);
      best.symbols.insert(best.symbols.end(), tree.begin(), tree.end());
      const std::vector<int16_t> coded = residual.Values(root);
      best.reconstruction.resize(coded.size());
      for (size_t k = 0; k < coded.size(); ++k)
        best.reconstruction[k] =
            static_cast<uint8_t>(std::clamp(mode.prediction[k] + mode.sign * coded[k], 0, 255));
    };
    consider(kLeaf, kPattern, residual.costs().pattern);
    consider(kSplitResidualVertical, kSplitVertical, residual.costs().vertical);
    consider(kSplitResidualHorizontal, kSplitHorizontal, residual.costs().horizontal);
  }

  ReferenceChoice SearchSplit(const Canvas& canvas, BlockRect rect, Split split) const {
    const Partition flag = split == Split::kVertical ? kSplitBothVertical : kSplitBothHorizontal;
    ReferenceChoice choice;
    choice.flag = flag;
    choice.cost = symbol_costs_.PartitionCosts(rect.level)[flag];
    choice.symbols = FlagSymbol(rect.level, flag);
    choice.reconstruction.resize(rect.pixels());
    Canvas with_half = canvas;
    for (int half = 0; half < 2; ++half) {
      const BlockRect part = rect.Half(split, half);
      const ReferenceChoice part_choice = SearchNode(with_half, part);
      choice.cost += part_choice.cost;
      choice.symbols.insert(choice.symbols.end(), part_choice.symbols.begin(),
                            part_choice.symbols.end());
      for (int i = 0; i < part.height(); ++i)
        for (int j = 0; j < part.width(); ++j) {
          const uint8_t pixel = part_choice.reconstruction[i * part.width() + j];
          const int y = part.y + i, x = part.x + j;
          choice.reconstruction[(y - rect.y) * rect.width() + x - rect.x] = pixel;
          with_half.pixels[Canvas::Index(y, x)] = pixel;
        }
      MarkAvailable(with_half, part);
    }
    return choice;
  }

  MacroblockSymbols FlagSymbol(int level, Partition flag) const {
    const uint32_t allowed =
        AllowedPartitions(level, symbol_costs_.tile().parameters.prediction_level);
    if (std::has_single_bit(allowed)) return {};
    return {flag};
  }

  const SymbolCosts& symbol_costs_;
  const ReferenceCosts reference_costs_;
  const BlockCopies copies_;
  const MacroblockSamples& original_;
  const SpeedFeatures speed_features_;
};

// Takes symbols one by one and updates their models.
class SymbolPort {
 public:
  SymbolPort(TileState& tile, const MacroblockSymbols& symbols)
      : tile_(tile),
        models_(tile.models),
        flags_(tile.substreams.front().flags),
        symbols_(symbols) {}

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    const int flag = Allowed(allowed);
    coder_.Encode(models_.partition[rect.level].Encode(flag, context, allowed));
    return flag;
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Code(models_.residual_flag[rect.level], allowed);
  }
  NetworkFlags& flags() { return flags_; }
  int PartitionByNetwork(BlockRect rect, uint32_t allowed) {
    if (std::has_single_bit(allowed)) return flags_.CodePartition(rect, allowed, Decisions{0});
    const int flag = Allowed(allowed);
    models_.partition[rect.level].CountWithoutContext(flag);
    return flags_.CodePartition(rect, allowed, Decisions{flag});
  }
  int ResidualByNetwork(BlockRect rect, uint32_t allowed) {
    if (std::has_single_bit(allowed)) return flags_.CodeResidualFlag(rect, allowed, Decisions{0});
    const int flag = Allowed(allowed);
    models_.residual_flag[rect.level].Update(flag);
    return flags_.CodeResidualFlag(rect, allowed, Decisions{flag});
  }
  int Mode(BlockRect rect, ModeNeighbours neighbours, uint32_t allowed) {
    const int mode = Allowed(allowed);
    coder_.Encode(EncodeMode(tile_, rect.level, neighbours, allowed, mode));
    Learn({CodedElement::kMode, rect.level, static_cast<uint16_t>(mode)}, tile_);
    return mode;
  }
  int Index(BlockRect rect, const IndexContext* context) {
    const int index = Next(models_.index[rect.level].size());
    for (const SymbolInterval interval : EncodeIndex(tile_, rect.level, context, index))
      coder_.Encode(interval);
    Learn({CodedElement::kIndex, rect.level, static_cast<uint16_t>(index)}, tile_);
    return index;
  }
  // The vectors are the tile's already.
  int BlockVectorCount() { return 0; }
  int BlockVectorClass(int /*axis*/) { return 0; }
  int BlockVectorBits(int /*count*/) { return 0; }
  bool AllTaken() const { return position_ == symbols_.size() && !failed_; }

 private:
  struct Decisions {
    int flag;
    int operator()(FlagDecision decision, int /*probability*/) const {
      return FlagBit(decision, flag);
    }
  };

  int Next(int limit) {
    if (position_ < symbols_.size() && static_cast<int>(symbols_[position_]) < limit)
      return static_cast<int>(symbols_[position_++]);
    failed_ = true;
    return 0;
  }
  int Allowed(uint32_t allowed) {
    const int symbol = Next(std::bit_width(allowed));
    if ((allowed >> symbol & 1) != 0) return symbol;
    failed_ = true;
    return std::countr_zero(allowed);
  }
  template <typename Model>
  int Code(Model& model, uint32_t allowed) {
    const int symbol = Allowed(allowed);
    coder_.Encode(model.Encode(symbol, allowed));
    return symbol;
  }

  TileState& tile_;
  TileModels& models_;
  NetworkFlags& flags_;
  const MacroblockSymbols& symbols_;
  RangeEncoder coder_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace

ReferenceChoice SearchReference(const SymbolCosts& symbol_costs,
                                const SpeedFeatures& speed_features,
                                const MacroblockSamples& original, int y, int x) {
  const TileState& tile = symbol_costs.tile();
  Canvas canvas;
  LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, canvas);
  return ReferenceSearch(symbol_costs, original, {y, x}, speed_features)
      .SearchNode(canvas, {0, 0, kMacroblockLevel});
}

void CodeMacroblock(TileState& tile, const MacroblockSymbols& symbols, int y, int x) {
  const SearchedMacroblock macroblock = {{y, x}, {}, symbols};
  CodeFront(tile, {&macroblock, 1});
}

void CodeFront(TileState& tile, std::span<const SearchedMacroblock> macroblocks) {
  MacroblockSymbols symbols;
  std::vector<MacroblockPlace> places;
  for (const SearchedMacroblock& macroblock : macroblocks) {
    symbols.insert(symbols.end(), macroblock.symbols.begin(), macroblock.symbols.end());
    places.push_back(macroblock.place);
  }
  SymbolPort port(tile, symbols);
  NullObserver observer;
  FrontCoder<SymbolPort> coder(tile, port, observer);
  CodedFront front;
  auto coded = coder.Begin(places).Code(front, [](MacroblockPlace) { return true; });
  for (int i = 0; i < front.size(); ++i) Reconstruct(front, i, tile.Plane());
  std::move(*coded).Learn();
  EXPECT_TRUE(port.AllTaken()) << "the symbols are not those of the macroblocks";
}

Status SearchOne(MacroblockSearch& search, const TileState& tile, Lambda lambda,
                 const MacroblockSamples& original, int y, int x, MacroblockSymbols& symbols,
                 int threads) {
  TaskPool pool(threads);
  SearchedMacroblock macroblock = {{y, x}, original, symbols};
  Status status = search.Search(tile, lambda, {&macroblock, 1}, pool, {});
  if (status.ok()) status = search.Await(0).status();
  symbols = std::move(macroblock.symbols);
  return status;
}

void AddRandomBlockVectors(Random& random, TileState& tile) {
  for (int k = random.Below(kMostNewBlockVectors + 1); k > 0; --k)
    tile.block_vectors.Add({-random.Below(24), random.Between(-24, 24)});
}

TileState RandomTileState(Random& random, const CodecParameters& parameters, int width,
                          int height) {
  TileState tile(parameters, width, height);
  PatternList patterns;
  int16_t values[kMacroblockPixels];
  for (int i = 0; i < 40; ++i) {
    const int mean = random.Between(-30, 30), spread = random.Between(0, 60);
    for (int16_t& v : values) v = static_cast<int16_t>(mean + random.Between(-spread, spread));
    patterns.Add(random.Between(1, kMacroblockLevel), values);
  }
  tile.dictionary.Insert(patterns, parameters.redundancy_threshold);
  tile.AddSymbols(IndexModel::kNewCount, PatternOrigin::kGrown);
  for (int level = 0; level < kLevelCount; ++level) {
    IndexModel& index = tile.models.index[level];
    for (int k = random.Below(200); k > 0; --k)
      index.Count(random.Below(random.Between(1, index.size())));
    auto learn = [&](uint32_t allowed, auto encode) {
      for (int k = random.Below(60); k > 0; --k) {
        const int symbol = random.Below(std::bit_width(allowed));
        if ((allowed >> symbol & 1) != 0) encode(symbol, allowed);
      }
    };
    TileModels& models = tile.models;
    learn(AllowedPartitions(level, parameters.prediction_level), [&](int symbol, uint32_t allowed) {
      models.partition[level].Encode(symbol, 0, allowed);
    });
    learn(AllowedResidualFlags(level), [&](int symbol, uint32_t allowed) {
      models.residual_flag[level].Encode(symbol, allowed);
    });
    learn((1u << ModeSymbols(parameters.modes)) - 1,
          [&](int symbol, uint32_t /*allowed*/) { models.mode[level].Count(symbol); });
  }
  return tile;
}

MacroblockSamples SamplesAt(const Image& image, int y, int x) {
  MacroblockSamples block;
  for (int i = 0; i < kMacroblockSize; ++i)
    for (int j = 0; j < kMacroblockSize; ++j)
      block.samples[i * kMacroblockSize + j] = image.Row(y + i)[x + j];
  return block;
}

std::string FirstDifference(const MacroblockSymbols& symbols, const MacroblockSymbols& expected) {
  size_t k = 0;
  while (k < symbols.size() && k < expected.size() && symbols[k] == expected[k]) ++k;
  auto at = [k](const MacroblockSymbols& s) {
    return k < s.size() ? std::to_string(s[k]) : std::string("the end");
  };
  return "symbol " + std::to_string(k) + " of " + std::to_string(symbols.size()) + " is " +
         at(symbols) + ", not " + at(expected);
}

}  // namespace mmp
