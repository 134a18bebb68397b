// The contexts of syntax elements: what of the coded surroundings chooses a model.
// Normative: docs/format.md, "Models".
#ifndef MMP_CODEC_TILE_CONTEXTS_H_
#define MMP_CODEC_TILE_CONTEXTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"

namespace mmp {

// The residual leaves that have been coded last in each column and in each row of a tile, and the
// context of partitions that follows from them: they are those above and left of the next block.
class LeafMap {
 public:
  static constexpr int kContexts = 16;

  LeafMap(int width, int height) { Restart(width, height); }

  // No leaves, in a tile of this size.
  void Restart(int width, int height) {
    of_columns_.assign(static_cast<size_t>(width), kLevelCount);
    of_rows_.assign(static_cast<size_t>(height), kLevelCount);
  }

  // The next leaf is the block of `level` whose top left pixel is (y, x).
  void Add(int y, int x, int level) {
    const LevelShape shape = kLevelShapes[level];
    std::fill_n(&of_columns_[x], shape.width(), static_cast<uint8_t>(level));
    std::fill_n(&of_rows_[y], shape.height(), static_cast<uint8_t>(level));
  }
  // The context of the next block, of `level` at (y, x): whether the leaf left of it is lower and
  // the one above it narrower than the block.
  int Context(int y, int x, int level) const {
    const LevelShape shape = kLevelShapes[level];
    const int left = of_rows_[y], above = of_columns_[x];
    const int by_height =
        left == kLevelCount ? 3 : Compare(kLevelShapes[left].log2_height, shape.log2_height);
    const int by_width =
        above == kLevelCount ? 3 : Compare(kLevelShapes[above].log2_width, shape.log2_width);
    return 4 * by_height + by_width;
  }

 private:
  // Returns 0 if a < b, 1 if a == b, 2 if a > b.
  static int Compare(int a, int b) { return a < b ? 0 : a == b ? 1 : 2; }

  std::vector<uint8_t> of_columns_, of_rows_;  // levels; kLevelCount: none
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_CONTEXTS_H_
