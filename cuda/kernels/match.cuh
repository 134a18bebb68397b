// Matching: the cheapest pattern of each new residual block. K1 and K2 of the reference in one:
// nothing but the least cost and its index is ever stored.
//
// J = |r|^2 + bias(d) - 2 r.d, all times kDistortionScale; bias(d) = |d|^2 + cost of d's index, and
// for small blocks with a part of d's index beside it (MatchKey). Two
// ways to the products, both exact: tensor cores on half-precision operands (integers to 255, sums
// below 2^24 in single precision), and plain integers.
//
// A work item is a tile of blocks of one level against some of its patterns, for one warp. Items
// that share a block meet in an atomic minimum of (J, index), which prefers the lower index.
#ifndef MMP_CUDA_KERNELS_MATCH_CUH_
#define MMP_CUDA_KERNELS_MATCH_CUH_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/dictionary/matcher.h"
#include "cuda/kernels/best_match.cuh"
#include "cuda/kernels/match_by_integers.cuh"
#include "cuda/kernels/match_by_tensor_cores.cuh"
#include "cuda/kernels/warp.cuh"
#include "cuda/schedule/search_arguments.h"

namespace mmp::cuda {

// Blocks that are matched together.
template <bool kTensor>
MMP_HOST_DEVICE constexpr uint32_t MatchTile(int log2_pixels) {
  return kTensor ? 16 * TensorRowTiles(log2_pixels) : kPlainBlocks;
}

// At most MatchTile blocks.
template <bool kTensor>
__device__ inline void MatchOne(const BlockListView& list, const DictionaryView& dictionary,
                                const int32_t* bias, const MatchItem& item) {
  const LevelShape shape = ShapeOfLevel(item.level);
  const int log2_pixels = shape.log2_pixels();
  if constexpr (!kTensor) {
    MatchByIntegers(list, dictionary, bias, log2_pixels, item);
  } else if constexpr (kHaveTensorCores) {
    switch (log2_pixels) {
      case 4:
        return MatchByTensorCores<4>(list, dictionary, bias, log2_pixels, item);
      case 5:
        return MatchByTensorCores<5>(list, dictionary, bias, log2_pixels, item);
      case 6:
        return MatchByTensorCores<6>(list, dictionary, bias, log2_pixels, item);
      case 7:
        return MatchByTensorCores<7>(list, dictionary, bias, log2_pixels, item);
      case 8:
        return MatchByTensorCores<8>(list, dictionary, bias, log2_pixels, item);
      default:
        return MatchByTensorCores<3>(list, dictionary, bias, log2_pixels, item);
    }
  } else {
    __trap();
  }
}

// How long a tile takes, in about 50 cycles as measured with two blocks of 256 threads on a
// multiprocessor: to begin and end with it, and for a group of patterns.
struct MatchWeight {
  uint32_t begin, group;
};
template <bool kTensor>
__device__ inline MatchWeight WeightOf(int log2_pixels) {
  if constexpr (kTensor) {
    // A byte for each of log2_pixels 1 to 8.
    constexpr uint64_t kGroup = 0xb434140c'0c080807;
    return {28, static_cast<uint32_t>(kGroup >> 8 * (log2_pixels - 1)) & 255};
  } else {
    return {28, 8 + (3u << log2_pixels)};
  }
}

// The matching of a step as one sequence of work, level by level and tile by tile, of which each
// warp does an equal piece; a piece may begin and end within a tile. With 65536 patterns, all modes
// and all nodes of a step it is 2^30 long at most.
struct MatchPlan {
  uint32_t first_block[kLevelCount];  // entries matched in earlier steps
  uint32_t blocks[kLevelCount];       // entries of this step
  uint32_t first_work[kLevelCount + 1];
  uint32_t piece;
};

__device__ inline uint32_t PatternGroups(const BlockInput& block, int level) {
  return (block.patterns[level] + kPatternGroup - 1) / kPatternGroup;
}

// One warp: plans the matching of all entries that are not in plan.first_block + plan.blocks yet,
// for `warps` warps. The counted entries of this lane's level begin with number `first_entry`.
template <bool kTensor>
__device__ inline void PlanMatching(const SearchCounters& counters, uint32_t first_entry,
                                    const BlockInput& block, uint32_t warps, MatchPlan& plan) {
  const int lane = threadIdx.x & 31;
  uint32_t work = 0;
  if (lane > 0 && lane < kLevelCount) {
    const int log2_pixels = ShapeOfLevel(lane).log2_pixels();
    const uint32_t first = plan.first_block[lane] + plan.blocks[lane];
    const uint32_t blocks = first_entry + counters.entries[lane] - first;
    plan.first_block[lane] = first;
    plan.blocks[lane] = blocks;
    const uint32_t tile = MatchTile<kTensor>(log2_pixels);
    const MatchWeight weight = WeightOf<kTensor>(log2_pixels);
    work = (blocks + tile - 1) / tile * (weight.begin + PatternGroups(block, lane) * weight.group);
  }
  const uint32_t sum = static_cast<uint32_t>(WarpPrefixSum(static_cast<int32_t>(work)));
  if (lane < kLevelCount) plan.first_work[lane + 1] = sum;
  if (lane == 31) {
    plan.first_work[0] = 0;
    plan.piece = (sum + warps - 1) / warps;
  }
}

// One warp: does piece `piece` of a plan. `block` is a part of `input`, or a copy in faster memory.
template <bool kTensor>
__device__ inline void MatchPlanned(const BlockListView& list, const DictionaryView& dictionary,
                                    const MacroblockInput& input, const BlockInput& block,
                                    const MatchPlan& plan, uint32_t piece) {
  const int32_t* bias =
      reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(&input) + block.bias);
  uint32_t at = piece * plan.piece;
  // Where the piece ends; computed again, as MatchByTensorCores needs all registers.
  auto end = [&] { return min((piece + 1) * plan.piece, plan.first_work[kLevelCount]); };
  const int lane = threadIdx.x & 31;
  while (at < end()) {
    const bool before = lane < kLevelCount && plan.first_work[lane + 1] <= at;
    const int level = __popc(__ballot_sync(kAllLanes, before));
    const int log2_pixels = ShapeOfLevel(level).log2_pixels();
    const MatchWeight weight = WeightOf<kTensor>(log2_pixels);
    const uint32_t groups = PatternGroups(block, level), blocks = plan.blocks[level];
    const uint32_t tile_work = weight.begin + groups * weight.group;
    const uint32_t tile = (at - plan.first_work[level]) / tile_work;
    const uint32_t tile_at = plan.first_work[level] + tile * tile_work;
    // How many of the tile's groups come before a place.
    auto groups_before = [&](uint32_t place) {
      const uint32_t within = place - tile_at;
      if (within >= tile_work) return groups;
      return within > weight.begin ? (within - weight.begin) / weight.group : 0;
    };
    const uint32_t first_group = groups_before(at), last_group = groups_before(end());
    if (first_group < last_group) {
      constexpr auto kTile = MatchTile<kTensor>;
      const uint32_t first = tile * kTile(log2_pixels);
      MatchOne<kTensor>(
          list, dictionary, bias + block.first_bias[level],
          {level, plan.first_block[level] + first, min(kTile(log2_pixels), blocks - first),
           first_group * kPatternGroup, (last_group - first_group) * kPatternGroup});
    }
    at = tile_at + tile_work;
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_MATCH_CUH_
