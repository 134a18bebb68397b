// The search of macroblocks by a group of thread blocks: what it works with, and its stages.
// They are defined in the files that search_kernel.cu includes beside this one.
#ifndef MMP_CUDA_KERNELS_SEARCH_CUH_
#define MMP_CUDA_KERNELS_SEARCH_CUH_

#include <algorithm>
#include <cstdint>

#include "codec/intra/predictors.h"
#include "codec/rdo/decision_rules.h"
#include "cuda/kernels/block_list.cuh"
#include "cuda/kernels/block_lsp.cuh"
#include "cuda/kernels/group_barrier.cuh"
#include "cuda/kernels/group_launch.h"
#include "cuda/kernels/lsp.cuh"
#include "cuda/kernels/match.cuh"
#include "cuda/kernels/team.cuh"
#include "cuda/kernels/template_match.cuh"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/search_arguments.h"
#include "cuda/schedule/sub_block_grid.h"

namespace mmp::cuda {

// Of all modes of a node: 16x16 has few modes, smaller nodes have at most half the pixels.
inline constexpr int kMostModePixels =
    std::max(kMostMacroblockModes * kMacroblockPixels, kPredictionModes* kMacroblockPixels / 2);
// Of the modes of a node that are pruned at a time.
inline constexpr int kMostSubBlocks =
    std::max(kMostModesTogether * 31 * 15, kMostMacroblockModesTogether * 31 * 31);

// What is known of a node once its step is over.
enum NodeState : uint8_t {
  kWhole = 0,
  kCutVertical = 1,
  kCutHorizontal = 2,
  kCut = 3,    // mask: one of these two
  kDead = 4,   // cannot be part of the best tree, and was not searched
  kFinal = 8,  // whole, and not to be cut
};

// Nodes of a step that a block keeps in shared memory; others are in SearchArguments::searched.
inline constexpr int kKeptNodes = 2;

struct Shared {
  BlockInput input;
  BlockBorder border;
  MatchPlan plan;
  TeamBarrier mode_barrier, lsp_barrier, template_barrier;
  unsigned long long best_leaf;  // LeafKey
  // Of the node that was predicted last:
  uint32_t available_modes, searched_modes, total_count;
  uint32_t bright_modes;  // see IsBright; 0 if residuals are not reversed
  NodeEntries entries;
  SearchedNode searched[kKeptNodes];  // of this block's first nodes in a step
  int next_mode;  // of a node's modes to predict with, the first that no warp has taken
  int32_t satd[kPredictionModes];  // of the modes, in order
  uint32_t cycles[kStages];
  uint32_t clock;  // when the present stage began
  int living;      // nodes of the step to search
  int macroblock;  // the group's present one
  alignas(16) int16_t residuals[kMostModePixels];
  union {
    // While a node is predicted:
    struct {
      BlockLspScratch block_lsp;
      alignas(16) uint8_t predictions[kMostModePixels];
    };
    int32_t costs[kMostSubBlocks];  // of sub-blocks of a node's modes
  };
  union {
    struct {
      LspScratch lsp;
      TemplateScratch template_match;
    };
    struct {
      int32_t norms[kMostSubBlocks];
      uint8_t flags[kMostSubBlocks];
    };
  };
};

// Devices of compute capability 7.5 have no more.
static_assert(sizeof(Shared) <= 64 * 1024);

extern __shared__ __align__(64) unsigned char shared_memory[];

// A node's modes that are pruned at a time.
__device__ inline int ModesTogether(int level) {
  return level == kMacroblockLevel ? kMostMacroblockModesTogether : kMostModesTogether;
}

// The first `count` modes of a mask, or all if there are no more.
__device__ inline uint32_t FirstModes(uint32_t modes, int count) {
  if (__popc(modes) <= count) return modes;
  uint32_t rest = modes;
  for (int k = 0; k < count; ++k) rest &= rest - 1;
  return modes & ~rest;
}

// The search of a group's macroblocks, seen from one block of the group.
template <bool kCluster, bool kTensor>
class Search {
 public:
  static constexpr BlockShape kShape = kCluster ? kClusterShape : kGridShape;

