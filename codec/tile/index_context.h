// What has been coded next to a leaf, and which patterns that makes likelier. No pixel has a part
// in it. Normative: docs/format-indices.md, "Context of a leaf".
#ifndef MMP_CODEC_TILE_INDEX_CONTEXT_H_
#define MMP_CODEC_TILE_INDEX_CONTEXT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/tile/pattern_features.h"

namespace mmp {

// A leaf whose index comes next: part of a prediction block of this mode. Blocks are those of a
// macroblock.
struct LeafPlace {
  MacroblockPlace macroblock;
  BlockRect leaf;
  BlockRect block;
  int mode;
};

// How much likelier than by its count the features of a pattern make it: 2^shift times the sum of
// their products with these factors is the logarithm to base 2 of that, in 1/4096.
struct IndexContext {
  static constexpr int kMostFactor = 63;
  static constexpr int kMostShift = 10;

  std::array<int8_t, kPatternFeatures> factors{};
  uint8_t shift = 0;

  friend bool operator==(const IndexContext&, const IndexContext&) = default;
};

// What the contexts are made of, in 1/16, in [-kMostFeature, kMostFeature].
inline constexpr int kContextInputs = 38;
using ContextInputs = std::array<int16_t, kContextInputs>;

// The trained weights.
struct IndexWeights {
  static constexpr int kInputBits = 10, kModeBits = 8;  // behind the point

  // Of two inputs side by side, as PairDotAdd has them. There are none of level 1x1.
  int16_t inputs[kLevelCount - 1][kContextInputs / 2][kPatternFeatures][2];
  int16_t modes[kPredictionModes][kPatternFeatures];

  // `level` is above 1x1.
  IndexContext ContextOf(int level, int mode, const ContextInputs& in) const;
  // The same in plain integers, as it is specified: what ContextOf is compared with.
  IndexContext PlainContextOf(int level, int mode, const ContextInputs& in) const;
};
const IndexWeights& StandardIndexWeights();

// The leaves that have been coded last in each column and in each row of a tile.
class LeafBorders {
 public:
  // Of a tile whose sides are whole macroblocks.
  LeafBorders(int width, int height) { Restart(width, height); }
  void Restart(int width, int height) {
    columns_.assign(static_cast<size_t>(width), {});
    rows_.assign(static_cast<size_t>(height), {});
  }

  ContextInputs InputsOf(const LeafPlace& place, const ResidualScale& scale) const;
  // The next leaf has these values, row by row.
  void Add(const LeafPlace& place, const int16_t* values, const FeaturesOfPattern& features);

 private:
  // Of the lowest pixel of a column, or the last one of a row: its residual, and what its pattern
  // is like.
  struct Cell {
    int16_t value;
    std::array<int8_t, 5> features;
  };
  // A side of a leaf, as inputs.
  struct Side {
    std::array<int, 4> quarters;
    int energy;
    std::array<int, 5> features;
  };
  static Side SideOf(const Cell* cells, int log2_count, const ResidualScale& scale);

  std::vector<Cell> columns_, rows_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_INDEX_CONTEXT_H_
