// Numbers the distinct residual blocks of a macroblock, so that each is matched once.
//
// A block of two or four pixels is its pixels, a larger one the pair of its halves. Equal blocks
// have equal halves, so a pair of ids is an exact key: contents are never compared. A single
// pixel's id is its value + 255.
#ifndef MMP_CUDA_BLOCK_TABLE_CUH_
#define MMP_CUDA_BLOCK_TABLE_CUH_

#include <algorithm>
#include <cstdint>

#include "cuda/partition_grid.h"
#include "cuda/search_arguments.h"
#include "cuda/tables.cuh"
#include "cuda/team.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

inline constexpr int kIdBits = 23;
inline constexpr int kStampShift = 2 * kIdBits;
inline constexpr uint32_t kMostStamps = 1u << (64 - kStampShift);

// The slot of `key` in a level's part of the table; `added` tells if it was not there. Other
// threads may be adding too; the table is never full.
__device__ inline uint32_t FindOrAdd(uint64_t* keys, int log2_slots, uint64_t key, uint64_t first,
                                     uint32_t slot, bool& added) {
  const uint32_t mask = (1u << log2_slots) - 1;
  added = false;
  uint64_t seen = first;  // what was in `slot` a moment ago
  for (;;) {
    if (seen == key) return slot;
    if (seen >> kStampShift != key >> kStampShift) {
      const uint64_t before =
          atomicCAS(reinterpret_cast<unsigned long long*>(keys + slot), seen, key);
      if (before == seen) {
        added = true;
        return slot;
      }
      seen = before;
      continue;
    }
    slot = (slot + 1) & mask;
    seen = *reinterpret_cast<volatile uint64_t*>(keys + slot);
  }
}

__device__ inline uint32_t FirstSlot(uint64_t key, int log2_slots) {
  return static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> (64 - log2_slots));
}

// The blocks that some residual blocks of one level had and no other before: see NumberPartitions.
struct NewBlocks {
  static constexpr int kMost =
      std::max(kMostModesSearched * 31 * 15, kMostMacroblockModesTogether * 31 * 31);

  uint32_t of_level[kLevelCount];  // how many; from ListNewBlocks on, the first entry
  uint32_t small, large;           // how many of up to 16 pixels, and of more
  uint32_t roots;                  // bit n: residual n as a whole is one of them
  // The small from the begin on, the large from the end down: rank among those of the level << 15 |
  // residual << 10 | number of the partition in the PartitionList.
  uint32_t list[kMost];

  __device__ static uint32_t LargePlace(uint32_t i) { return kMost - 1 - i; }
};

// The partitions of a residual block's level, in rounds.
struct PartitionList {
  PartitionGrid grid;
  const uint64_t* infos;

  __device__ PartitionInfo operator[](int k) const { return PartitionInfo(infos[k]); }
  // Index of the second half of a cut whose first half is at `first`.
  __device__ int SecondHalf(int split, int first) const {
    return first + (split == 0 ? 1 : grid.columns());
  }
};

// Pixel `k` of a partition, of a block of 2^log2_width columns.
__device__ inline int16_t PartitionPixel(const int16_t* residual, int log2_width,
                                         const Partition& p, int k) {
  const int i = k >> p.log2_width, j = k & ((1 << p.log2_width) - 1);
  return residual[(((p.y << p.log2_height) + i) << log2_width) + (p.x << p.log2_width) + j];
}

// The key of a block of two or four pixels: the pixels.
__device__ inline uint64_t ContentKey(PartitionInfo info, int log2_width, const int16_t* residual) {
  const Partition p = info.partition();
  uint64_t key = 0;
  for (int k = 0; k < 1 << p.log2_pixels(); ++k)
    key = key << 9 | static_cast<uint32_t>(PartitionPixel(residual, log2_width, p, k) + 255);
  return key;
}

// The key of a larger block: its halves, left and right or, of a column, top and bottom.
__device__ inline uint64_t HalvesKey(PartitionInfo info, const PartitionList& partitions,
                                     const uint32_t* ids) {
  const int split = info.FirstHalf(0) != PartitionInfo::kNone ? 0 : 1;
  const int half = info.FirstHalf(split);
  return static_cast<uint64_t>(ids[half]) << kIdBits | ids[partitions.SecondHalf(split, half)];
}

__device__ inline int PartitionsUpToFourPixels(const PartitionGrid& grid) {
  return (grid.log2_pixels() >= 1 ? grid.RoundSize(1) : 0) +
         (grid.log2_pixels() >= 2 ? grid.RoundSize(2) : 0);
}

__device__ inline bool IsSmall(PartitionInfo info) { return info.partition().log2_pixels() <= 4; }

