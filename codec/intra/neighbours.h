// Which pixels beside a block are available, one definition for all that predicts from them or
// reads what they allow, on host and device. A Map says of each pixel: `bool Available(int y, int
// x)`; it is a Canvas, or an AvailabilityMap where there are no pixels.
//
// What is available of a row above a block has no gap from the block's first column on.
#ifndef MMP_CODEC_INTRA_NEIGHBOURS_H_
#define MMP_CODEC_INTRA_NEIGHBOURS_H_

#include "codec/base/levels.h"
#include "common/host_device.h"

namespace mmp {

// The row above the block; the column on its left.
template <typename Map>
MMP_HOST_DEVICE bool HasTop(const Map& map, BlockRect rect) {
  return map.Available(rect.y - 1, rect.x);
}
template <typename Map>
MMP_HOST_DEVICE bool HasLeft(const Map& map, BlockRect rect) {
  return map.Available(rect.y, rect.x - 1);
}
// The row and the column beyond these.
template <typename Map>
MMP_HOST_DEVICE bool HasSecondTop(const Map& map, BlockRect rect) {
  return map.Available(rect.y - 2, rect.x);
}
template <typename Map>
MMP_HOST_DEVICE bool HasSecondLeft(const Map& map, BlockRect rect) {
  return map.Available(rect.y, rect.x - 2);
}
// Both rows and both columns, with what is above and left of the block.
template <typename Map>
MMP_HOST_DEVICE bool HasTwo(const Map& map, BlockRect rect) {
  return map.Available(rect.y - 2, rect.x - 2);
}
// In the row `up` above the block, the pixel that comes after the block's columns and `k` more.
template <typename Map>
MMP_HOST_DEVICE bool HasBeyond(const Map& map, BlockRect rect, int up, int k) {
  return map.Available(rect.y - up, rect.x + rect.width() + k);
}
template <typename Map>
MMP_HOST_DEVICE bool HasTopRight(const Map& map, BlockRect rect) {
  return HasBeyond(map, rect, 1, 0);
}

// What decides which modes a block can be predicted by.
struct BlockNeighbours {
  bool has_top, has_left, has_top_right;
  bool has_two;  // two rows above and two columns on the left
};
template <typename Map>
MMP_HOST_DEVICE BlockNeighbours NeighboursOf(const Map& map, BlockRect rect) {
  return {HasTop(map, rect), HasLeft(map, rect), HasTopRight(map, rect), HasTwo(map, rect)};
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_NEIGHBOURS_H_
