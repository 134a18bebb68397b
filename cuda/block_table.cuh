// Numbers the distinct residual blocks of a macroblock, so that each is matched once.
//
// A block of two or four pixels is its pixels, a larger one the pair of its halves. Equal blocks
// have equal halves, so a pair of ids is an exact key: contents are never compared. A single
// pixel's id is its value + 255.
#ifndef MMP_CUDA_BLOCK_TABLE_CUH_
#define MMP_CUDA_BLOCK_TABLE_CUH_

#include <cstdint>

#include "cuda/partition_grid.h"
#include "cuda/search_arguments.h"
#include "cuda/tables.cuh"
#include "cuda/team.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

inline constexpr int kIdBits = 23;
inline constexpr uint32_t kNewBlock = 1u << 31;  // flag on an id: entered just now
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

// Ids of partitions while they are found: the slot, with kNewBlock and the block's rank among the
// team's new blocks of its level if it was not known.
inline constexpr int kRankShift = kIdBits;
inline constexpr uint32_t kSlotMask = (1u << kIdBits) - 1;

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
  return static_cast<uint64_t>(ids[half] & kSlotMask) << kIdBits |
         (ids[partitions.SecondHalf(split, half)] & kSlotMask);
}

__device__ inline int PartitionsUpToFourPixels(const PartitionGrid& grid) {
  return (grid.log2_pixels() >= 1 ? grid.RoundSize(1) : 0) +
         (grid.log2_pixels() >= 2 ? grid.RoundSize(2) : 0);
}

// A team: finds the id of every partition of a residual block, ids[partition]; new_blocks[level]
// counts those that are new.
__device__ inline void NumberPartitions(const Team& team, const BlockTableView& table,
                                        const PartitionList& partitions, uint32_t stamp,
                                        const int16_t* residual, uint32_t* ids,
                                        uint32_t* new_blocks, SearchCounters* counters) {
  const PartitionGrid& grid = partitions.grid;
  if (team.thread < kLevelCount) new_blocks[team.thread] = 0;
  for (int k = team.thread; k < grid.pixels(); k += team.threads) {
    const int y = k >> grid.log2_width, x = k & ((1 << grid.log2_width) - 1);
    ids[y * grid.columns() + x] = static_cast<uint32_t>(residual[k] + 255);
  }
  team.Sync();
  constexpr int kBatch = 4;  // look-ups under way at a time
  int first = 0;
  for (int r = 2; r <= max(2, grid.log2_pixels()); ++r) {
    // Blocks of two and of four pixels need no other block's id: they go together.
    const int last = first + (r == 2 ? PartitionsUpToFourPixels(grid) : grid.RoundSize(r));
    for (int k = first + team.thread; k < last; k += team.threads * kBatch) {
      PartitionInfo info[kBatch];
      uint64_t key[kBatch], seen[kBatch];
      uint32_t slot[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (k + team.threads * b < last) {
          info[b] = partitions[k + team.threads * b];
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
        if (k + team.threads * b < last) {
          const int level = info[b].level();
          bool added = true;
          if (table.reuse)
            slot[b] = FindOrAdd(table.keys + table.first_slot[level], table.log2_slots[level],
                                key[b], seen[b], slot[b], added);
          else
            slot[b] = atomicAdd(&counters->unshared[level], 1);
          if (added) slot[b] |= kNewBlock | atomicAdd(&new_blocks[level], 1) << kRankShift;
          ids[info[b].index()] = slot[b];
        }
      }
    }
    first = last;
    team.Sync();
  }
}

// A team: puts the blocks that are new on the lists of what to match, and leaves plain slots in
// `ids`.
__device__ inline void ListNewBlocks(const Team& team, const BlockTableView& table,
                                     const PartitionList& partitions, const int16_t* residual,
                                     uint32_t* ids, uint32_t* new_blocks,
                                     SearchCounters* counters) {
  const PartitionGrid& grid = partitions.grid;
  const int lane = threadIdx.x & 31;
  // From here on new_blocks[level] is where the team's entries begin.
  if (const int level = team.thread; level < kLevelCount && new_blocks[level] != 0)
    new_blocks[level] = atomicAdd(&counters->entries[level], new_blocks[level]);
  team.Sync();
  int first = 0;
  for (int r = 1; r <= grid.log2_pixels(); ++r) {
    const int last = first + grid.RoundSize(r), area = 1 << r;
    for (int begin = first + 32 * team.warp(); begin < last; begin += team.threads) {
      const int k = begin + lane;
      bool is_new = false;
      PartitionInfo info;
      uint32_t entry = 0;
      if (k < last) {
        info = partitions[k];
        const uint32_t id = ids[info.index()], slot = id & kSlotMask;
        is_new = (id & kNewBlock) != 0;
        if (is_new) {
          const int level = info.level();
          entry = new_blocks[level] + (id >> kRankShift & 255);
          ids[info.index()] = slot;
          table.slots[table.first_entry[level] + entry] = slot;
          table.best[table.first_slot[level] + slot] = ~0ull;
        }
      }
      if (r <= 4) {  // a lane a block
        if (is_new) {
          const Partition p = info.partition();
          const int level = info.level();
          int16_t* content = table.contents + table.first_content[level] + (entry << r);
          int32_t norm = 0;
          for (int i = 0; i < area; i += 2) {
            const int16_t a = PartitionPixel(residual, grid.log2_width, p, i);
            const int16_t b = PartitionPixel(residual, grid.log2_width, p, i + 1);
            norm += a * a + b * b;
            *reinterpret_cast<short2*>(content + i) = make_short2(a, b);
          }
          table.norms[table.first_entry[level] + entry] = norm;
        }
        continue;
      }
      // A warp a block.
      for (uint32_t rest = __ballot_sync(kAllLanes, is_new); rest != 0; rest &= rest - 1) {
        const int from = __ffs(rest) - 1;
        const PartitionInfo shared_info = partitions[begin + from];
        const Partition p = shared_info.partition();
        const int level = shared_info.level();
        const uint32_t shared_entry = __shfl_sync(kAllLanes, entry, from);
        int16_t* content = table.contents + table.first_content[level] + (shared_entry << r);
        int32_t norm = 0;
        for (int i = lane; i < area; i += 32) {
          const int16_t a = PartitionPixel(residual, grid.log2_width, p, i);
          norm += a * a;
          content[i] = a;
        }
        norm = WarpSum(norm);
        if (lane == 0) table.norms[table.first_entry[level] + shared_entry] = norm;
      }
    }
    first = last;
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BLOCK_TABLE_CUH_
