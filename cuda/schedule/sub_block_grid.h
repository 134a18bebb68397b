// The sub-blocks of a residual block: all blocks that splitting can make of it.
//
// A sub-block is a band of rows times a band of columns. Bands of 2^l rows are numbered from l = 0
// up, those of one size from the top; so a block of 2^H rows has 2^(H + 1) - 1 bands, and sub-block
// (row band, column band) is at row band * column bands + column band.
#ifndef MMP_CUDA_SCHEDULE_SUB_BLOCK_GRID_H_
#define MMP_CUDA_SCHEDULE_SUB_BLOCK_GRID_H_

#include <cstdint>
#include <vector>

#include "codec/base/levels.h"

namespace mmp::cuda {

// 2^log2_height x 2^log2_width pixels, at row y, column x counted in sub-blocks of its own size.
struct SubBlock {
  int log2_height, log2_width, y, x;

  MMP_HOST_DEVICE int log2_pixels() const { return log2_height + log2_width; }
};

struct SubBlockGrid {
  int log2_height, log2_width;  // of the block

  MMP_HOST_DEVICE explicit SubBlockGrid(int level)
      : log2_height(ShapeOfLevel(level).log2_height), log2_width(ShapeOfLevel(level).log2_width) {}

  MMP_HOST_DEVICE int log2_pixels() const { return log2_height + log2_width; }
  MMP_HOST_DEVICE int pixels() const { return 1 << log2_pixels(); }
  MMP_HOST_DEVICE int columns() const { return (2 << log2_width) - 1; }
  MMP_HOST_DEVICE int size() const { return ((2 << log2_height) - 1) * columns(); }

  MMP_HOST_DEVICE static int Band(int log2_length, int log2_size, int position) {
    return (2 << log2_length) - (2 << (log2_length - log2_size)) + position;
  }
  MMP_HOST_DEVICE int Index(int log2_h, int y, int log2_w, int x) const {
    return Band(log2_height, log2_h, y) * columns() + Band(log2_width, log2_w, x);
  }
  MMP_HOST_DEVICE int Index(const SubBlock& p) const {
    return Index(p.log2_height, p.y, p.log2_width, p.x);
  }
  // Its number among those of its size, row by row.
  MMP_HOST_DEVICE int Number(const SubBlock& p) const {
    return (p.y << (log2_width - p.log2_width)) + p.x;
  }
  // Its top left pixel's number in the block, row by row.
  MMP_HOST_DEVICE int FirstPixel(const SubBlock& p) const {
    return (p.y << (p.log2_height + log2_width)) + (p.x << p.log2_width);
  }
  // Half `half` of a sub-block that is cut: vertically if `vertical`.
  MMP_HOST_DEVICE int Half(const SubBlock& p, bool vertical, int half) const {
    return vertical ? Index(p.log2_height, p.y, p.log2_width - 1, 2 * p.x + half)
                    : Index(p.log2_height - 1, 2 * p.y + half, p.log2_width, p.x);
  }

  // The sub-blocks of 2^r pixels, r in [0, log2_pixels()]: RoundSize(r) of them, Round(r, k).
  MMP_HOST_DEVICE int RoundSize(int r) const {
    return (Most(r) - Least(r) + 1) << (log2_pixels() - r);
  }
  MMP_HOST_DEVICE SubBlock Round(int r, int k) const {
    const int shift = log2_pixels() - r;
    SubBlock p;
    p.log2_height = Least(r) + (k >> shift);
    p.log2_width = r - p.log2_height;
    const int place = k & ((1 << shift) - 1);
    const int log2_across = log2_width - p.log2_width;
    p.y = place >> log2_across;
    p.x = place & ((1 << log2_across) - 1);
    return p;
  }

 private:
  MMP_HOST_DEVICE int Least(int r) const { return r > log2_width ? r - log2_width : 0; }
  MMP_HOST_DEVICE int Most(int r) const { return r < log2_height ? r : log2_height; }
};

// What the search must know of a sub-block: its place in arrays, its size and place in the block,
// and its first halves' places in arrays; in one word, so that a look-up is one load.
class SubBlockInfo {
 public:
  static constexpr int kNone = 1023;  // half that is not there

  SubBlockInfo() = default;
  MMP_HOST_DEVICE explicit SubBlockInfo(uint64_t bits) : bits_(bits) {}
  // Makes the information of sub-block `p` of a grid.
  MMP_HOST_DEVICE SubBlockInfo(const SubBlockGrid& grid, const SubBlock& p, int level)
      : bits_(static_cast<uint64_t>(grid.Index(p))) {
    for (int split = 0; split < 2; ++split) {
      const bool vertical = split == 0;
      const bool there = (vertical ? p.log2_width : p.log2_height) > 0;
      const int first = there ? grid.Half(p, vertical, 0) : kNone;
      // The second half follows at a distance: one column, or one row.
      bits_ |= static_cast<uint64_t>(first) << 10 * (split + 1);
    }
    bits_ |= static_cast<uint64_t>(level) << 32 | static_cast<uint64_t>(grid.Number(p)) << 40 |
             static_cast<uint64_t>(grid.FirstPixel(p)) << 48 |
             static_cast<uint64_t>(p.log2_pixels()) << 56 |
             static_cast<uint64_t>(p.log2_width) << 60;
  }

  MMP_HOST_DEVICE uint64_t bits() const { return bits_; }
  MMP_HOST_DEVICE int index() const { return Field(0, 10); }
  MMP_HOST_DEVICE int level() const { return Field(32, 8); }
  // SubBlockGrid::Number and FirstPixel.
  MMP_HOST_DEVICE int number() const { return Field(40, 8); }
  MMP_HOST_DEVICE int first_pixel() const { return Field(48, 8); }
  MMP_HOST_DEVICE int log2_pixels() const { return Field(56, 4); }
  MMP_HOST_DEVICE int log2_width() const { return Field(60, 4); }
  MMP_HOST_DEVICE int log2_height() const { return log2_pixels() - log2_width(); }
  // Index of the first half, kNone if it cannot be cut so. The second half is at the next index or,
  // if the cut is horizontal, a row of the grid further on.
  MMP_HOST_DEVICE int FirstHalf(int split) const { return Field(10 * (split + 1), 10); }

 private:
  MMP_HOST_DEVICE int Field(int shift, int bits) const {
    return static_cast<int>(bits_ >> shift) & ((1 << bits) - 1);
  }

  uint64_t bits_;
};

// Appends the bits of the SubBlockInfos of a level's residual block: of those sub-blocks that have
// more than one pixel, in rounds, first those of two pixels, then of four and so on.
inline void AppendSubBlocks(int level, std::vector<uint64_t>& infos) {
  const SubBlockGrid grid(level);
  for (int r = 1; r <= grid.log2_pixels(); ++r) {
    for (int k = 0; k < grid.RoundSize(r); ++k) {
      const SubBlock p = grid.Round(r, k);
      infos.push_back(SubBlockInfo(grid, p, LevelOf(p.log2_height, p.log2_width)).bits());
    }
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SCHEDULE_SUB_BLOCK_GRID_H_
