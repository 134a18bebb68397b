// Which pixels in and around a macroblock are available while its blocks are coded, without the
// pixels: what can be parsed of a macroblock before anything of the tile is reconstructed.
#ifndef MMP_CODEC_INTRA_AVAILABILITY_MAP_H_
#define MMP_CODEC_INTRA_AVAILABILITY_MAP_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/base/levels.h"

namespace mmp {

class AvailabilityMap {
 public:
  // For the macroblock whose top left pixel is (y, x) of a tile of `width` columns, before its
  // blocks.
  AvailabilityMap(int y, int x, int width) {
    const uint64_t left = Columns(std::max(-kLeft, -x), 0);
    const uint64_t above = Columns(std::max(-kLeft, -x), std::min(kRight, width - x));
    std::fill_n(rows_.begin(), kTop, y > 0 ? above : 0);
    std::fill_n(rows_.begin() + kTop, kMacroblockSize, left);
  }

  // (0, 0) is the macroblock's top left pixel; y in [-2, 16), x in [-32, 32).
  bool Available(int y, int x) const { return (rows_[y + kTop] >> (x + kLeft) & 1) != 0; }

  // Marks the block's pixels as available.
  void Mark(BlockRect rect) {
    const uint64_t columns = Columns(rect.x, rect.x + rect.width());
    for (int i = 0; i < rect.height(); ++i) rows_[rect.y + i + kTop] |= columns;
  }

 private:
  static constexpr int kTop = 2, kLeft = 32, kRight = 32;

  // Bits of the columns [first, last), which are in [-32, 32].
  static uint64_t Columns(int first, int last) {
    return first < last ? ~uint64_t{0} >> (64 - (last - first)) << (first + kLeft) : 0;
  }

  std::array<uint64_t, kTop + kMacroblockSize> rows_;
};

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_AVAILABILITY_MAP_H_
