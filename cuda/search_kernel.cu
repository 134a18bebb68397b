#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <algorithm>
#include <type_traits>

#include "codec/satd.h"
#include "codec/search_rates.h"
#include "cuda/block_list.cuh"
#include "cuda/block_lsp.cuh"
#include "cuda/group_barrier.cuh"
#include "cuda/lsp.cuh"
#include "cuda/match.cuh"
#include "cuda/mode_rates.cuh"
#include "cuda/partition_grid.h"
#include "cuda/predict.cuh"
#include "cuda/residual_tree.cuh"
#include "cuda/search_kernel.h"
#include "cuda/template_match.cuh"

namespace mmp::cuda {
namespace {

// Of all modes of a node: 16x16 has few modes, smaller nodes have at most half the pixels.
constexpr int kMostModePixels =
    std::max(kMostMacroblockModes * kMacroblockPixels, kPredictionModes* kMacroblockPixels / 2);
// Of the modes of a node that are pruned at a time.
constexpr int kMostPartitions =
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
constexpr int kKeptNodes = 2;

struct Shared {
  BlockInput input;
  BlockBorder border;
  MatchPlan plan;
  TeamBarrier mode_barrier, lsp_barrier;
  unsigned long long best_leaf;  // cost << 16 | mode << 8 | flag
  // Of the node that was predicted last:
  uint32_t available_modes, searched_modes, total_count;
  NodeEntries entries;
  SearchedNode searched[kKeptNodes];  // of this block's first nodes in a step
  int next_mode;  // of a node's modes to predict with, the first that no warp has taken
  uint32_t cycles[kStages];
  uint32_t clock;  // when the present stage began
  int living;      // nodes of the step to search
  alignas(16) int16_t residuals[kMostModePixels];
  union {
    // While a node is predicted:
    struct {
      BlockLspScratch block_lsp;
      alignas(16) uint8_t predictions[kMostModePixels];
    };
    int32_t costs[kMostPartitions];  // of partitions of a node's modes
  };
  union {
    struct {
      LspScratch lsp;
      TemplateSquares squares;
    };
    int32_t estimates[kPredictionModes];  // of modes, once they have predicted
    struct {
      int32_t norms[kMostPartitions];
      uint8_t flags[kMostPartitions];
    };
  };
};

// Devices of compute capability 7.5 have no more.
static_assert(sizeof(Shared) <= 64 * 1024);

extern __shared__ __align__(64) unsigned char shared_memory[];

// A node's modes that are pruned at a time.
__device__ int ModesTogether(int level) {
  return level == kMacroblockLevel ? kMostMacroblockModesTogether : kMostModesTogether;
}

// The first `count` modes of a mask, or all if there are no more.
__device__ uint32_t FirstModes(uint32_t modes, int count) {
  if (__popc(modes) <= count) return modes;
  uint32_t rest = modes;
  for (int k = 0; k < count; ++k) rest &= rest - 1;
  return modes & ~rest;
}

// The search of one macroblock, seen from one block of the group.
template <bool kCluster, bool kTensor>
class Search {
 public:
  static constexpr BlockShape kShape = kCluster ? kClusterShape : kGridShape;

  __device__ explicit Search(const SearchArguments& a)
      : a_(a),
        input_(*a.input),
        shared_(*reinterpret_cast<Shared*>(shared_memory)),
        barrier_(&a.input->counters.barrier, a.blocks) {
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
    // Differences of the clock's lower half are right for two seconds, as is a sum.
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
    if (Block() == 0) Finish();
  }

