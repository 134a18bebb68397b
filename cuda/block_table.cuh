// Numbers the distinct residual blocks of a macroblock, so that each is matched once.
//
// A block of two pixels or more is the pair of its halves (left and right, or top and bottom of a
// column). Equal blocks have equal halves, so a pair of ids is an exact key: contents are never
// compared. A single pixel's id is its value + 255.
#ifndef MMP_CUDA_BLOCK_TABLE_CUH_
#define MMP_CUDA_BLOCK_TABLE_CUH_

#include <cstdint>

#include "cuda/partition_grid.cuh"
#include "cuda/search_arguments.h"
#include "cuda/tables.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

inline constexpr int kIdBits = 23;
inline constexpr uint32_t kNewBlock = 1u << 31;  // flag on an id: entered just now
inline constexpr int kStampShift = 2 * kIdBits;
inline constexpr uint32_t kMostStamps = 1u << (64 - kStampShift);

// The slot of `key` in a level's part of the table; `added` tells if it was not there. Other threads
// may be adding too; the table is never full.
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

// One warp: finds the id of every partition of a residual block, ids[partition], with kNewBlock where
// it was not known.
__device__ inline void NumberPartitions(const BlockTableView& table, PartitionGrid grid,
                                        uint32_t stamp, const int16_t* residual, uint32_t* ids,
                                        SearchCounters* counters) {
  const int lane = threadIdx.x & 31;
  for (int k = lane; k < grid.pixels(); k += 32) {
    const int y = k >> grid.log2_width, x = k & ((1 << grid.log2_width) - 1);
    ids[grid.Index(0, y, 0, x)] = static_cast<uint32_t>(residual[k] + 255);
  }
  __syncwarp();
  constexpr int kBatch = 4;  // look-ups under way at a time
  for (int r = 1; r <= grid.log2_pixels(); ++r) {
    const int count = grid.RoundSize(r);
    for (int k = lane; k < count; k += 32 * kBatch) {
      uint64_t key[kBatch], seen[kBatch];
      uint32_t slot[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (k + 32 * b >= count) break;
        const Partition p = grid.Round(r, k + 32 * b);
        const bool vertical = p.log2_width > 0;
        const int level = LevelAt(p.log2_height, p.log2_width);
        key[b] = static_cast<uint64_t>(stamp) << kStampShift |
                 static_cast<uint64_t>(ids[grid.Half(p, vertical, 0)] & ~kNewBlock) << kIdBits |
                 (ids[grid.Half(p, vertical, 1)] & ~kNewBlock);
        if (table.reuse) {
          slot[b] = FirstSlot(key[b], table.log2_slots[level]);
          seen[b] = *reinterpret_cast<volatile uint64_t*>(table.keys + table.first_slot[level] +
                                                          slot[b]);
        }
      }
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (k + 32 * b >= count) break;
        const Partition p = grid.Round(r, k + 32 * b);
        const int level = LevelAt(p.log2_height, p.log2_width);
        bool added = true;
        if (table.reuse)
          slot[b] = FindOrAdd(table.keys + table.first_slot[level], table.log2_slots[level], key[b],
                              seen[b], slot[b], added);
        else
          slot[b] = atomicAdd(&counters->unshared[level], 1);
        ids[grid.Index(p)] = slot[b] | (added ? kNewBlock : 0);
      }
    }
    __syncwarp();
  }
}

// Pixel `k` of a partition, of a block of 2^log2_width columns.
__device__ inline int16_t PartitionPixel(const int16_t* residual, int log2_width,
                                         const Partition& p, int k) {
  const int i = k >> p.log2_width, j = k & ((1 << p.log2_width) - 1);
  return residual[(((p.y << p.log2_height) + i) << log2_width) + (p.x << p.log2_width) + j];
}

// One warp: puts the blocks that are new on the lists of what to match, and takes the flag from the
// ids.
__device__ inline void ListNewBlocks(const BlockTableView& table, PartitionGrid grid,
                                     const int16_t* residual, uint32_t* ids,
                                     SearchCounters* counters) {
  const int lane = threadIdx.x & 31;
  for (int r = 1; r <= grid.log2_pixels(); ++r) {
    const int count = grid.RoundSize(r), area = 1 << r;
    for (int first = 0; first < count; first += 32) {
      const int k = first + lane;
      const bool inside = k < count;
      const Partition p = grid.Round(r, inside ? k : 0);
      const int level = LevelAt(p.log2_height, p.log2_width);
      const int at = grid.Index(p);
      const uint32_t id = ids[at];
      const bool is_new = inside && (id & kNewBlock) != 0;
      const uint32_t news = __ballot_sync(kAllLanes, is_new);
      if (news == 0) continue;
      const uint32_t peers = __match_any_sync(kAllLanes, is_new ? level : 32 + lane);
      const int leader = __ffs(peers) - 1;
      uint32_t entry = 0;
      if (is_new && lane == leader) entry = atomicAdd(&counters->entries[level], __popc(peers));
      entry = __shfl_sync(kAllLanes, entry, leader) + __popc(peers & ((1u << lane) - 1));
      if (is_new) {
        const uint32_t slot = id & ~kNewBlock;
        ids[at] = slot;
        table.slots[table.first_entry[level] + entry] = slot;
        table.best[table.first_slot[level] + slot] = ~0ull;
      }
      int32_t norm = 0;
      if (r <= 4) {  // a lane a block
        if (is_new) {
          int16_t* content = table.contents + table.first_content[level] + (entry << r);
          for (int i = 0; i < area; i += 2) {
            const int16_t a = PartitionPixel(residual, grid.log2_width, p, i);
            const int16_t b = PartitionPixel(residual, grid.log2_width, p, i + 1);
            norm += a * a + b * b;
            *reinterpret_cast<short2*>(content + i) = make_short2(a, b);
          }
          table.norms[table.first_entry[level] + entry] = norm;
        }
      } else {  // a warp a block
        for (uint32_t rest = news; rest != 0; rest &= rest - 1) {
          const int from = __ffs(rest) - 1;
          const Partition q = grid.Round(r, first + from);
          const int q_level = LevelAt(q.log2_height, q.log2_width);
          const uint32_t q_entry = __shfl_sync(kAllLanes, entry, from);
          int16_t* content = table.contents + table.first_content[q_level] + (q_entry << r);
          norm = 0;
          for (int i = lane; i < area; i += 32) {
            const int16_t a = PartitionPixel(residual, grid.log2_width, q, i);
            norm += a * a;
            content[i] = a;
          }
          norm = WarpSum(norm);
          if (lane == 0) table.norms[table.first_entry[q_level] + q_entry] = norm;
        }
      }
    }
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BLOCK_TABLE_CUH_
