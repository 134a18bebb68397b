// The order in which the macroblocks of a tile are coded: front by front. Those of a front are
// independent of each other. In raster order each is a front of its own. Normative: docs/format.md,
// "Tiles".
#ifndef MMP_CODEC_BASE_MACROBLOCK_ORDER_H_
#define MMP_CODEC_BASE_MACROBLOCK_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "common/host_device.h"
#include "mmp/types.h"

namespace mmp {

// A macroblock, by its top left pixel in the tile.
struct MacroblockPlace {
  int y, x;
};

// Of a tile in wave fronts: the number of the front that codes pixel (y, x), neither below 0.
MMP_HOST_DEVICE constexpr int FrontOf(int y, int x) {
  return x / kMacroblockSize + 2 * (y / kMacroblockSize);
}

// Walks the fronts of a tile of width x height pixels, padded to whole macroblocks.
class FrontWalk {
 public:
  FrontWalk(MacroblockOrder order, int width, int height)
      // In one column, each macroblock is a front of its own in either order.
      : is_wavefront_(order == MacroblockOrder::kWavefront && width > kMacroblockSize),
        columns_(width / kMacroblockSize),
        rows_(height / kMacroblockSize) {}

  // Goes to the first front, then the next; false if there is none.
  bool Next() {
    ++number_;
    front_.clear();
    if (!is_wavefront_) {
      if (number_ / columns_ < rows_) Add(number_ / columns_, number_ % columns_);
    } else {
      const int first = std::max(0, (number_ - columns_ + 2) / 2);
      const int last = std::min(rows_ - 1, number_ / 2);
      for (int row = first; row <= last; ++row) Add(row, number_ - 2 * row);
    }
    return !front_.empty();
  }
  // The number, from 0 on, of the front that has the macroblock of pixel (y, x).
  int NumberOf(int y, int x) const {
    return is_wavefront_ ? FrontOf(y, x) : y / kMacroblockSize * columns_ + x / kMacroblockSize;
  }
  // In coding order.
  std::span<const MacroblockPlace> front() const { return front_; }

 private:
  void Add(int row, int column) {
    front_.push_back({row * kMacroblockSize, column * kMacroblockSize});
  }

  const bool is_wavefront_;
  const int columns_, rows_;
  int number_ = -1;
  std::vector<MacroblockPlace> front_;
};

// The macroblocks of a tile's largest front.
inline int LargestFront(MacroblockOrder order, int width, int height) {
  const int columns = MacroblocksAcross(width), rows = MacroblocksAcross(height);
  return order == MacroblockOrder::kRaster ? 1 : std::min((columns + 1) / 2, rows);
}

}  // namespace mmp

#endif  // MMP_CODEC_BASE_MACROBLOCK_ORDER_H_
