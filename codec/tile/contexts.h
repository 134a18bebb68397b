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

// The level of the residual leaf that covers each pixel of a tile, and the context of partitions
// that follows from it.
class LeafMap {
 public:
  static constexpr int kContexts = 16;

  LeafMap(int width, int height)
      : width_(width), levels_(static_cast<size_t>(width) * height, kLevelCount) {}

  // No leaves, in a tile of this size.
  void Restart(int width, int height) {
    width_ = width;
    levels_.assign(static_cast<size_t>(width) * height, kLevelCount);
  }

  // The block of `level` whose top left pixel is (y, x) is a leaf.
  void Mark(int y, int x, int level) {
    for (int i = 0; i < kLevelShapes[level].height(); ++i)
      std::fill_n(&levels_[At(y + i, x)], kLevelShapes[level].width(), static_cast<uint8_t>(level));
  }
  // The context of the block of `level` at (y, x): whether the leaf left of it is lower and the one
  // above it narrower than the block.
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
  // Returns 0 if a < b, 1 if a == b, 2 if a > b.
  static int Compare(int a, int b) { return a < b ? 0 : a == b ? 1 : 2; }
  size_t At(int y, int x) const { return static_cast<size_t>(y) * width_ + x; }

  int width_;
  std::vector<uint8_t> levels_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_CONTEXTS_H_
