// The best residual tree of a block whose partitions are matched: pruned from the pixels up.
#ifndef MMP_CUDA_RESIDUAL_TREE_CUH_
#define MMP_CUDA_RESIDUAL_TREE_CUH_

#include <cstdint>

#include "codec/matcher.h"
#include "codec/search_rates.h"
#include "cuda/block_list.cuh"
#include "cuda/partition_grid.h"
#include "cuda/registers.cuh"
#include "cuda/search_arguments.h"
#include "cuda/tables.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// Least costs by the decision at the root, without its flag: see RootCosts.
struct TreeCosts {
  int32_t pattern, vertical, horizontal;
};

// The least that a residual tree of a block can cost: see LeastCost::Residual.
__device__ inline int32_t LeastResidual(const SearchPrices& prices, int level,
                                        int32_t scaled_norm) {
  const int32_t zero = prices.least_zero[level], other = prices.least_other[level];
  if (prices.lambda.lossless()) return scaled_norm == 0 ? min(zero, other) : other;
  return min(zero + scaled_norm, other);
}

// What the search knows of a matched block.
struct PatternMatch {
  int32_t cost;
  uint32_t index;
};

// A match as the table holds it; `index_costs`: of the block's level, in lossless coding.
__device__ inline PatternMatch ReadMatch(unsigned long long best, const int32_t* index_costs) {
  const int32_t cost = static_cast<int32_t>(best >> 32);
  const uint32_t index = static_cast<uint32_t>(best);
  if (index_costs == nullptr) return {cost, index};
  return {cost == 0 ? index_costs[index] : kImpossible, index};
}

// All threads of a block: the costs at the roots of the trees of some residual blocks of one level.
// This thread takes `share` of the one at `place` in `entries`, whose pixels residual(k) tells and
// whose arrays are given. The result is valid where share.first is 0. Leaves in costs[partition]
// each partition's least cost and in flags[partition] the decision there (a ResidualFlag; not at
// the root). If slack_q4 > 0, `norms` is scratch as large as `costs`.
template <typename Residual>
__device__ inline TreeCosts PruneResidualTrees(
    Share share, const BlockListView& list, const MacroblockInput& input,
    const SearchPrices& prices, const PartitionList& partitions, const NodeEntries& entries,
    int place, Residual residual, int slack_q4, int32_t* costs, uint8_t* flags, int32_t* norms) {
  const PartitionGrid& grid = partitions.grid;
  const int32_t* index_costs = prices.lambda.lossless()
                                   ? reinterpret_cast<const int32_t*>(
                                         reinterpret_cast<const char*>(&input) + input.index_costs)
                                   : nullptr;
  auto begin_pixels = [&] {
    for (int k = share.first; k < grid.pixels(); k += share.stride) {
      const int at = (k >> grid.log2_width) * grid.columns() + (k & ((1 << grid.log2_width) - 1));
      const int value = residual(k);
      costs[at] = prices.pixel_cost[value + 255];
      flags[at] = kPattern;
      if (slack_q4 > 0) norms[at] = value * value;
    }
  };
  const int count = partitions.size();
  int k = share.first;
  do {
    unsigned long long best[kPruningLoads];
#pragma unroll
    for (int b = 0; b < kPruningLoads; ++b) {
      if (k + share.stride * b < count) {
        const PartitionInfo info = partitions[k + share.stride * b];
        best[b] = list.best[entries.first[info.level()] +
                            NumberInNode(grid, place, info.log2_pixels(), info.number())];
      }
    }
    if (k == share.first) begin_pixels();
#pragma unroll
    for (int b = 0; b < kPruningLoads; ++b) {
      if (k + share.stride * b < count) {
        const PartitionInfo info = partitions[k + share.stride * b];
        const int32_t* level_costs =
            index_costs == nullptr ? nullptr : index_costs + input.block.first_bias[info.level()];
        costs[info.index()] = ReadMatch(best[b], level_costs).cost;
      }
    }
    k += share.stride * kPruningLoads;
  } while (k < count);
  __syncwarp();  // a warp must arrive as one
  __syncthreads();
  TreeCosts root{kImpossible, kImpossible, kImpossible};
  int first = 0;
  for (int r = 1; r <= grid.log2_pixels(); ++r) {
    const int last = first + grid.RoundSize(r);
    for (int k = first + share.first; k < last; k += share.stride) {
      const PartitionInfo info = partitions[k];
      const int at = info.index(), level = info.level();
      const int32_t pattern = costs[at];
      int32_t split[2] = {kImpossible, kImpossible};
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        const int half = info.FirstHalf(s);
        if (half == PartitionInfo::kNone) continue;
        const int other = partitions.SecondHalf(s, half);
        if (slack_q4 > 0) {
          norms[at] = norms[half] + norms[other];
          const int half_level = LevelAt(info.log2_height() - s, info.log2_width() - 1 + s);
          const int64_t least = int64_t{prices.split_margin[level][s]} +
                                LeastResidual(prices, half_level, kDistortionScale * norms[half]) +
                                LeastResidual(prices, half_level, kDistortionScale * norms[other]);
          if (r > 1 && pattern <= least + (least * slack_q4 >> 4)) continue;
        }
        split[s] = costs[half] + costs[other];
      }
      if (r == grid.log2_pixels()) {
        root = {pattern, split[0], split[1]};
        continue;
      }
      int32_t best = pattern + prices.residual_flags[level][kPattern];
      uint8_t flag = kPattern;
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        const int32_t cost = split[s] + prices.residual_flags[level][kSplitVertical + s];
        if (cost < best) {
          best = cost;
          flag = static_cast<uint8_t>(kSplitVertical + s);
        }
      }
      costs[at] = best;
      flags[at] = flag;
    }
    first = last;
    __syncwarp();
    __syncthreads();
  }
  // A block of one pixel is its own root.
  if (grid.log2_pixels() == 0) root.pattern = costs[0];
  return root;
}

// The leaf that covers pixel (y, x) of a block whose root decision is `root`, and the way to it.
struct LeafPlace {
  Partition partition;
  uint32_t path, length;  // as in PixelChoice
};

__device__ inline LeafPlace FindLeaf(PartitionGrid grid, const uint8_t* flags, uint32_t root, int y,
                                     int x) {
  LeafPlace leaf{{grid.log2_height, grid.log2_width, 0, 0}, 0, 0};
  Partition& p = leaf.partition;
  for (uint32_t flag = root; flag != kPattern; flag = flags[grid.Index(p)]) {
    if (flag == kSplitVertical) {
      --p.log2_width;
    } else {
      --p.log2_height;
      leaf.path |= 1u << leaf.length;
    }
    ++leaf.length;
    p.y = y >> p.log2_height;
    p.x = x >> p.log2_width;
  }
  return leaf;
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_RESIDUAL_TREE_CUH_