  __device__ explicit Search(const SearchArguments& a)
      : a_(a),
        shared_(*reinterpret_cast<Shared*>(shared_memory)),
        barrier_(&a.inputs[a.first].counters.barrier, a.blocks) {
    char* const tables = reinterpret_cast<char*>(shared_memory + sizeof(Shared));
    if (AllInSharedMemory()) {
      lookup_ = tables;
      node_memory_ = tables + a.lookup.bytes;
    } else {
      lookup_ = reinterpret_cast<const char*>(a.lookup.data);
      node_memory_ = a.node_memory + Block() * NodeBytes(a.lookup);
    }
  }

  __device__ void Run() {
    BeginGroup();
    do SearchMacroblock();
    while (TakeNext());
  }

 private:
  __device__ void SearchMacroblock() {
    // The lower 32 bits of the clock overflow after about two seconds: shorter differences are
    // exact modulo 2^32, and so are sums below 2^32 cycles.
    if (Thread() == 0) shared_.clock = clock();
    auto note = [&](SearchStage stage) {
      if (Thread() != 0) return;
      const uint32_t now = clock();
      shared_.cycles[stage] += now - shared_.clock;
      shared_.clock = now;
    };
    Begin();
    note(kStageBegin);
    for (int step = 0; step < a_.lookup.steps; ++step) {
      const int living = BeginStep(step);
      if (living > 0) {
        for (int round = 0; Dealt(round) < living; ++round) Predict(round, step);
        barrier_.Sync();
        note(kStagePredict);
        Match();
        barrier_.Sync();
        note(kStageMatch);
        const bool alone = Dealt(1) >= living;
        for (int round = 0; Dealt(round) < living; ++round) DecideLeaf(round, step, alone);
        barrier_.Sync();
        note(kStageDecide);
      }
      EndStep(step);
      note(kStageEnd);
    }
  }
  // Known to the compiler for a cluster: its look-ups then need no generic addresses.
  __device__ bool AllInSharedMemory() const { return kCluster || a_.all_in_shared_memory; }
  // Tables, by their offsets.
  template <typename T>
  __device__ const T* Lookup(uint32_t offset) const {
    return reinterpret_cast<const T*>(lookup_ + offset);
  }
  __device__ int FirstNode(int step) const { return Lookup<uint16_t>(a_.lookup.first_node)[step]; }
  __device__ const ScheduleNode& Node(int n) const {
    return Lookup<ScheduleNode>(a_.lookup.nodes)[n];
  }
  __device__ BlockRect Rect(int n) const { return {Node(n).y, Node(n).x, Node(n).level}; }
  __device__ int Log2Pixels(int n) const { return ShapeOfLevel(Node(n).level).log2_pixels(); }
  __device__ SubBlockList SubBlocks(int level) const {
    return {SubBlockGrid(level),
            Lookup<uint64_t>(a_.lookup.sub_blocks) + a_.lookup.first_sub_block[level]};
  }
  // Of each node, each block its own copy; and the nodes of the step that are searched.
  __device__ int32_t& NodeCost(int n) const { return reinterpret_cast<int32_t*>(node_memory_)[n]; }
  __device__ int32_t& NodeBudget(int n) const { return NodeCost(a_.lookup.node_count + n); }
  __device__ uint16_t& Living(int k) const {
    return reinterpret_cast<uint16_t*>(&NodeCost(2 * a_.lookup.node_count))[k];
  }
  __device__ uint8_t& NodeStateOf(int n) const {
    return reinterpret_cast<uint8_t*>(&Living(a_.lookup.most_step_nodes))[n];
  }
  // A mode of a node, and this thread's share of the work on it.
  struct ModeShare {
    int number;  // among those searched
    int mode;
    Share share;
  };
  // Divides the block's threads evenly among the modes.
  __device__ ModeShare ShareOf(uint32_t modes) const {
    // Quotients of small numbers, exact after rounding down.
    const int count = __popc(modes);
    const int stride = static_cast<int>(__fdividef(kThreads + 0.5f, static_cast<float>(count)));
    const int number = static_cast<int>(__fdividef(Thread() + 0.5f, static_cast<float>(stride)));
    if (number >= count) return {0, 0, {1 << 16, stride}};  // no work is left
    return {number, BitAtPlace(modes, number), {Thread() - number * stride, stride}};
  }
  // This block's number in the group, the group's in the grid, and how many there are.
  __device__ int Block() const { return static_cast<int>(blockIdx.x); }
  __device__ int Group() const { return static_cast<int>(blockIdx.y); }
  __device__ int Groups() const { return static_cast<int>(gridDim.y); }
  __device__ int Thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int Warp() const { return static_cast<int>(threadIdx.x) / 32; }
  __device__ int Lane() const { return static_cast<int>(threadIdx.x) % 32; }

