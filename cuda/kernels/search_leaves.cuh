// The best leaf of a node: its residuals are matched, their trees pruned, and the modes compared.
#ifndef MMP_CUDA_KERNELS_SEARCH_LEAVES_CUH_
#define MMP_CUDA_KERNELS_SEARCH_LEAVES_CUH_

#include <cstdint>

#include "codec/rdo/decision_rules.h"
#include "cuda/kernels/match.cuh"
#include "cuda/kernels/residual_tree.cuh"
#include "cuda/kernels/search.cuh"
#include "cuda/kernels/tables.cuh"

namespace mmp::cuda {

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Match() {
  if (Warp() == 0)
    PlanMatching<kTensor>(Input().counters, Lane() < kLevelCount ? FirstEntry(Lane()) : 0,
                          shared_.input, kWarps * a_.blocks, shared_.plan);
  __syncthreads();
  MatchPlanned<kTensor>(a_.list, a_.dictionary, *a_.inputs, shared_.input, shared_.plan,
                        Block() * kWarps + Warp());
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::DecideLeaf(int round, int step, bool alone) {
  const int n = Living(Dealt(round)), first = FirstNode(step);
  uint32_t own_modes = 0;
  if (alone) {
    own_modes = shared_.available_modes;
  } else {
    const SearchedNode& kept = Searched(round, n - first);
    if (Thread() < kLevelCount) shared_.entries.first[Thread()] = kept.first_entry[Thread()];
    if (Thread() == 0) {
      shared_.searched_modes = kept.modes;
      shared_.bright_modes = kept.bright_modes;
      shared_.total_count = kept.total_count;
    }
  }
  if (Thread() == 0) shared_.best_leaf = kNoLeaf;
  if (!alone) __syncthreads();
  const int32_t log2_total_q12 = log2_table.q12[shared_.total_count];
  const BlockRect rect = Rect(n);
  const int step_pixel = Node(n).first_pixel - Node(first).first_pixel;
  ModeGroup group{n, rect, SubBlocks(rect.level), Predictions() + step_pixel * kPredictionModes};
  for (uint32_t rest = shared_.searched_modes; rest != 0; rest &= ~group.modes) {
    group.before += __popc(group.modes);
    group.modes = FirstModes(rest, ModesTogether(rect.level));
    DecideAmong(group, log2_total_q12, own_modes);
  }
}

template <bool kCluster, bool kTensor>
__device__ __forceinline__ void Search<kCluster, kTensor>::DecideAmong(const ModeGroup& group,
                                                                       int32_t log2_total_q12,
                                                                       uint32_t own_modes) {
  EnterLeaves(group, log2_total_q12, own_modes);
  __syncthreads();
  const Leaf best = LeafOfKey(shared_.best_leaf);
  if ((group.modes >> best.mode & 1) != 0) KeepLeaf(group, best);  // or it is one of those before
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ __forceinline__ void Search<kCluster, kTensor>::EnterLeaves(const ModeGroup& group,
                                                                       int32_t log2_total_q12,
                                                                       uint32_t own_modes) {
  const DeviceCosts& device_costs = shared_.input.device_costs;
  const auto [number, mode, share] = ShareOf(group.modes);
  const int16_t* own_residual =
      shared_.residuals + PlaceInMask(own_modes, mode) * group.rect.pixels();
  const bool reverses = Reverses(mode);
  const int at = number * group.sub_blocks.grid.size();
  const ResidualTrees trees{share,
                            a_.list,
                            *a_.inputs,
                            device_costs,
                            group.sub_blocks,
                            shared_.entries,
                            group.before + number,
                            a_.residual_slack_q4,
                            shared_.costs + at,
                            shared_.flags + at,
                            shared_.norms + at};
  const RootCosts costs = trees.Prune([&](int k) -> int {
    if (own_modes != 0) return own_residual[k];
    const int residual = Residual(group, mode, k);
    return reverses ? -residual : residual;
  });
  if (share.first != 0) return;
  const int level = group.rect.level;
  const int32_t mode_cost = device_costs.lambda.Cost(ModeRate(level, log2_total_q12, mode));
  const uint64_t best = BestLeafOfMode(mode, mode_cost, device_costs.partition_costs[level], costs);
  atomicMin(&shared_.best_leaf, static_cast<unsigned long long>(best));
}

template <bool kCluster, bool kTensor>
__device__ __forceinline__ void Search<kCluster, kTensor>::KeepLeaf(const ModeGroup& group,
                                                                    const Leaf& best) {
  if (Thread() == 0) {
    const bool final =
        EndsTheSearch(best, shared_.input.device_costs.good_enough[group.rect.level]);
    Leaves()[group.n] = make_int2(best.cost, final ? 1 : 0);
    LeafModes()[group.n] = static_cast<uint8_t>(best.mode);
  }
  const SubBlockGrid& grid = group.sub_blocks.grid;
  const int number = PlaceInMask(group.modes, best.mode);
  const ResidualFlag root = RootFlag(best.partition);
  const bool reverses = Reverses(best.mode);
  for (int k = Thread(); k < group.rect.pixels(); k += kThreads) {
    const int y = k >> grid.log2_width, x = k & ((1 << grid.log2_width) - 1);
    const LeafPlace leaf = FindLeaf(grid, shared_.flags + number * grid.size(), root, y, x);
    const PatternPixel pixel = LookUpPattern(group, best.mode, leaf.sub_block, k);
    const int value = group.Predicted(best.mode, k) + (reverses ? -pixel.value : pixel.value);
    const int place = Node(group.n).first_pixel + k;
    Reconstruction()[place] = static_cast<uint8_t>(min(max(value, 0), 255));
    Choices()[place] = PackResidual(pixel.index, leaf.path, leaf.length);
  }
}

template <bool kCluster, bool kTensor>
__device__ __forceinline__ auto Search<kCluster, kTensor>::LookUpPattern(
    const ModeGroup& group, int mode, const SubBlock& p, int k) const -> PatternPixel {
  const SubBlockGrid& grid = group.sub_blocks.grid;
  if (p.log2_pixels() == 0) {
    const int residual = Residual(group, mode, k);
    const uint32_t index =
        shared_.input.device_costs.pixel_index[(Reverses(mode) ? -residual : residual) + 255];
    return {index, PixelPatternValue(static_cast<int>(index))};
  }
  const int level = LevelAt(p.log2_height, p.log2_width);
  const int place = group.before + PlaceInMask(group.modes, mode);
  const uint32_t index = static_cast<uint32_t>(
      a_.list.best[shared_.entries.first[level] +
                   NumberInNode(grid, place, p.log2_pixels(), grid.Number(p))]);
  // The pixel's row and column in the sub-block.
  const int i = (k >> grid.log2_width) & ((1 << p.log2_height) - 1);
  const int j = k & ((1 << p.log2_width) - 1);
  return {index, a_.dictionary.rows[a_.dictionary.first_row[level] + (index << p.log2_pixels()) +
                                    (i << p.log2_width) + j]};
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_LEAVES_CUH_
