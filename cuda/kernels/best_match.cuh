// The cheapest pattern of a residual block, as far as it has been matched.
#ifndef MMP_CUDA_KERNELS_BEST_MATCH_CUH_
#define MMP_CUDA_KERNELS_BEST_MATCH_CUH_

#include <cstdint>

#include "codec/dictionary/matcher.h"
#include "cuda/kernels/warp.cuh"
#include "cuda/schedule/search_arguments.h"

namespace mmp::cuda {

// Some blocks of a level, and some of its patterns.
struct MatchItem {
  int level;
  uint32_t first_block, blocks;      // entries of the level's list
  uint32_t first_pattern, patterns;  // a multiple of kPatternGroup each
};

// The least cost of one block so far, and its index.
struct BestMatch {
  int32_t cost = INT32_MAX;
  uint32_t index = 0;

  // Indices must come in ascending order.
  __device__ void Take(int32_t new_cost, uint32_t new_index) {
    if (new_cost < cost) {
      cost = new_cost;
      index = new_index;
    }
  }
  // In any order.
  __device__ void Merge(BestMatch other) {
    if (other.cost < cost || (other.cost == cost && other.index < index)) *this = other;
  }
  __device__ BestMatch OfLane(int lane_distance) const {
    return {__shfl_xor_sync(kAllLanes, cost, lane_distance),
            __shfl_xor_sync(kAllLanes, index, lane_distance)};
  }
};

// `norm`: the block's, loaded before it is needed.
__device__ inline void StoreBest(const BlockListView& list, int level, uint32_t block, int32_t norm,
                                 BestMatch best) {
  const uint32_t cost = best.cost + kDistortionScale * norm;
  atomicMin(list.best + list.first_entry[level] + block,
            static_cast<unsigned long long>(cost) << 32 | best.index);
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_BEST_MATCH_CUH_
