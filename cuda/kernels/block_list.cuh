// The residual blocks of a macroblock's search: each sub-block of each searched mode of each node
// is an entry on its level's list of what to match.
//
// An entry's place on the list follows from its node's first entry of that level: no block is
// looked up. Equal blocks are matched again, which on a GPU costs less than finding them.
#ifndef MMP_CUDA_KERNELS_BLOCK_LIST_CUH_
#define MMP_CUDA_KERNELS_BLOCK_LIST_CUH_

#include <cstdint>

#include "codec/base/levels.h"
#include "cuda/kernels/tables.cuh"
#include "cuda/kernels/team.cuh"
#include "cuda/kernels/warp.cuh"
#include "cuda/schedule/search_arguments.h"
#include "cuda/schedule/sub_block_grid.h"

namespace mmp::cuda {

// The sub-blocks of a residual block's level that AppendSubBlocks lists.
struct SubBlockList {
  SubBlockGrid grid;
  const uint64_t* infos;

  __device__ int size() const { return grid.size() - grid.pixels(); }
  __device__ SubBlockInfo operator[](int k) const { return SubBlockInfo(infos[k]); }
  // Index of the second half of a cut whose first half is at `first`.
  __device__ int SecondHalf(int split, int first) const {
    return first + (split == 0 ? 1 : grid.columns());
  }
};

// How many of the bits of a mask are below bit n; and the bit that has `place` of them below it.
__device__ inline int PlaceInMask(uint32_t mask, int n) { return __popc(mask & ((1u << n) - 1)); }
__device__ inline int BitAtPlace(uint32_t mask, int place) {
#pragma unroll 1
  for (int k = 0; k < place; ++k) mask &= mask - 1;
  return __ffs(static_cast<int>(mask)) - 1;
}

// The blocks of some residuals of one level. Those of level l are entries first[l] and so on of the
// list: the first residual's, row by row, behind them the next one's; their pixels are its contents
// from content[l] on.
struct NodeEntries {
  uint32_t first[kLevelCount], content[kLevelCount];
};

// Among a node's blocks of 2^log2_pixels pixels: sub-block `number` (see SubBlockGrid) of the
// residual at `place`.
__device__ inline uint32_t NumberInNode(const SubBlockGrid& grid, int place, int log2_pixels,
                                        int number) {
  return (place << (grid.log2_pixels() - log2_pixels)) + number;
}

// Lanes 0 to kLevelCount - 1 of a warp: take the entries of `count` residuals. The counted entries
// of this lane's level begin with number `first_entry`.
__device__ inline void TakeEntries(const SubBlockGrid& grid, int count, uint32_t first_entry,
                                   SearchCounters* counters, const BlockListView& list,
                                   NodeEntries& entries) {
  const int level = threadIdx.x % 32;
  const LevelShape shape = ShapeOfLevel(level);
  const int log2_pixels = shape.log2_pixels();
  const bool inside = log2_pixels > 0 && shape.log2_height <= grid.log2_height &&
                      shape.log2_width <= grid.log2_width;
  const uint32_t number =
      first_entry +
      (inside ? atomicAdd(&counters->entries[level], count << (grid.log2_pixels() - log2_pixels))
              : 0);
  entries.first[level] = list.first_entry[level] + number;
  entries.content[level] = list.first_content[level] + (number << log2_pixels);
}

// The residuals of a node's modes.
struct Residuals {
  // The pixels of those in the mask `present`, one behind the other; those in `entered`, a part of
  // these, have entries.
  const int16_t* pixels;
  uint32_t present, entered;

  __device__ const int16_t* Of(int mode, const SubBlockGrid& grid) const {
    return pixels + (PlaceInMask(present, mode) << grid.log2_pixels());
  }
};

// All threads of a block: write the entries of residuals that have been taken. This thread takes
// `share` of the small sub-blocks of mode `mode`'s residual.
__device__ inline void WriteEntries(Share share, const BlockListView& list,
                                    const SubBlockList& sub_blocks, const Residuals& residuals,
                                    int mode, const NodeEntries& entries) {
  const SubBlockGrid& grid = sub_blocks.grid;
  auto finish = [&](uint32_t entry, int32_t norm) {
    list.norms[entry] = norm;
    list.best[entry] = ~0ull;
  };
  // A pixel's place in the block, from its sub-block's first one on.
  auto place_of = [&](int k, int log2_width) {
    return ((k >> log2_width) << grid.log2_width) + (k & ((1 << log2_width) - 1));
  };
  // A thread a block, four pixels at a time: these are in a row, or in two, or in a column. Of two
  // pixels, the others are not used.
  const int small = SmallSubBlocks(grid.log2_height, grid.log2_width);
  const int16_t* own = residuals.Of(mode, grid);
  const int place = PlaceInMask(residuals.entered, mode);  // among those entered
  for (int k = share.first; k < small; k += share.stride) {
    const SubBlockInfo info = sub_blocks[k];
    const int level = info.level(), log2_pixels = info.log2_pixels();
    const int log2_width = info.log2_width(), row = 1 << grid.log2_width;
    const uint32_t number = NumberInNode(grid, place, log2_pixels, info.number());
    int16_t* content = list.contents + entries.content[level] + (number << log2_pixels);
    const int16_t* first = own + info.first_pixel();
    const int second = log2_width > 0 ? 1 : row;
    const int third = log2_pixels == 1 ? 0 : log2_width > 1 ? 2 : row << (1 - log2_width);
    int32_t norm = 0;
#pragma unroll 1
    for (int at = 0; at < 1 << log2_pixels; at += 4) {
      const int16_t* from = first + place_of(at, log2_width);
      const short2 a = {from[0], from[second]};
      short2 b = {from[third], from[third + second]};
      if (log2_pixels == 1) {
        b = {0, 0};
        *reinterpret_cast<short2*>(content) = a;
      } else {
        *reinterpret_cast<short4*>(content + at) = {a.x, a.y, b.x, b.y};
      }
      norm += a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y;
    }
    finish(entries.first[level] + number, norm);
  }
  // A warp a block.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int large = sub_blocks.size() - small;
  for (int i = warp; i < large * __popc(residuals.entered); i += warps) {
    const int of = i / large;
    const SubBlockInfo info = sub_blocks[small + i - of * large];
    const int level = info.level(), log2_pixels = info.log2_pixels();
    const uint32_t number = NumberInNode(grid, of, log2_pixels, info.number());
    const int16_t* first =
        residuals.Of(BitAtPlace(residuals.entered, of), grid) + info.first_pixel();
    int16_t* content = list.contents + entries.content[level] + (number << log2_pixels);
    int32_t norm = 0;
    for (int k = lane; k < 1 << log2_pixels; k += 32) {
      const int16_t a = first[place_of(k, info.log2_width())];
      norm += a * a;
      content[k] = a;
    }
    norm = WarpSum(norm);
    if (lane == 0) finish(entries.first[level] + number, norm);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_BLOCK_LIST_CUH_
