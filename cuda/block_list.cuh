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

// The blocks of some residuals of one level. Those of level l begin with entry first[l] of the
// list: the first residual's, row by row, behind them the next one's.
struct NodeEntries {
  uint32_t first[kLevelCount];

  // Of partition `p` of the residual at `place`.
  __device__ uint32_t At(const PartitionGrid& grid, int place, int level,
                         const Partition& p) const {
    return first[level] + (place << (grid.log2_pixels() - p.log2_pixels())) +
           (p.y << (grid.log2_width - p.log2_width)) + p.x;
  }
};

// Threads 0 to kLevelCount - 1 of a block: take the entries of `count` residuals.
__device__ inline void TakeEntries(const PartitionGrid& grid, int count, SearchCounters* counters,
                                   NodeEntries& entries) {
  const int level = threadIdx.x;
  const LevelShape shape = ShapeOfLevel(level);
  const int log2_pixels = shape.log2_pixels();
  const bool inside = log2_pixels > 0 && shape.log2_height <= grid.log2_height &&
                      shape.log2_width <= grid.log2_width;
  entries.first[level] =
      inside ? atomicAdd(&counters->entries[level], count << (grid.log2_pixels() - log2_pixels))
             : 0;
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
  auto pixel = [&](const int16_t* residual, const Partition& p, int k) {
    const int i = k >> p.log2_width, j = k & ((1 << p.log2_width) - 1);
    return residual[(((p.y << p.log2_height) + i) << grid.log2_width) + (p.x << p.log2_width) + j];
  };
  auto finish = [&](int level, uint32_t entry, int32_t norm) {
    list.norms[list.first_entry[level] + entry] = norm;
    list.best[list.first_entry[level] + entry] = ~0ull;
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
    const uint32_t entry = entries.At(grid, place, level, p);
    int16_t* content = list.contents + list.first_content[level] + (entry << p.log2_pixels());
    int32_t norm = 0;
    for (int at = 0; at < 1 << p.log2_pixels(); at += 2) {
      const int16_t a = pixel(own, p, at), b = pixel(own, p, at + 1);
      norm += a * a + b * b;
      *reinterpret_cast<short2*>(content + at) = make_short2(a, b);
    }
    finish(level, entry, norm);
  }
  // A warp a block.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int large = partitions.size() - small;
  for (int i = warp; i < large * residuals.count(); i += warps) {
    const int of = i / large;
    const PartitionInfo info = partitions[small + i - of * large];
    const Partition p = info.partition();
    const int level = info.level();
    const uint32_t entry = entries.At(grid, of, level, p);
    const int16_t* residual = residuals.At(of, grid);
    int16_t* content = list.contents + list.first_content[level] + (entry << p.log2_pixels());
    int32_t norm = 0;
    for (int k = lane; k < 1 << p.log2_pixels(); k += 32) {
      const int16_t a = pixel(residual, p, k);
      norm += a * a;
      content[k] = a;
    }
    norm = WarpSum(norm);
    if (lane == 0) finish(level, entry, norm);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BLOCK_LIST_CUH_
