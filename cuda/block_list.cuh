// The residual blocks of a macroblock's search: each partition of each searched mode of each node
// is an entry on its level's list of what to match.
//
// An entry's place on the list follows from its node's first entry of that level: no block is
// looked up. Equal blocks are matched again, which on a GPU costs less than finding them.
#ifndef MMP_CUDA_BLOCK_LIST_CUH_
#define MMP_CUDA_BLOCK_LIST_CUH_

#include <cstdint>

#include "codec/levels.h"
#include "cuda/partition_grid.h"
#include "cuda/search_arguments.h"
#include "cuda/team.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// The partitions of a residual block's level, in rounds.
struct PartitionList {
  PartitionGrid grid;
  const uint64_t* infos;

  // Of more than one pixel.
  __device__ int size() const { return grid.size() - grid.pixels(); }
  __device__ PartitionInfo operator[](int k) const { return PartitionInfo(infos[k]); }
  // Index of the second half of a cut whose first half is at `first`.
  __device__ int SecondHalf(int split, int first) const {
    return first + (split == 0 ? 1 : grid.columns());
  }
};

// How many of the bits of a mask are below bit n.
__device__ inline int PlaceInMask(uint32_t mask, int n) { return __popc(mask & ((1u << n) - 1)); }

// The blocks of some residuals of one level. Those of level l are entries first[l] and so on of the
// list: the first residual's, row by row, behind them the next one's; their pixels are its contents
// from content[l] on.
struct NodeEntries {
  uint32_t first[kLevelCount], content[kLevelCount];

  // Of partition `p` of the residual at `place`.
  __device__ uint32_t At(const PartitionGrid& grid, int place, int level,
                         const Partition& p) const {
    return first[level] + Number(grid, place, p);
  }
  __device__ uint32_t ContentAt(const PartitionGrid& grid, int place, int level,
                                const Partition& p) const {
    return content[level] + (Number(grid, place, p) << p.log2_pixels());
  }

 private:
  __device__ static uint32_t Number(const PartitionGrid& grid, int place, const Partition& p) {
    return (place << (grid.log2_pixels() - p.log2_pixels())) +
           (p.y << (grid.log2_width - p.log2_width)) + p.x;
  }
};

// Lanes 0 to kLevelCount - 1 of a warp: take the entries of `count` residuals.
__device__ inline void TakeEntries(const PartitionGrid& grid, int count, SearchCounters* counters,
                                   const BlockListView& list, NodeEntries& entries) {
  const int level = threadIdx.x % 32;
  const LevelShape shape = ShapeOfLevel(level);
  const int log2_pixels = shape.log2_pixels();
  const bool inside = log2_pixels > 0 && shape.log2_height <= grid.log2_height &&
                      shape.log2_width <= grid.log2_width;
  const uint32_t number =
      inside ? atomicAdd(&counters->entries[level], count << (grid.log2_pixels() - log2_pixels))
             : 0;
  entries.first[level] = list.first_entry[level] + number;
  entries.content[level] = list.first_content[level] + (number << log2_pixels);
}

// Some residual blocks of one level.
struct Residuals {
  // The pixels of those in the mask `present`, one behind the other; those in `entered`, a part of
  // these, have entries.
  const int16_t* pixels;
  uint32_t present, entered;

  __device__ int count() const { return __popc(entered); }
  // The one at `place` among those entered.
  __device__ const int16_t* At(int place, const PartitionGrid& grid) const {
    uint32_t rest = entered;
    for (int k = 0; k < place; ++k) rest &= rest - 1;
    const int number = __ffs(static_cast<int>(rest)) - 1;
    return pixels + (PlaceInMask(present, number) << grid.log2_pixels());
  }
};

// All threads of a block: write the entries of residuals that have been taken. This thread takes
// `share` of the small partitions of the one at `place`.
__device__ inline void WriteEntries(Share share, const BlockListView& list,
                                    const PartitionList& partitions, const Residuals& residuals,
                                    int place, const NodeEntries& entries) {
  const PartitionGrid& grid = partitions.grid;
  auto pixel_of = [&](const int16_t* residual, const Partition& p, int k) {
    const int i = k >> p.log2_width, j = k & ((1 << p.log2_width) - 1);
    return residual + (((p.y << p.log2_height) + i) << grid.log2_width) + (p.x << p.log2_width) + j;
  };
  auto finish = [&](uint32_t entry, int32_t norm) {
    list.norms[entry] = norm;
    list.best[entry] = ~0ull;
  };
  // A thread a block.
  constexpr int kLog2MostSmall = 4;
  int small = 0;
  for (int r = 1; r <= min(kLog2MostSmall, grid.log2_pixels()); ++r) small += grid.RoundSize(r);
  const int16_t* own = residuals.At(place, grid);
  for (int k = share.first; k < small; k += share.stride) {
    const PartitionInfo info = partitions[k];
    const Partition p = info.partition();
    const int level = info.level();
    int16_t* content = list.contents + entries.ContentAt(grid, place, level, p);
    int32_t norm = 0;
    // Pixels `at` and `at` + 1, which are side by side, or one above the other.
    auto pair = [&](int at) {
      const int16_t* first = pixel_of(own, p, at);
      const short2 values = p.log2_width > 0 ? *reinterpret_cast<const short2*>(first)
                                             : make_short2(first[0], first[1 << grid.log2_width]);
      norm += values.x * values.x + values.y * values.y;
      return values;
    };
    if (p.log2_pixels() == 1) {
      *reinterpret_cast<short2*>(content) = pair(0);
    } else {
#pragma unroll 2
      for (int at = 0; at < 1 << p.log2_pixels(); at += 4) {
        const short2 a = pair(at), b = pair(at + 2);
        *reinterpret_cast<short4*>(content + at) = make_short4(a.x, a.y, b.x, b.y);
      }
    }
    finish(entries.At(grid, place, level, p), norm);
  }
  // A warp a block.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int large = partitions.size() - small;
  for (int i = warp; i < large * residuals.count(); i += warps) {
    const int of = i / large;
    const PartitionInfo info = partitions[small + i - of * large];
    const Partition p = info.partition();
    const int level = info.level();
    const int16_t* residual = residuals.At(of, grid);
    int16_t* content = list.contents + entries.ContentAt(grid, of, level, p);
    int32_t norm = 0;
    for (int k = lane; k < 1 << p.log2_pixels(); k += 32) {
      const int16_t a = *pixel_of(residual, p, k);
      norm += a * a;
      content[k] = a;
    }
    norm = WarpSum(norm);
    if (lane == 0) finish(entries.At(grid, of, level, p), norm);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BLOCK_LIST_CUH_