  __device__ MacroblockInput& Input() const { return a_.inputs[shared_.macroblock]; }
  __device__ MacroblockOutput& Output() const { return a_.outputs[shared_.macroblock]; }
  // The group's parts of what SearchArguments have for all groups.
  __device__ int2* Leaves() const { return a_.leaves + Group() * a_.lookup.node_count; }
  __device__ uint8_t* LeafModes() const { return a_.leaf_mode + Group() * a_.lookup.node_count; }
  __device__ uint8_t* Reconstruction() const { return a_.reconstruction + Group() * a_.pixels; }
  __device__ uint32_t* Choices() const { return a_.choices + Group() * a_.pixels; }
  __device__ SearchedNode* Searched() const {
    return a_.searched + Group() * a_.lookup.most_step_nodes;
  }
  __device__ uint8_t* Predictions() const {
    return a_.predictions + Group() * a_.most_step_pixels * kPredictionModes;
  }
  // The number of the group's first entry of a level.
  __device__ uint32_t FirstEntry(int level) const { return Group() * a_.group_entries[level]; }
  // Of the step's node `number`, this block's in a round.
  __device__ SearchedNode& Searched(int round, int number) const {
    return round < kKeptNodes ? shared_.searched[round] : Searched()[number];
  }

  // Copies what all of the group's macroblocks need.
  __device__ void BeginGroup();
  // Copies a macroblock's input: costs, canvas, new patterns.
  __device__ void Begin();
  // Ends with a macroblock, and goes on to the group's next one, if there is one.
  __device__ bool TakeNext();
  // Lists the nodes of the step that must be searched, Living(0) and so on; returns how many.
  __device__ int BeginStep(int step);
  // One warp: sets the budgets of nodes [first, last), a step's, and which of them are dead.
  __device__ void SetBudgets(int first, int last);
  // One warp: lists the living ones of nodes [first, last).
  __device__ void ListLiving(int first, int last);
  // Which living node of a step is this block's in a round. Nodes are assigned in serpentine order,
  // so that the block with the largest node of a round gets the smallest of the next.
  __device__ int Dealt(int round) const {
    return round * a_.blocks + (round % 2 == 0 ? Block() : a_.blocks - 1 - Block());
  }
  // The budget of node n: it cannot be part of the best tree unless it costs less than this, as far
  // as is known yet. Those of larger nodes of its step must be set.
  __device__ int32_t Budget(int n) const;
  // Decides the nodes that end with the step.
  __device__ void EndStep(int step);
  // Predicts this block's node of a round with all modes and enters what is left into the list.
  __device__ void Predict(int round, int step);
  __device__ void LoadNodeCanvas(int n);
  // Loads what the modes of a node read: its border and total_count, samples and squares.
  __device__ void LoadSurroundings(BlockRect rect, uint32_t modes);
  // All modes of a node but kLeastSquares: this warp takes one after the other.
  __device__ void PredictModes(int n, int first, uint32_t modes);
  // One of `modes`, the node's: by one warp; by the first kTemplateParts; by those from kModeWarps
  // on.
  __device__ void PredictMode(int n, int first, uint32_t modes, int mode);
  __device__ void PredictTemplate(int n, int first, uint32_t modes);
  __device__ void PredictLsp(int n, int first, uint32_t modes);
  // Stores the prediction and the residual of a mode; called by all threads of `share`.
  __device__ void KeepPrediction(int n, int first, uint32_t modes, int mode, Share share);
  // A rate of a mode in 1/4096 bit.
  __device__ int32_t ModeRate(int level, int32_t log2_total_q12, int mode) const {
    return log2_total_q12 - shared_.input.device_costs.mode_counts[level][mode].log2_q12;
  }
  __device__ uint32_t ChooseModes(BlockRect rect, uint32_t modes);
  __device__ void Match();
  // The best leaf of that node once its blocks are matched, and its reconstruction.
  __device__ void DecideLeaf(int round, int step, bool alone);
  // Some of the modes searched of a node: those that are decided between at a time.
  struct ModeGroup {
    int n;
    BlockRect rect;
    SubBlockList sub_blocks;
    const uint8_t* predictions;  // of all modes
    uint32_t modes = 0;
    int before = 0;  // modes of the groups before

