// The nodes of the prediction tree, step by step: which are searched, and how they are best coded.
#ifndef MMP_CUDA_KERNELS_SEARCH_NODES_CUH_
#define MMP_CUDA_KERNELS_SEARCH_NODES_CUH_

#include <cstdint>

#include "cuda/kernels/search.cuh"

namespace mmp::cuda {

template <bool kCluster, bool kTensor>
__device__ int32_t Search<kCluster, kTensor>::Budget(int n) const {
  const auto& device_costs = shared_.input.device_costs;
  const ScheduleNode& node = Node(n);
  int32_t most = INT32_MIN;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int parent = node.parent[s];
    if (parent < 0) continue;
    int32_t budget = NodeBudget(parent);
    if (node.is_second) {
      const bool lives = (NodeStateOf(parent) & (kDead | kFinal)) == 0;
      budget = lives ? min(NodeCost(parent), budget) - NodeCost(node.before) : 0;
    } else {
      // What the parent's leaf costs is not known before this step is over.
      budget -= device_costs.least_node[node.level];
    }
    const int32_t cut = device_costs.partition_costs[Node(parent).level][kSplitBothVertical + s];
    most = max(most, budget - cut);
  }
  return most == INT32_MIN ? INT32_MAX : most;  // the root has no parent
}

template <bool kCluster, bool kTensor>
__device__ int Search<kCluster, kTensor>::BeginStep(int step) {
  if (Warp() == 0) {
    const int first = FirstNode(step), last = FirstNode(step + 1);
    SetBudgets(first, last);
    ListLiving(first, last);
  }
  __syncthreads();
  return shared_.living;
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::SetBudgets(int first, int last) {
  // Larger nodes come first, and what is left for a node follows from larger ones.
  int n = first + Lane();
  for (int log2_pixels = Log2Pixels(first); __any_sync(kAllLanes, n < last); --log2_pixels) {
    for (; n < last && Log2Pixels(n) == log2_pixels; n += 32) {
      const int32_t budget = Budget(n);
      NodeBudget(n) = budget;
      NodeStateOf(n) =
          budget <= shared_.input.device_costs.least_node[Node(n).level] ? kDead : kWhole;
    }
    __syncwarp();
  }
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::ListLiving(int first, int last) {
  int count = 0;
  for (int n = first + Lane(); n - Lane() < last; n += 32) {
    const bool living = n < last && NodeStateOf(n) != kDead;
    const uint32_t all = __ballot_sync(kAllLanes, living);
    if (living) Living(count + __popc(all & ((1u << Lane()) - 1))) = static_cast<uint16_t>(n);
    count += __popc(all);
  }
  if (Lane() == 0) shared_.living = count;
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::EndStep(int step) {
  // Every block takes over what the others found.
  for (int n = FirstNode(step) + Thread(); n < FirstNode(step + 1); n += kThreads) {
    const int2 leaf = Leaves()[n];
    if (NodeStateOf(n) == kDead) {
      NodeCost(n) = kImpossible;
    } else {
      NodeCost(n) = leaf.x;
      if (leaf.y != 0) NodeStateOf(n) = kFinal;
    }
  }
  __syncthreads();
  constexpr int kRounds = PredictionSchedule::kRounds;
  const uint16_t* rounds = Lookup<uint16_t>(a_.lookup.first_ending) + step * kRounds;
  for (int r = 0; r < kRounds; ++r) {
    const int begin = rounds[r], end = rounds[r + 1];
    if (begin == end) continue;
    for (int k = begin + Thread(); k < end; k += kThreads) {
      const int n = Lookup<uint16_t>(a_.lookup.ending)[k];
      if (NodeStateOf(n) != kWhole) continue;
      const ScheduleNode& node = Node(n);
      int32_t best = NodeCost(n);
      uint8_t state = kWhole;
      for (int s = 0; s < 2; ++s) {
        if (node.half[s][0] < 0 || NodeStateOf(node.half[s][1]) == kDead) continue;
        const int32_t cost =
            shared_.input.device_costs.partition_costs[node.level][kSplitBothVertical + s] +
            NodeCost(node.half[s][0]) + NodeCost(node.half[s][1]);
        if (cost < best) {
          best = cost;
          state = static_cast<uint8_t>(kCutVertical + s);
        }
      }
      NodeCost(n) = best;
      NodeStateOf(n) = state;
    }
    __syncthreads();
  }
}

template <bool kCluster, bool kTensor>
__device__ int Search<kCluster, kTensor>::FindNode(int n, int y, int x, uint32_t& path,
                                                   uint32_t& length) const {
  for (;;) {
    const uint8_t state = NodeStateOf(n);
    if ((state & kCut) == 0) return n;
    const int split = state - kCutVertical;
    const ScheduleNode& second = Node(Node(n).half[split][1]);
    const int half = y >= second.y && x >= second.x;
    path |= static_cast<uint32_t>(split) << length;
    ++length;
    n = Node(n).half[split][half];
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_NODES_CUH_
