// Everything that encoder and decoder of a tile keep in step: reconstruction, dictionary, models.
#ifndef MMP_CODEC_TILE_STATE_H_
#define MMP_CODEC_TILE_STATE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codec/copies.h"
#include "codec/dictionary.h"
#include "codec/levels.h"
#include "codec/models.h"
#include "codec/parameters.h"
#include "codec/wiener_filter.h"

namespace mmp {

// The decision at a node of the prediction tree, for both trees at once.
enum PredictionFlag : uint8_t {
  kLeaf = 0,               // one mode, one pattern
  kSplitBothVertical = 1,  // each half is a prediction node
  kSplitBothHorizontal = 2,
  kSplitResidualVertical = 3,  // one mode; the residual's halves are coded one by one
  kSplitResidualHorizontal = 4,
};
inline constexpr int kPredictionFlags = 5;

// The decision at a node of the residual tree below its root.
enum ResidualFlag : uint8_t {
  kPattern = 0,
  kSplitVertical = 1,
  kSplitHorizontal = 2,
};
inline constexpr int kResidualFlags = 3;

// The flags that can occur at a node, as bit masks.
constexpr uint32_t AllowedPredictionFlags(int level, int prediction_level) {
  uint32_t allowed = 1u << kLeaf;
  for (Split split : {Split::kVertical, Split::kHorizontal}) {
    if (HalfLevel(level, split) < 0) continue;
    allowed |= 1u << (kSplitResidualVertical + static_cast<int>(split));
    if (PredictionMaySplit(level, split, prediction_level))
      allowed |= 1u << (kSplitBothVertical + static_cast<int>(split));
  }
  return allowed;
}

constexpr uint32_t AllowedResidualFlags(int level) {
  uint32_t allowed = 1u << kPattern;
  for (Split split : {Split::kVertical, Split::kHorizontal})
    if (HalfLevel(level, split) >= 0) allowed |= 1u << (kSplitVertical + static_cast<int>(split));
  return allowed;
}

// The level of the residual leaf that covers each pixel of a tile, and the context of prediction
// flags that follows from it.
class LeafMap {
 public:
  static constexpr int kContexts = 16;

  LeafMap(int width, int height)
      : width_(width), levels_(static_cast<size_t>(width) * height, kLevelCount) {}

  // The block of `level` whose top left pixel is (y, x) is a leaf.
  void Mark(int y, int x, int level) {
    for (int i = 0; i < kLevelShapes[level].height(); ++i)
      std::fill_n(&levels_[At(y + i, x)], kLevelShapes[level].width(), static_cast<uint8_t>(level));
  }
  // Of the block of `level` at (y, x): are the leaves left of it lower, and those above narrower?
  int Context(int y, int x, int level) const {
    const LevelShape shape = kLevelShapes[level];
    const int left = x > 0 ? levels_[At(y, x - 1)] : kLevelCount;
    const int above = y > 0 ? levels_[At(y - 1, x)] : kLevelCount;
    const int by_height =
        left == kLevelCount ? 3 : Compare(kLevelShapes[left].log2_height, shape.log2_height);
    const int by_width =
        above == kLevelCount ? 3 : Compare(kLevelShapes[above].log2_width, shape.log2_width);
    return 4 * by_height + by_width;
  }

 private:
  // 0: a is less, 1: as much, 2: more.
  static int Compare(int a, int b) { return a < b ? 0 : a == b ? 1 : 2; }
  size_t At(int y, int x) const { return static_cast<size_t>(y) * width_ + x; }

  int width_;
  std::vector<uint8_t> levels_;
};

// Number of symbols of the mode models, given the modes of a file as a bit mask.
constexpr int ModeSymbols(uint32_t modes) {
  return modes <= kAllReferenceModes ? kReferenceModes
         : modes < 1u << kFirstCopy  ? kFirstCopy
                                     : kPredictionModes;
}

struct TileModels {
  explicit TileModels(const CodecParameters& parameters) {
    const bool is_mixed = parameters.Uses(kMixedModels);
    prediction_flag.fill(ContextModel<kPredictionFlags>(is_mixed ? LeafMap::kContexts : 0));
    mode.fill(SymbolModel<kPredictionModes>(ModeSymbols(parameters.modes)));
    index.fill(IndexModel(is_mixed));
  }

  std::array<ContextModel<kPredictionFlags>, kLevelCount> prediction_flag;  // see LeafMap
  std::array<SymbolModel<kResidualFlags>, kLevelCount> residual_flag;
  std::array<SymbolModel<kPredictionModes>, kLevelCount> mode;
  std::array<IndexModel, kLevelCount> index;
  SymbolModel<kWienerStrengths + 1> wiener_strength;
  SymbolModel<2> wiener_block;
  SymbolModel<kMostNewCopyVectors + 1> copy_count;
  std::array<SymbolModel<kCopyVectorBits + 1>, 2> copy_class;  // down, across
};

struct TileState {
  // A tile of width x height pixels, before any macroblock. `trained` is needed if the parameters
  // say that there are trained patterns.
  TileState(const CodecParameters& codec_parameters, int tile_width, int tile_height,
            const TrainedPatterns* trained = nullptr)
      : parameters(codec_parameters),
        width((tile_width + kMacroblockSize - 1) / kMacroblockSize * kMacroblockSize),
        height((tile_height + kMacroblockSize - 1) / kMacroblockSize * kMacroblockSize),
        plane(static_cast<size_t>(width) * height),
        leaves(width, height),
        dictionary(codec_parameters.dictionary_size),
        models(codec_parameters) {
    if (parameters.pattern_scale > 0)
      AddTrained(*trained);
    else
      AddSymbols(IndexModel::kInitialCount, PatternOrigin::kInitial);
  }

  // Gives each pattern that is new in the dictionary a symbol with this count.
  void AddSymbols(uint32_t count, PatternOrigin origin) {
    for (int level = 0; level < kLevelCount; ++level)
      while (models.index[level].size() < dictionary.size(level))
        models.index[level].Add(count, origin);
  }

  CodecParameters parameters;
  int width, height;           // pixels, padded to whole macroblocks
  std::vector<uint8_t> plane;  // the reconstruction, height rows of width samples
  LeafMap leaves;
  CopyVectors copy_vectors;
  CopyBlocks copies;  // for the macroblock that comes next
  Dictionary dictionary;
  TileModels models;

 private:
  void AddTrained(const TrainedPatterns& trained) {
    for (int level = 1; level < kLevelCount; ++level)
      models.index[level].Add(trained.levels[level].zero_count, PatternOrigin::kInitial);
    AddSymbols(IndexModel::kInitialBesideTrained, PatternOrigin::kInitial);
    dictionary.AddTrained(trained, parameters.pattern_scale);
    for (int level = 1; level < kLevelCount; ++level)
      for (int i = kInitialPatterns; i < dictionary.size(level); ++i)
        models.index[level].Add(trained.levels[level].counts[i - kInitialPatterns],
                                PatternOrigin::kTrained);
  }
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_STATE_H_