    __device__ int Predicted(int mode, int k) const {
      return predictions[mode * rect.pixels() + k];
    }
  };
  // Whether residuals of a mode of the present node are coded with their sign reversed.
  __device__ bool Reverses(int mode) const { return (shared_.bright_modes >> mode & 1) != 0; }
  __device__ int Residual(const ModeGroup& group, int mode, int k) const {
    const SubBlockGrid& grid = group.sub_blocks.grid;
    const int y = group.rect.y + (k >> grid.log2_width);
    const int x = group.rect.x + (k & ((1 << grid.log2_width) - 1));
    return shared_.input.original[y * kMacroblockSize + x] - group.Predicted(mode, k);
  }
  // The best leaf so far, this group's modes included. own_modes: if its residuals are in shared
  // memory, the modes that the node has, or else 0.
  __device__ void DecideAmong(const ModeGroup& group, int32_t log2_total_q12, uint32_t own_modes);
  // Prunes the trees of a group, and takes the least of their costs into best_leaf.
  __device__ void EnterLeaves(const ModeGroup& group, int32_t log2_total_q12, uint32_t own_modes);
  // Keeps a leaf of the group: its cost and mode, its reconstruction and its patterns.
  __device__ void KeepLeaf(const ModeGroup& group, const Leaf& best);
  // The pattern of a sub-block of a mode's tree, and its value at pixel k of the node.
  struct PatternPixel {
    uint32_t index;
    int value;
  };
  __device__ PatternPixel LookUpPattern(const ModeGroup& group, int mode, const SubBlock& p,
                                        int k) const;
  // The group's first block: writes a macroblock's output.
  __device__ void Finish();
  // The leaf of the prediction tree below node n that covers pixel (y, x) of the macroblock.
  __device__ int FindNode(int n, int y, int x, uint32_t& path, uint32_t& length) const;

  static constexpr int kThreads = kShape.threads;
  static constexpr int kWarps = kThreads / 32;
  // Least-squares prediction takes as long as two or three other modes: some warps do it together,
  // the others share the other modes, if there are enough a warp for each that comes before it.
  static constexpr int kModeWarps = kWarps < 12 ? 5 : kLeastSquares;
  // The first two have other tasks before, the first kTemplateParts one together.
  static_assert(kModeWarps >= 2 && kModeWarps >= kTemplateParts && kModeWarps < kWarps);
  using ModeWarps = Team<0, kModeWarps>;
  using TemplateWarps = Team<0, kTemplateParts>;
  using LspWarps = Team<kModeWarps, kWarps - kModeWarps>;
  __device__ ModeWarps ModeTeam() const { return ModeWarps(shared_.mode_barrier); }
  __device__ TemplateWarps TemplateTeam() const { return TemplateWarps(shared_.template_barrier); }
  __device__ LspWarps LspTeam() const { return LspWarps(shared_.lsp_barrier); }

  const SearchArguments& a_;
  Shared& shared_;
  GroupBarrier<kCluster> barrier_;
  const char* lookup_;
  char* node_memory_;  // NodeBytes
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_CUH_
