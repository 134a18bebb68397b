#include "tests/reference_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "codec/macroblock_coder.h"
#include "codec/predict.h"
#include "codec/predictors.h"
#include "codec/satd.h"

namespace mmp {

namespace {

int32_t SquaredError(std::span<const int16_t> a, std::span<const int16_t> b) {
  int32_t error = 0;
  for (size_t k = 0; k < a.size(); ++k) error += (a[k] - b[k]) * (a[k] - b[k]);
  return error;
}

}  // namespace

ReferencePrices::ReferencePrices(const SearchRates& rates) : rates_(rates) {
  least_cost_.Update(rates);
  const Dictionary& dictionary = rates.tile().dictionary;
  for (int level = 0; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    patterns_[level].resize(static_cast<size_t>(dictionary.size(level)) * pixels);
    for (int index = 0; index < dictionary.size(level); ++index)
      dictionary.Copy(level, index, &patterns_[level][static_cast<size_t>(index) * pixels]);
  }
}

ReferenceResidual::ReferenceResidual(const ReferencePrices& prices, int level,
                                     const std::vector<int16_t>& values, int slack_q4)
    : prices_(prices), level_(level), values_(values), slack_q4_(slack_q4) {
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
  const SearchRates& rates = prices_.rates();
  const std::vector<int16_t> part = Part(rect);
  Node& node = nodes_[rect.level][Place(rect)];
  int64_t least = INT64_MAX;
  const int patterns = rates.tile().dictionary.size(rect.level);
  for (int p = 0; p < patterns; ++p) {
    const int64_t error = SquaredError(part, prices_.Pattern(rect.level, p));
    const int64_t rate = rates.Index(rect.level)[p];
    const int64_t cost = !rates.lambda().lossless() ? kDistortionScale * error + rate
                         : error == 0               ? rate
                                                    : kImpossible;
    if (cost >= least) continue;
    least = cost;
    node.index = p;
  }
  const auto& flags = rates.ResidualFlags(rect.level);
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

// The rule of SearchEffort::residual_slack_q4; blocks of two pixels are always split.
bool ReferenceResidual::IsGoodEnough(BlockRect rect, Split split, int32_t pattern_cost) const {
  if (rect.pixels() <= 2) return false;
  int64_t least = prices_.least_cost().SplitMargin(rect.level, split);
  for (int half = 0; half < 2; ++half) {
    const BlockRect part = rect.Half(split, half);
    int32_t norm = 0;
    for (const int16_t v : Part(part)) norm += v * v;
    least += prices_.least_cost().Residual(part.level, kDistortionScale * norm);
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
    const int16_t* pattern = prices_.Pattern(rect.level, index).data();
    for (int i = 0; i < rect.height(); ++i)
      for (int j = 0; j < rect.width(); ++j) values[(rect.y + i) * width + rect.x + j] = *pattern++;
  });
  return values;
}

namespace {

class ReferenceSearch {
 public:
  ReferenceSearch(const SearchRates& rates, const MacroblockSamples& original,
                  const SearchEffort& effort)
      : rates_(rates), prices_(rates), original_(original), effort_(effort) {}

  ReferenceChoice SearchNode(const Canvas& canvas, BlockRect rect) const {
    ReferenceChoice best = SearchLeaf(canvas, rect);
    const int64_t good_enough = int64_t{prices_.least_cost().OtherPredictionLeaf(rect.level)} *
                                    effort_.prediction_slack_q4 >>
                                4;
    if (best.flag == kLeaf && best.cost < good_enough) return best;
    for (const Split split : {Split::kVertical, Split::kHorizontal}) {
      if (!PredictionMaySplit(rect.level, split, rates_.tile().parameters.prediction_level))
        continue;
      const LevelShape half = kLevelShapes[HalfLevel(rect.level, split)];
      if (std::min(half.height(), half.width()) < effort_.thinnest_prediction) continue;
      ReferenceChoice choice = SearchSplit(canvas, rect, split);
      if (choice.cost < best.cost) best = std::move(choice);
    }
    return best;
  }

 private:
  // A mode that can be used, what it predicts, and what is left.
  struct Mode {
    int mode;
    std::array<uint8_t, kMacroblockPixels> prediction;
    std::vector<int16_t> residual;
    int64_t estimate;  // of its cost
  };

  ReferenceChoice SearchLeaf(const Canvas& canvas, BlockRect rect) const {
    BlockBorder border;
    LoadBorder(canvas, rect, border);
    const uint32_t modes =
        AvailableModes(border, rates_.tile().copies, rect) & rates_.tile().parameters.modes;
    ReferenceChoice best;
    best.cost = INT64_MAX;
    for (const Mode& mode : ModesToSearch(canvas, border, rect, modes))
      TryMode(rect, modes, mode, best);
    return best;
  }