 private:
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
  __device__ PartitionList Partitions(int level) const {
    return {PartitionGrid(level),
            Lookup<uint64_t>(a_.lookup.partitions) + a_.lookup.first_partition[level]};
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
  // This block's number in the group.
  __device__ int Block() const { return static_cast<int>(blockIdx.x); }
  __device__ int Thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int Warp() const { return static_cast<int>(threadIdx.x) / 32; }
  __device__ int Lane() const { return static_cast<int>(threadIdx.x) % 32; }

  // Of the step's node `number`, this block's in a round.
  __device__ SearchedNode& Searched(int round, int number) const {
    return round < kKeptNodes ? shared_.searched[round] : a_.searched[number];
  }

  // Takes over the input: prices, canvas, new patterns.
  __device__ void Begin();
  __device__ void AppendPatterns();
  // Finds which of the step's nodes must be searched, Living(0) and so on; returns how many.
  __device__ int BeginStep(int step);
  // One warp: lists the living ones of nodes [first, last).
  __device__ void ListLiving(int first, int last);
  // Which living node of a step is this block's in a round. They are dealt to and fro, so that who
  // gets the largest gets the smallest, too.
  __device__ int Dealt(int round) const {
    return round * a_.blocks + (round % 2 == 0 ? Block() : a_.blocks - 1 - Block());
  }
  // What node n may cost at most, exclusive, to be part of the best tree, as far as is known.
  __device__ int32_t Budget(int n) const;
  // Decides the nodes that end with the step.
  __device__ void EndStep(int step);
  // Predicts this block's node of a round with all modes and enters what is left into the list.
  __device__ void Predict(int round, int step);
  __device__ void LoadNodeCanvas(int n);
  // What the modes of a node need: its border and total_count, samples and squares.
  __device__ void LoadSurroundings(BlockRect rect, uint32_t modes);
  // Some modes of a node: this warp takes one after the other. `warps` do so.
  __device__ void PredictModes(int n, int first, uint32_t modes, int warps);
  // One of `modes`, the node's: by one warp; by the warps from kModeWarps on.
  __device__ void PredictMode(int n, int first, uint32_t modes, int mode);
  __device__ void PredictLsp(int n, int first, uint32_t modes);
  // Keeps what is predicted, and what it leaves; one of `stride` threads.
  __device__ void KeepPrediction(int n, int first, uint32_t modes, int mode, Share share);
  // A rate of a mode in 1/4096 bit.
  __device__ int32_t ModeRate(int level, int32_t log2_total_q12, int mode) const {
    return log2_total_q12 - shared_.input.prices.mode_counts[level][mode].log2_q12;
  }
  __device__ uint32_t ChooseModes(BlockRect rect, uint32_t modes);
  __device__ void Match();
  // The best leaf of that node once its blocks are matched, and its reconstruction.
  __device__ void DecideLeaf(int round, int step, bool alone);
  // The same if only these of the modes searched, `before` of which were looked at, are better;
  // own_modes: if its residuals are in shared memory, the modes that it has, or else 0.
  __device__ void DecideAmong(int n, int first, uint32_t modes, int before, int32_t log2_total_q12,
                              uint32_t own_modes);
  __device__ void Finish();
  // The leaf of the prediction tree below node n that covers pixel (y, x) of the macroblock.
  __device__ int FindNode(int n, int y, int x, uint32_t& path, uint32_t& length) const;

  static constexpr int kThreads = kShape.threads;
  static constexpr int kWarps = kThreads / 32;
  // Least-squares prediction takes as long as two or three other modes: some warps do it together,
  // the others share the other modes, if there are enough a warp for each that comes before it.
  static constexpr int kModeWarps = kWarps < 12 ? 5 : kLeastSquares;
  // The first three have other tasks before.
  static_assert(kModeWarps >= 3 && kModeWarps < kWarps);
  using ModeWarps = Team<0, kModeWarps>;
  using LspWarps = Team<kModeWarps, kWarps - kModeWarps>;
  __device__ ModeWarps ModeTeam() const { return ModeWarps(shared_.mode_barrier); }
  __device__ LspWarps LspTeam() const { return LspWarps(shared_.lsp_barrier); }

  const SearchArguments& a_;
  MacroblockInput& input_;
  Shared& shared_;
  GroupBarrier<kCluster> barrier_;
  const char* lookup_;
  char* node_memory_;  // NodeBytes
};

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Begin() {
  auto copy = [&](void* to, const void* from, size_t bytes) {
    for (size_t k = 16 * Thread(); k < bytes; k += 16 * kThreads)
      __pipeline_memcpy_async(static_cast<char*>(to) + k, static_cast<const char*>(from) + k, 16);
  };
  static_assert(sizeof(BlockInput) % 16 == 0 && sizeof(Shared) % 16 == 0);
  copy(&shared_.input, &input_.block, sizeof(BlockInput));
  if (AllInSharedMemory()) copy(shared_memory + sizeof(Shared), a_.lookup.data, a_.lookup.bytes);
  __pipeline_commit();
  if (Thread() == 0) {
    ModeTeam().Begin();
    LspTeam().Begin();
  }
  if (Thread() < kStages) shared_.cycles[Thread()] = 0;
  if (Thread() < kLevelCount) {
    shared_.plan.first_block[Thread()] = 0;
    shared_.plan.blocks[Thread()] = 0;
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  AppendPatterns();
}

// The group writes the patterns that the device lacks into both layouts of the dictionary.
template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::AppendPatterns() {
  const int16_t* values =
      reinterpret_cast<const int16_t*>(reinterpret_cast<const char*>(&input_) + input_.values);
  // Of this lane's level.
  const NewPatterns own = Lane() < kLevelCount ? input_.new_patterns[Lane()] : NewPatterns{};
  for (uint32_t rest = __ballot_sync(kAllLanes, own.count > 0); rest != 0; rest &= rest - 1) {
    const int level = __ffs(static_cast<int>(rest)) - 1;
    const int count = __shfl_sync(kAllLanes, own.count, level);
    const int first = __shfl_sync(kAllLanes, own.first, level);
    const int first_value = __shfl_sync(kAllLanes, own.first_value, level);
    const LevelShape shape = ShapeOfLevel(level);
    const int log2_pixels = shape.log2_pixels();
    const int16_t* from = values + first_value;
    int16_t* rows = a_.dictionary.rows + a_.dictionary.first_row[level];
    uint16_t* matching = a_.dictionary.matching + a_.dictionary.first_matching[level];
    for (int k = Block() * kThreads + Thread(); k < count << log2_pixels;
         k += a_.blocks * kThreads) {
      const uint32_t index = first + (k >> log2_pixels), pixel = k & ((1 << log2_pixels) - 1);
      const int16_t value = from[k];
      rows[(index << log2_pixels) + pixel] = value;
      if constexpr (kTensor)
        matching[TensorPlace(log2_pixels, index, pixel)] = __half_as_ushort(__short2half_rn(value));
      else
        matching[PlainPlace(log2_pixels, index, pixel)] = static_cast<uint16_t>(value);
    }
  }
}

template <bool kCluster, bool kTensor>
__device__ int32_t Search<kCluster, kTensor>::Budget(int n) const {
  const auto& prices = shared_.input.prices;
  int32_t spent = 0;
  for (;;) {
    const ScheduleNode& node = Node(n);
    const int parent = node.parent;
    if (parent < 0) return INT32_MAX - spent;
    spent += prices.prediction_flags[Node(parent).level][kSplitBothVertical + (node.which >> 1)];
    const bool is_second = (node.which & 1) != 0;
    spent += is_second ? NodeCost(node.before) : prices.least_node[node.level];
    // What the parent's leaf costs is not known before its step is over.
    if (Node(n).origin == n) {
      if ((NodeStateOf(parent) & (kDead | kFinal)) != 0) return 0;
      return min(NodeCost(parent), NodeBudget(parent)) - spent;
    }
    n = parent;
  }
}

template <bool kCluster, bool kTensor>
__device__ int Search<kCluster, kTensor>::BeginStep(int step) {
  const int first = FirstNode(step), last = FirstNode(step + 1);
  for (int n = first + Thread(); n < last; n += kThreads) {
    const int32_t budget = Budget(n);
    NodeBudget(n) = budget;
    NodeStateOf(n) = budget <= shared_.input.prices.least_node[Node(n).level] ? kDead : kWhole;
  }
  __syncthreads();
  if (Warp() == 0) ListLiving(first, last);
  __syncthreads();
  return shared_.living;
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
    const int2 leaf = a_.leaves[n];
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
            shared_.input.prices.prediction_flags[node.level][kSplitBothVertical + s] +
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

// Puts the reconstruction of what precedes node n on its path onto the canvas.
template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::LoadNodeCanvas(int n) {
  for (int k = Thread(); k < kMacroblockPixels; k += kThreads) {
    const int y = k / kMacroblockSize, x = k % kMacroblockSize;
    uint8_t pixel = 0, available = 0;
    // Of the first halves that precede n, the one that has the pixel.
    for (int before = Node(n).before; before >= 0; before = Node(before).before) {
      const ScheduleNode& half = Node(before);
      if (y >= half.y && y < half.bottom && x >= half.x && x < half.right) {
        uint32_t path = 0, length = 0;
        const ScheduleNode& leaf = Node(FindNode(before, y, x, path, length));
        pixel =
            a_.reconstruction[leaf.first_pixel + (y - leaf.y) * (leaf.right - leaf.x) + x - leaf.x];
        available = 1;
        break;
      }
    }
    shared_.input.canvas.pixels[Canvas::Index(y, x)] = pixel;
    shared_.input.canvas.available[Canvas::Index(y, x)] = available;
  }
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Predict(int round, int step) {
  const int n = Living(Dealt(round)), first = FirstNode(step);
  LoadNodeCanvas(n);
  const BlockRect rect = Rect(n);
  const Canvas& canvas = shared_.input.canvas;
  BlockBorder neighbours;
  neighbours.has_top = canvas.Available(rect.y - 1, rect.x);
  neighbours.has_left = canvas.Available(rect.y, rect.x - 1);
  neighbours.has_top_right = canvas.Available(rect.y - 1, rect.x + rect.width());
  neighbours.has_two = canvas.Available(rect.y - 2, rect.x - 2);
  uint32_t modes = AvailableModes(neighbours, rect.level) & a_.modes;
  if ((a_.modes & kAllCopyModes) != 0)
    modes |= shared_.input.copies.AvailableModes(rect) & a_.modes;
  const bool has_lsp = (modes >> kLeastSquares & 1) != 0;
  const int mode_warps = has_lsp ? kModeWarps : kWarps;
  if (Thread() == 0) shared_.next_mode = mode_warps;
  const bool must_choose = a_.modes_searched > 0 && __popc(modes) > a_.modes_searched;
  const int count = must_choose ? a_.modes_searched : __popc(modes);
  const PartitionList partitions = Partitions(rect.level);
  // Least squares take longest. Their warps go ahead, if they have no part in the surroundings.
  const bool lsp_goes_ahead =
      has_lsp && (modes & (1u << kBlockLeastSquares | 1u << kTemplate)) == 0;
  if (!lsp_goes_ahead || Warp() < mode_warps) {
    LoadSurroundings(rect, modes);
    if (Warp() == 2 && Lane() < kLevelCount)
      TakeEntries(partitions.grid, count, &input_.counters, a_.list, shared_.entries);
    if (lsp_goes_ahead)
      ModeTeam().Sync();
    else
      __syncthreads();
    if ((modes >> kBlockLeastSquares & 1) != 0) {
      SumBlockLspSamples({Thread(), kThreads}, rect, shared_.block_lsp);
      __syncthreads();
    }
  }
  if (Warp() < mode_warps)
    PredictModes(n, first, modes, mode_warps);
  else
    PredictLsp(n, first, modes);
  __syncthreads();
  const uint32_t searched = must_choose ? ChooseModes(rect, modes) : modes;
  const ModeShare own = ShareOf(searched);
  WriteEntries(own.share, a_.list, partitions, {shared_.residuals, modes, searched}, own.mode,
               shared_.entries);
  if (own.share.first == 0) atomicAdd(&input_.counters.mode_searches[own.mode], 1);
  SearchedNode& kept = Searched(round, n - first);
  if (Thread() < kLevelCount) kept.first_entry[Thread()] = shared_.entries.first[Thread()];
  if (Thread() == 0) {
    shared_.searched_modes = searched;
    shared_.available_modes = modes;
    kept.modes = searched;
    kept.total_count = shared_.total_count;
    atomicAdd(&input_.counters.nodes, 1);
  }
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::LoadSurroundings(BlockRect rect, uint32_t modes) {
  const Canvas& canvas = shared_.input.canvas;
  if (Warp() == 0) {
    LoadBorderByWarp(canvas, rect, shared_.border);
  } else if (Warp() == 1) {
    const uint32_t total_count =
        CountModesByWarp(shared_.input.prices.mode_counts[rect.level], modes);
    if (Lane() == 0) shared_.total_count = total_count;
  } else {
    const Share share = {Thread() - 64, kThreads - 64};
    if ((modes >> kBlockLeastSquares & 1) != 0)
      LoadBlockLspSamples(share, canvas, rect, shared_.block_lsp);
    if ((modes >> kTemplate & 1) != 0) LoadTemplateSquares(share, canvas, rect, shared_.squares);
  }
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictModes(int n, int first, uint32_t modes,
                                                        int warps) {
  // The last modes take longest and go first.
  const uint32_t own = modes & ~(1u << kLeastSquares);
  const int count = __popc(own);
  for (int k = Warp(); k < count;) {
    uint32_t rest = __brev(own);
    for (int before = 0; before < k; ++before) rest &= rest - 1;
    PredictMode(n, first, modes, 32 - __ffs(static_cast<int>(rest)));
    if (count <= warps) return;
    if (Lane() == 0) k = atomicAdd(&shared_.next_mode, 1);
    k = __shfl_sync(kAllLanes, k, 0);
  }
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictMode(int n, int first, uint32_t modes, int mode) {
  const BlockRect rect = Rect(n);
  const Canvas& canvas = shared_.input.canvas;
  uint8_t* prediction = shared_.predictions + PlaceInMask(modes, mode) * rect.pixels();
  if (mode == kBlockLeastSquares) {
    PredictBlockLspByWarp(canvas, shared_.block_lsp, rect, prediction);
  } else if (mode == kTemplate) {
    PredictTemplateByWarp(canvas, shared_.squares, rect, prediction);
  } else if (mode >= kFirstCopy) {
    PredictCopyByWarp(shared_.input.copies, rect, mode, prediction);
  } else {
    PredictByWarp(shared_.border, mode, rect, prediction);
  }
  __syncwarp();
  KeepPrediction(n, first, modes, mode, {Lane(), 32});
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictLsp(int n, int first, uint32_t modes) {
  const BlockRect rect = Rect(n);
  SolveLspByTeam(LspTeam(), shared_.input.canvas, rect, shared_.lsp);
  if (Warp() == kModeWarps)
    ApplyLspByWarp(shared_.input.canvas, rect, shared_.lsp,
                   shared_.predictions + PlaceInMask(modes, kLeastSquares) * rect.pixels());
  LspTeam().Sync();
  KeepPrediction(n, first, modes, kLeastSquares, {LspWarps::Thread(), LspWarps::kThreads});
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::KeepPrediction(int n, int first, uint32_t modes,
                                                          int mode, Share share) {
  const BlockRect rect = Rect(n);
  const int pixels = rect.pixels(), place = PlaceInMask(modes, mode) * pixels;
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  const uint8_t* prediction = shared_.predictions + place;
  const int step_pixel = Node(n).first_pixel - Node(first).first_pixel;
  uint8_t* kept = a_.predictions + step_pixel * kPredictionModes + mode * pixels;
  int16_t* residual = shared_.residuals + place;
  for (int k = share.first; k < pixels; k += share.stride) {
    const int i = k >> log2_width, j = k & ((1 << log2_width) - 1);
    const uint8_t value = prediction[k];
    kept[k] = value;
    residual[k] = static_cast<int16_t>(
        shared_.input.original[(rect.y + i) * kMacroblockSize + rect.x + j] - value);
  }
}

// Of the modes, those of least estimated cost: see SearchEffort::modes_searched.
template <bool kCluster, bool kTensor>
__device__ uint32_t Search<kCluster, kTensor>::ChooseModes(BlockRect rect, uint32_t modes) {
  const int32_t log2_total_q12 = log2_table.q12[shared_.total_count];
  for (int mode = Warp(); mode < kPredictionModes; mode += kWarps) {
    if ((modes >> mode & 1) == 0) continue;
    // A lane a 4x4 block, or where a side is shorter a line of pixels.
    const int16_t* residual = shared_.residuals + PlaceInMask(modes, mode) * rect.pixels();
    const int w = rect.width();
    int32_t sum = 0;
    if (rect.height() < 4 || w < 4) {
      for (int k = Lane(); k < rect.pixels(); k += 32) sum += abs(residual[k]);
    } else {
      for (int k = Lane(); k < rect.pixels() / 16; k += 32) {
        const int across = w / 4, y = k / across * 4, x = k % across * 4;
        sum += Satd4x4(residual + y * w + x, w);
      }
    }
    sum = WarpSum(sum);
    const int64_t rate_q12 = ModeRate(rect.level, log2_total_q12, mode);
    if (Lane() == 0)
      shared_.estimates[mode] =
          16 * sum +
          static_cast<int32_t>(shared_.input.prices.root_lambda_q4 * rate_q12 >> kRateShift);
  }
  __syncthreads();
  // Every warp counts for each mode, a lane's, how many are better.
  static_assert(kPredictionModes <= 32);
  const bool has_mode = (modes >> Lane() & 1) != 0;
  const int32_t own = has_mode ? shared_.estimates[Lane()] : INT32_MAX;
  int better = 0;
#pragma unroll
  for (int other = 0; other < kPredictionModes; ++other) {
    const int32_t estimate = __shfl_sync(kAllLanes, own, other);
    better += estimate < own || (estimate == own && other < Lane());
  }
  return __ballot_sync(kAllLanes, has_mode && better < a_.modes_searched);
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Match() {
  if (Warp() == 0)
    PlanMatching<kTensor>(input_.counters, shared_.input, kWarps * a_.blocks, shared_.plan);
  __syncthreads();
  MatchPlanned<kTensor>(a_.list, a_.dictionary, input_, shared_.input, shared_.plan,
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
      shared_.total_count = kept.total_count;
    }
  }
  if (Thread() == 0) shared_.best_leaf = ~0ull;
  if (!alone) __syncthreads();
  const int32_t log2_total_q12 = log2_table.q12[shared_.total_count];
  int before = 0;
  for (uint32_t rest = shared_.searched_modes; rest != 0;) {
    const uint32_t modes = FirstModes(rest, ModesTogether(Node(n).level));
    DecideAmong(n, first, modes, before, log2_total_q12, own_modes);
    before += __popc(modes);
    rest &= ~modes;
  }
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::DecideAmong(int n, int first, uint32_t modes, int before,
                                                       int32_t log2_total_q12, uint32_t own_modes) {
  const BlockRect rect = Rect(n);
  const PartitionList partitions = Partitions(rect.level);
  const PartitionGrid& grid = partitions.grid;
  const SearchPrices& prices = shared_.input.prices;
  const int step_pixel = Node(n).first_pixel - Node(first).first_pixel;
  const uint8_t* predictions = a_.predictions + step_pixel * kPredictionModes;
  auto predicted = [&](int mode, int k) { return predictions[mode * rect.pixels() + k]; };
  auto residual = [&](int mode, int k) {
    const int y = k >> grid.log2_width, x = k & ((1 << grid.log2_width) - 1);
    return shared_.input.original[(rect.y + y) * kMacroblockSize + rect.x + x] - predicted(mode, k);
  };
  const auto [own_number, own_mode, share] = ShareOf(modes);
  const int at = own_number * grid.size();
  const int16_t* own_residual =
      shared_.residuals + PlaceInMask(own_modes, own_mode) * rect.pixels();
  auto own_residual_at = [&](int k) -> int {
    return own_modes != 0 ? own_residual[k] : residual(own_mode, k);
  };
  const TreeCosts costs =
      PruneResidualTrees(share, a_.list, input_, prices, partitions, shared_.entries,
                         before + own_number, own_residual_at, a_.residual_slack_q4,
                         shared_.costs + at, shared_.flags + at, shared_.norms + at);
  if (share.first == 0) {
    const int32_t mode_cost = prices.lambda.Cost(ModeRate(rect.level, log2_total_q12, own_mode));
    unsigned long long least = ~0ull;
    auto consider = [&](PredictionFlag flag, int32_t tree_cost) {
      if (tree_cost >= kImpossible) return;
      const uint32_t cost = mode_cost + prices.prediction_flags[rect.level][flag] + tree_cost;
      least = min(least, static_cast<unsigned long long>(cost) << 16 | own_mode << 8 | flag);
    };
    consider(kLeaf, costs.pattern);
    consider(kSplitResidualVertical, costs.vertical);
    consider(kSplitResidualHorizontal, costs.horizontal);
    atomicMin(&shared_.best_leaf, least);
  }
  __syncthreads();
  const unsigned long long best = shared_.best_leaf;
  const int32_t cost = static_cast<int32_t>(best >> 16);
  const int mode = best >> 8 & 255;
  const uint32_t flag = best & 255;
  const int number = PlaceInMask(modes, mode);
  const bool is_among = (modes >> mode & 1) != 0;  // or one of those before
  if (is_among && Thread() == 0) {
    const bool final = flag == kLeaf && cost < prices.good_enough[rect.level];
    a_.leaves[n] = make_int2(cost, final ? 1 : 0);
    a_.leaf_mode[n] = static_cast<uint8_t>(mode);
  }
  const uint32_t root = flag == kLeaf ? kPattern : flag - kSplitResidualVertical + kSplitVertical;
  for (int k = is_among ? Thread() : rect.pixels(); k < rect.pixels(); k += kThreads) {
    const int y = k >> grid.log2_width, x = k & ((1 << grid.log2_width) - 1);
    const LeafPlace leaf = FindLeaf(grid, shared_.flags + number * grid.size(), root, y, x);
    const Partition& p = leaf.partition;
    uint32_t index;
    int value;
    if (p.log2_pixels() == 0) {
      index = prices.pixel_index[residual(mode, k) + 255];
      value = PixelPatternValue(static_cast<int>(index));
    } else {
      const int level = LevelAt(p.log2_height, p.log2_width);
      const uint32_t entry = shared_.entries.first[level] +
                             NumberInNode(grid, before + number, p.log2_pixels(), grid.Number(p));
      index = static_cast<uint32_t>(a_.list.best[entry]);
      const int i = y & ((1 << p.log2_height) - 1), j = x & ((1 << p.log2_width) - 1);
      value = a_.dictionary.rows[a_.dictionary.first_row[level] + (index << p.log2_pixels()) +
                                 (i << p.log2_width) + j];
    }
    a_.reconstruction[Node(n).first_pixel + k] =
        static_cast<uint8_t>(min(max(predicted(mode, k) + value, 0), 255));
    a_.choices[Node(n).first_pixel + k] = PackResidual(index, leaf.path, leaf.length);
  }
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Finish() {
  for (int k = Thread(); k < kMacroblockPixels; k += kThreads) {
    const int y = k / kMacroblockSize, x = k % kMacroblockSize;
    uint32_t path = 0, length = 0;
    const int n = FindNode(0, y, x, path, length);
    const BlockRect rect = Rect(n);
    const int pixel = Node(n).first_pixel + (y - rect.y) * rect.width() + x - rect.x;
    a_.output->pixels[k] = {a_.choices[pixel], PackPrediction(path, length, a_.leaf_mode[n])};
  }
  const uint32_t* counters = reinterpret_cast<const uint32_t*>(&input_.counters);
  for (int k = Thread(); k < static_cast<int>(sizeof(SearchCounters) / 4); k += kThreads)
    reinterpret_cast<uint32_t*>(&a_.output->counters)[k] = counters[k];
  if (Thread() == 0)
    for (int stage = 0; stage < kStages; ++stage) a_.output->cycles[stage] = shared_.cycles[stage];
  __threadfence_system();
  __syncthreads();
  if (Thread() == 0) *static_cast<volatile uint32_t*>(&a_.output->stamp) = input_.stamp;
}

template <bool kCluster, bool kTensor>
__global__ void __launch_bounds__(Search<kCluster, kTensor>::kShape.threads,
                                  Search<kCluster, kTensor>::kShape.blocks_per_multiprocessor)
    SearchMacroblock(const __grid_constant__ SearchArguments arguments) {
#ifdef __CUDA_ARCH__
  // What the device that this is for does not have is not asked of it: see CodeCapability.
  if constexpr ((!kCluster || __CUDA_ARCH__ >= 900) && (!kTensor || kHaveTensorCores))
    Search<kCluster, kTensor>(arguments).Run();
  else
    __trap();
#endif
}

using Kernel = void (*)(SearchArguments);

Kernel KernelOf(const SearchConfig& config) {
  if (config.cluster)
    return config.tensor_cores ? SearchMacroblock<true, true> : SearchMacroblock<true, false>;
  return config.tensor_cores ? SearchMacroblock<false, true> : SearchMacroblock<false, false>;
}

}  // namespace

cudaError_t CodeCapability(int* capability) {
  cudaFuncAttributes attributes = {};
  const cudaError_t error = cudaFuncGetAttributes(
      &attributes, reinterpret_cast<const void*>(SearchMacroblock<false, false>));
  *capability = attributes.ptxVersion;
  return error;
}

size_t SearchSharedBytes() { return sizeof(Shared); }

size_t SearchSharedBytes(const LookupView& lookup) {
  return sizeof(Shared) + lookup.bytes + NodeBytes(lookup);
}

cudaError_t PrepareSearch(const SearchConfig& config, int device) {
  const void* kernel = reinterpret_cast<const void*>(KernelOf(config));
  // All that the device has, whatever this search needs: the limit is the kernel's, not the
  // search's, and others that need more may be running.
  int most_shared = 0;
  cudaFuncAttributes attributes = {};
  cudaError_t error =
      cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 most_shared - static_cast<int>(attributes.sharedSizeBytes));
  if (error == cudaSuccess && config.cluster && config.blocks > kPortableCluster)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  return error;
}

cudaError_t CountSearchGroups(const SearchConfig& config, size_t shared_bytes, int* groups) {
  const void* kernel = reinterpret_cast<const void*>(KernelOf(config));
  if (config.cluster) {
    GroupAttributes attributes;
    const cudaLaunchConfig_t launch =
        GroupLaunch(config.cluster, config.blocks, shared_bytes, nullptr, attributes);
    return cudaOccupancyMaxActiveClusters(groups, kernel, &launch);
  }
  int blocks = 0, device = 0, multiprocessors = 0;
  cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, kGridShape.threads, shared_bytes);
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  *groups = blocks * multiprocessors / config.blocks;
  return error;
}

cudaError_t LaunchSearch(const SearchConfig& config, const SearchArguments& arguments,
                         size_t shared_bytes, cudaStream_t stream) {
  GroupAttributes attributes;
  const cudaLaunchConfig_t launch =
      GroupLaunch(config.cluster, config.blocks, shared_bytes, stream, attributes);
  return cudaLaunchKernelEx(&launch, KernelOf(config), arguments);
}

uint32_t MatchingSize(bool tensor_cores, int level, int patterns) {
  const LevelShape shape = ShapeOfLevel(level);
  const int log2_pixels = shape.log2_pixels();
  return tensor_cores ? TensorSize(log2_pixels, patterns) : PlainSize(log2_pixels, patterns);
}

}  // namespace mmp::cuda
