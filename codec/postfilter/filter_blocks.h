// The blocks of a tile that are filtered or left as they are, each for itself.
// Normative: docs/format.md, "Network filter" and "Wiener filter".
#ifndef MMP_CODEC_POSTFILTER_FILTER_BLOCKS_H_
#define MMP_CODEC_POSTFILTER_FILTER_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mmp {

inline constexpr int kFilterBlockSize = 32;  // pixels a side

// Blocks in a row of so many pixels, the last of which may reach beyond it.
constexpr int FilterBlocksAcross(int pixels) {
  return (pixels + kFilterBlockSize - 1) / kFilterBlockSize;
}

// Number of blocks of a tile. They are numbered in raster order.
constexpr int FilterBlocks(int width, int height) {
  return FilterBlocksAcross(width) * FilterBlocksAcross(height);
}

// Copies the pixels of a block between planes of a tile of this size.
inline void CopyFilterBlock(int block, int width, int height, const uint8_t* from, uint8_t* to) {
  const int columns = FilterBlocksAcross(width);
  const int x = block % columns * kFilterBlockSize, y = block / columns * kFilterBlockSize;
  const int across = std::min(kFilterBlockSize, width - x);
  for (int i = y; i < std::min(y + kFilterBlockSize, height); ++i) {
    const size_t at = static_cast<size_t>(i) * width + x;
    std::copy_n(from + at, across, to + at);
  }
}

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_FILTER_BLOCKS_H_
