// The best residual tree of a block whose sub-blocks are matched: pruned from the pixels up.
#ifndef MMP_CUDA_KERNELS_RESIDUAL_TREE_CUH_
#define MMP_CUDA_KERNELS_RESIDUAL_TREE_CUH_

#include <cstdint>

#include "codec/dictionary/matcher.h"
#include "codec/rdo/decision_rules.h"
#include "codec/rdo/symbol_costs.h"
#include "cuda/kernels/block_list.cuh"
#include "cuda/kernels/registers.cuh"
#include "cuda/kernels/tables.cuh"
#include "cuda/kernels/warp.cuh"
#include "cuda/schedule/search_arguments.h"
#include "cuda/schedule/sub_block_grid.h"

namespace mmp::cuda {

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

// Some residual blocks of one level, whose trees a block of threads prunes together; as one thread
// of its `share` of one of them sees it.
struct ResidualTrees {
  Share share;
  const BlockListView& list;
  const MacroblockInput& input;
  const DeviceCosts& device_costs;
  const SubBlockList& sub_blocks;
  const NodeEntries& entries;  // of their node,
  int place;                   // and which of them this is
  int slack_q4;                // SpeedFeatures::residual_slack_q4
  // Of this tree, by sub-block:
  int32_t* costs;  // the least
  uint8_t* flags;  // the decision, a ResidualFlag; not at the root
  int32_t* norms;  // scratch if slack_q4 > 0

  // All threads of the block: prunes the trees from the pixels up, residual(k) being pixel k.
  // Leaves `costs` and `flags`; the result is valid where share.first is 0.
  template <typename Residual>
  __device__ __forceinline__ RootCosts Prune(Residual residual) const {
    ReadMatches(residual);
    SyncAll();
    RootCosts root{kImpossible, kImpossible, kImpossible};
    int first = 0;
    for (int r = 1; r <= sub_blocks.grid.log2_pixels(); ++r) {
      const int last = first + sub_blocks.grid.RoundSize(r);
      for (int k = first + share.first; k < last; k += share.stride) Decide(sub_blocks[k], r, root);
      first = last;
      SyncAll();
    }
    // A block of one pixel is its own root.
    if (sub_blocks.grid.log2_pixels() == 0) root.pattern = costs[0];
    return root;
  }

 private:
  __device__ __forceinline__ static void SyncAll() {
    __syncwarp();  // a warp must arrive as one
    __syncthreads();
  }

  template <typename Residual>
  __device__ __forceinline__ void BeginPixels(Residual residual) const {
    const SubBlockGrid& grid = sub_blocks.grid;
    for (int k = share.first; k < grid.pixels(); k += share.stride) {
      const int at = (k >> grid.log2_width) * grid.columns() + (k & ((1 << grid.log2_width) - 1));
      const int value = residual(k);
      costs[at] = device_costs.pixel_cost[value + 255];
      flags[at] = kPattern;
      if (slack_q4 > 0) norms[at] = value * value;
    }
  }

  // The cost of each sub-block by one pattern, some loads at a time; pixels while they are under
  // way.
  template <typename Residual>
  __device__ __forceinline__ void ReadMatches(Residual residual) const {
    const int32_t* index_costs =
        device_costs.lambda.lossless()
            ? reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(&input) +
                                               input.index_costs)
            : nullptr;
    const int count = sub_blocks.size();
    int k = share.first;
    do {
      unsigned long long best[kPruningLoads];
#pragma unroll
      for (int b = 0; b < kPruningLoads; ++b) {
        if (k + share.stride * b < count) {
          const SubBlockInfo info = sub_blocks[k + share.stride * b];
          best[b] =
              list.best[entries.first[info.level()] +
                        NumberInNode(sub_blocks.grid, place, info.log2_pixels(), info.number())];
        }
      }
      if (k == share.first) BeginPixels(residual);
#pragma unroll
      for (int b = 0; b < kPruningLoads; ++b) {
        if (k + share.stride * b < count) {
          const SubBlockInfo info = sub_blocks[k + share.stride * b];
          const int32_t* level_costs =
              index_costs == nullptr ? nullptr : index_costs + input.block.first_bias[info.level()];
          costs[info.index()] = ReadMatch(best[b], level_costs).cost;
        }
      }
      k += share.stride * kPruningLoads;
    } while (k < count);
  }

  // The decision at a sub-block of 2^r pixels, whose parts are decided; of the whole block, `root`.
  __device__ __forceinline__ void Decide(SubBlockInfo info, int r, RootCosts& root) const {
    const int at = info.index(), level = info.level();
    const int32_t pattern = costs[at];
    int32_t split[2];
#pragma unroll
    for (int s = 0; s < 2; ++s) split[s] = SplitCost(info, r, s, pattern);
    const RootCosts decisions{pattern, split[0], split[1]};
    if (r == sub_blocks.grid.log2_pixels()) {
      root = decisions;
      return;
    }
    const ResidualDecision best =
        DecideResidual(decisions, device_costs.residual_flag_costs[level]);
    costs[at] = best.cost;
    flags[at] = best.flag;
  }

  // The cost of split `s`; kImpossible if there is none, or none that is tried.
  __device__ __forceinline__ int32_t SplitCost(SubBlockInfo info, int r, int s,
                                               int32_t pattern) const {
    const int half = info.FirstHalf(s);
    if (half == SubBlockInfo::kNone) return kImpossible;
    const int other = sub_blocks.SecondHalf(s, half);
    if (slack_q4 > 0) {
      norms[info.index()] = norms[half] + norms[other];
      const int half_level = LevelAt(info.log2_height() - s, info.log2_width() - 1 + s);
      auto least_half = [&](int32_t norm) {
        return LeastCost(device_costs.cheapest_residuals[half_level], kDistortionScale * norm,
                         device_costs.lambda.lossless());
      };
      const int64_t least = int64_t{device_costs.split_margin[info.level()][s]} +
                            least_half(norms[half]) + least_half(norms[other]);
      if (!IsAlwaysSplit(r) && IsGoodEnoughWhole(pattern, least, slack_q4)) return kImpossible;
    }
    return costs[half] + costs[other];
  }
};

// The leaf that covers pixel (y, x) of a block whose root decision is `root`, and the way to it.
struct LeafPlace {
  SubBlock sub_block;
  uint32_t path, length;  // as in PixelChoice
};

__device__ inline LeafPlace FindLeaf(SubBlockGrid grid, const uint8_t* flags, uint32_t root, int y,
                                     int x) {
  LeafPlace leaf{{grid.log2_height, grid.log2_width, 0, 0}, 0, 0};
  SubBlock& p = leaf.sub_block;
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

#endif  // MMP_CUDA_KERNELS_RESIDUAL_TREE_CUH_