// All threads of a block: find the id of every partition of some residual blocks of one level,
// ids[partition], and those that are new. This thread works on residual number `number`, whose
// pixels and ids are given, and takes `share` of it.
__device__ inline void NumberPartitions(Share share, const BlockTableView& table,
                                        const PartitionList& partitions, uint32_t stamp, int number,
                                        const int16_t* residual, uint32_t* ids,
                                        NewBlocks& new_blocks, SearchCounters* counters) {
  const PartitionGrid& grid = partitions.grid;
  if (threadIdx.x < kLevelCount) new_blocks.of_level[threadIdx.x] = 0;
  if (threadIdx.x == 0) new_blocks.small = new_blocks.large = new_blocks.roots = 0;
  for (int k = share.first; k < grid.pixels(); k += share.stride) {
    const int y = k >> grid.log2_width, x = k & ((1 << grid.log2_width) - 1);
    ids[y * grid.columns() + x] = static_cast<uint32_t>(residual[k] + 255);
  }
  __syncthreads();
  constexpr int kBatch = 4;  // look-ups under way at a time
  const int count = grid.size() - grid.pixels();
  int first = 0;
  for (int r = 2; first < count; ++r) {
    // Blocks of two and of four pixels need no other block's id: they go together.
    const int last = first + (r == 2 ? PartitionsUpToFourPixels(grid) : grid.RoundSize(r));
    for (int k = first + share.first; k < last; k += share.stride * kBatch) {
      PartitionInfo info[kBatch];
      uint64_t key[kBatch], seen[kBatch];
      uint32_t slot[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (k + share.stride * b < last) {
          info[b] = partitions[k + share.stride * b];
          const int level = info[b].level();
          key[b] = static_cast<uint64_t>(stamp) << kStampShift |
                   (r == 2 ? ContentKey(info[b], grid.log2_width, residual)
                           : HalvesKey(info[b], partitions, ids));
          if (table.reuse) {
            slot[b] = FirstSlot(key[b], table.log2_slots[level]);
            seen[b] = *reinterpret_cast<volatile uint64_t*>(table.keys + table.first_slot[level] +
                                                            slot[b]);
          }
        }
      }
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        const int partition = k + share.stride * b;
        if (partition < last) {
          const int level = info[b].level();
          bool added = true;
          if (table.reuse)
            slot[b] = FindOrAdd(table.keys + table.first_slot[level], table.log2_slots[level],
                                key[b], seen[b], slot[b], added);
          else
            slot[b] = atomicAdd(&counters->unshared[level], 1);
          ids[info[b].index()] = slot[b];
          if (added) {
            const uint32_t rank = atomicAdd(&new_blocks.of_level[level], 1);
            const uint32_t place = IsSmall(info[b])
                                       ? atomicAdd(&new_blocks.small, 1)
                                       : NewBlocks::LargePlace(atomicAdd(&new_blocks.large, 1));
            new_blocks.list[place] = rank << 15 | number << 10 | partition;
            if (partition == count - 1) atomicOr(&new_blocks.roots, 1u << number);
          }
        }
      }
    }
    first = last;
    __syncthreads();
  }
}

// How many of the bits of a mask are below bit n.
__device__ inline int PlaceInMask(uint32_t mask, int n) { return __popc(mask & ((1u << n) - 1)); }

// All threads of a block, after all have numbered: put the new blocks on the lists of what to
// match. At `residuals` are the pixels of the residuals in the mask `present`, at `ids` the ids of
// those in `numbered`, one behind the other.
__device__ inline void ListNewBlocks(const BlockTableView& table, const PartitionList& partitions,
                                     const int16_t* residuals, uint32_t present, uint32_t numbered,
                                     const uint32_t* ids, NewBlocks& new_blocks,
                                     SearchCounters* counters) {
  const PartitionGrid& grid = partitions.grid;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (const int level = threadIdx.x; level < kLevelCount && new_blocks.of_level[level] > 0)
    new_blocks.of_level[level] = atomicAdd(&counters->entries[level], new_blocks.of_level[level]);
  __syncthreads();
  // What is on the list at `i`: its place among the contents, its pixels.
  struct Entry {
    uint32_t number;  // among the level's
    int level;
    Partition partition;
    const int16_t* residual;
    int16_t* content;
  };
  auto enter = [&](uint32_t i, bool leader) {
    const uint32_t item = new_blocks.list[i];
    const uint32_t residual = item >> 10 & 31;
    const PartitionInfo info = partitions[item & 1023];
    Entry entry;
    entry.level = info.level();
    entry.number = new_blocks.of_level[entry.level] + (item >> 15);
    entry.partition = info.partition();
    entry.residual = residuals + (PlaceInMask(present, residual) << grid.log2_pixels());
    entry.content = table.contents + table.first_content[entry.level] +
                    (entry.number << entry.partition.log2_pixels());
    if (leader) {
      const uint32_t slot = ids[PlaceInMask(numbered, residual) * grid.size() + info.index()];
      table.slots[table.first_entry[entry.level] + entry.number] = slot;
      table.best[table.first_slot[entry.level] + slot] = ~0ull;
    }
    return entry;
  };
  for (uint32_t i = threadIdx.x; i < new_blocks.small; i += blockDim.x) {  // a thread a block
    const Entry e = enter(i, true);
    int32_t norm = 0;
    for (int k = 0; k < 1 << e.partition.log2_pixels(); k += 2) {
      const int16_t a = PartitionPixel(e.residual, grid.log2_width, e.partition, k);
      const int16_t b = PartitionPixel(e.residual, grid.log2_width, e.partition, k + 1);
      norm += a * a + b * b;
      *reinterpret_cast<short2*>(e.content + k) = make_short2(a, b);
    }
    table.norms[table.first_entry[e.level] + e.number] = norm;
  }
  for (uint32_t i = warp; i < new_blocks.large; i += warps) {  // a warp a block
    const Entry e = enter(NewBlocks::LargePlace(i), lane == 0);
    int32_t norm = 0;
    for (int k = lane; k < 1 << e.partition.log2_pixels(); k += 32) {
      const int16_t a = PartitionPixel(e.residual, grid.log2_width, e.partition, k);
      norm += a * a;
      e.content[k] = a;
    }
    norm = WarpSum(norm);
    if (lane == 0) table.norms[table.first_entry[e.level] + e.number] = norm;
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BLOCK_TABLE_CUH_