  std::vector<Mode> ModesToSearch(const Canvas& canvas, const BlockBorder& border, BlockRect rect,
                                  uint32_t modes) const {
    const auto rates_q12 = rates_.ModeRatesQ12(rect.level, modes);
    const int64_t root_lambda_q4 = static_cast<int64_t>(std::sqrt(rates_.lambda().q8));
    std::vector<Mode> list;
    for (int m = 0; m < kPredictionModes; ++m) {
      if ((modes >> m & 1) == 0) continue;
      Mode& mode = list.emplace_back();
      mode.mode = m;
      Predict(canvas, border, rates_.tile().copies, rect, m, mode.prediction.data());
      for (int i = 0; i < rect.height(); ++i)
        for (int j = 0; j < rect.width(); ++j)
          mode.residual.push_back(
              static_cast<int16_t>(original_.samples[(rect.y + i) * kMacroblockSize + rect.x + j] -
                                   mode.prediction[i * rect.width() + j]));
      mode.estimate = 16 * Satd(mode.residual.data(), kLevelShapes[rect.level]) +
                      (root_lambda_q4 * rates_q12[m] >> kRateShift);
    }
    const size_t count = static_cast<size_t>(effort_.modes_searched);
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
    const ReferenceResidual residual(prices_, rect.level, mode.residual, effort_.residual_slack_q4);
    const auto& flags = rates_.PredictionFlags(rect.level);
    const int64_t mode_cost =
        rates_.lambda().Cost(rates_.ModeRatesQ12(rect.level, modes)[mode.mode]);
    auto consider = [&](PredictionFlag flag, ResidualFlag root, int64_t tree_cost) {
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
            static_cast<uint8_t>(std::clamp(mode.prediction[k] + coded[k], 0, 255));
    };
    consider(kLeaf, kPattern, residual.costs().pattern);
    consider(kSplitResidualVertical, kSplitVertical, residual.costs().vertical);
    consider(kSplitResidualHorizontal, kSplitHorizontal, residual.costs().horizontal);
  }

  ReferenceChoice SearchSplit(const Canvas& canvas, BlockRect rect, Split split) const {
    const PredictionFlag flag =
        split == Split::kVertical ? kSplitBothVertical : kSplitBothHorizontal;
    ReferenceChoice choice;
    choice.flag = flag;
    choice.cost = rates_.PredictionFlags(rect.level)[flag];
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

  MacroblockSymbols FlagSymbol(int level, PredictionFlag flag) const {
    const uint32_t allowed =
        AllowedPredictionFlags(level, rates_.tile().parameters.prediction_level);
    if (std::has_single_bit(allowed)) return {};
    return {flag};
  }

  const SearchRates& rates_;
  const ReferencePrices prices_;
  const MacroblockSamples& original_;
  const SearchEffort effort_;
};

// Takes symbols one by one; their models learn them.
class SymbolPort {
 public:
  SymbolPort(TileModels& models, const MacroblockSymbols& symbols)
      : models_(models), symbols_(symbols) {}

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    const int flag = Allowed(allowed);
    models_.prediction_flag[rect.level].Encode(coder_, flag, context, allowed);
    return flag;
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Code(models_.residual_flag[rect.level], allowed);
  }
  int Mode(BlockRect rect, uint32_t allowed) { return Code(models_.mode[rect.level], allowed); }
  int Index(BlockRect rect) {
    const int index = Next(models_.index[rect.level].size());
    models_.index[rect.level].Encode(coder_, index);
    return index;
  }
  bool AllTaken() const { return position_ == symbols_.size() && !failed_; }

 private:
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
    model.Encode(coder_, symbol, allowed);
    return symbol;
  }

  TileModels& models_;
  const MacroblockSymbols& symbols_;
  RangeEncoder coder_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace

ReferenceChoice SearchReference(const SearchRates& rates, const SearchEffort& effort,
                                const MacroblockSamples& original, int y, int x) {
  const TileState& tile = rates.tile();
  Canvas canvas;
  LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, canvas);
  return ReferenceSearch(rates, original, effort).SearchNode(canvas, {0, 0, kMacroblockLevel});
}

void CodeMacroblock(TileState& tile, const MacroblockSymbols& symbols, int y, int x) {
  SymbolPort port(tile.models, symbols);
  MacroblockCoder<SymbolPort> coder(tile, port);
  coder.Code(y, x);
  coder.Learn();
  EXPECT_TRUE(port.AllTaken()) << "the symbols are not those of a macroblock";
}

void AddRandomCopies(Random& random, TileState& tile, int y, int x) {
  for (int k = random.Below(kMostNewCopyVectors + 1); k > 0; --k)
    tile.copy_vectors.Add({-random.Below(24), random.Between(-24, 24)});
  LoadCopies(tile.copy_vectors, tile.plane.data(), tile.width, y, x, tile.copies);
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
  RangeEncoder coder;
  for (int level = 0; level < kLevelCount; ++level) {
    IndexModel& index = tile.models.index[level];
    for (int k = random.Below(200); k > 0; --k)
      index.Encode(coder, random.Below(random.Between(1, index.size())));
    auto learn = [&](uint32_t allowed, auto encode) {
      for (int k = random.Below(60); k > 0; --k) {
        const int symbol = random.Below(std::bit_width(allowed));
        if ((allowed >> symbol & 1) != 0) encode(symbol, allowed);
      }
    };
    TileModels& models = tile.models;
    learn(AllowedPredictionFlags(level, parameters.prediction_level),
          [&](int symbol, uint32_t allowed) {
            models.prediction_flag[level].Encode(coder, symbol, 0, allowed);
          });
    learn(AllowedResidualFlags(level), [&](int symbol, uint32_t allowed) {
      models.residual_flag[level].Encode(coder, symbol, allowed);
    });
    learn((1u << ModeSymbols(parameters.modes)) - 1,
          [&](int symbol, uint32_t allowed) { models.mode[level].Encode(coder, symbol, allowed); });
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
