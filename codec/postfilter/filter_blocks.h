// The blocks of a tile that are filtered or left as they are, each for itself.
// Normative: docs/format.md, "Network filter" and "Wiener filter".
#ifndef MMP_CODEC_POSTFILTER_FILTER_BLOCKS_H_
#define MMP_CODEC_POSTFILTER_FILTER_BLOCKS_H_

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

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_FILTER_BLOCKS_H_
