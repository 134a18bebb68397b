// Blocks of a tile that are coded sample by sample, without loss, beside the patterns of the rest:
// text and lines on a page with pictures. What is reconstructed there gives way to them, behind all
// filters. Normative: docs/format.md, "Exact blocks".
#ifndef MMP_CODEC_PIXEL_EXACT_BLOCKS_H_
#define MMP_CODEC_PIXEL_EXACT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "codec/pixel/bit_port.h"

namespace mmp {

struct ExactBlocks {
  static constexpr int kSize = 8;  // samples a side, fewer at the tile's right and lower edge

  ExactBlocks() = default;
  // Of a tile of width x height samples; none is exact.
  ExactBlocks(int tile_width, int tile_height);

  int across() const { return (width + kSize - 1) / kSize; }
  bool Has(int y, int x) const {
    return is_exact[static_cast<size_t>(y / kSize) * across() + x / kSize] != 0;
  }
  // Whether there are any.
  bool IsUsed() const { return !is_exact.empty(); }

  int width = 0, height = 0;
  std::vector<uint8_t> is_exact;  // of each block, row by row
  std::vector<uint8_t> samples;   // of the tile, row by row; what is not exact means nothing
};

// Is told after each row how many of its samples are exact; if false, nothing more is coded.
using ExactRowCoded = std::function<bool(int samples)>;

// Codes which blocks are exact, and their samples. Decoding: `blocks` has the tile's size.
void CodeExactBlocks(BitPort& port, ExactBlocks& blocks, const ExactRowCoded& goes_on);

// Puts their samples into a tile's plane, whose rows are `stride` apart.
void ApplyExactBlocks(const ExactBlocks& blocks, ptrdiff_t stride, uint8_t* plane);

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_EXACT_BLOCKS_H_
