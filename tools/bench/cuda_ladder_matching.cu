// The reference's two kernels, with all distortions in memory between them, against one kernel that
// keeps the least; pattern layouts; tensor cores; equal blocks matched once.
#include <cuda_fp16.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/matcher.h"
#include "cuda/kernels/match.cuh"
#include "cuda/kernels/search_kernel.h"
#include "cuda/schedule/search_arguments.h"
#include "tools/bench/cuda_ladder.h"

namespace mmp::cuda {
namespace {

constexpr uint32_t kPatterns = 1024;
constexpr int kMatchThreads = 256;
static_assert(kPatterns % kMatchThreads == 0 && kPatterns % kPatternGroup == 0);

// The reference's aligned layout: the same pixel of 32 consecutive patterns side by side.
MMP_HOST_DEVICE uint32_t InterleavedPlace(int log2_pixels, uint32_t index, uint32_t k) {
  return (((index >> 5) << log2_pixels) + k) * 32 + (index & 31);
}

// K1, a thread a block and pattern: distortions[block][pattern].
template <bool kInterleaved>
__global__ void WriteDistortions(const int16_t* blocks, const int16_t* patterns, int log2_pixels,
                                 int32_t* distortions) {
  const uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  const int16_t* r = blocks + (blockIdx.y << log2_pixels);
  const int16_t* d =
      patterns + (kInterleaved ? InterleavedPlace(log2_pixels, index, 0) : index << log2_pixels);
  int32_t sum = 0;
  for (int k = 0; k < 1 << log2_pixels; ++k) {
    const int32_t difference = r[k] - d[kInterleaved ? 32 * k : k];
    sum += difference * difference;
  }
  distortions[blockIdx.y * kPatterns + index] = sum;
}

// K2, a thread block a block: least J << 32 | index.
__global__ void ReduceCosts(const int32_t* distortions, const int32_t* index_costs,
                            unsigned long long* best) {
  __shared__ unsigned long long least;
  if (threadIdx.x == 0) least = ~0ull;
  __syncthreads();
  unsigned long long mine = ~0ull;
  for (uint32_t p = threadIdx.x; p < kPatterns; p += blockDim.x) {
    const uint32_t cost =
        kDistortionScale * distortions[blockIdx.x * kPatterns + p] + index_costs[p];
    mine = min(mine, static_cast<unsigned long long>(cost) << 32 | p);
  }
  for (int step = 16; step > 0; step >>= 1)
    mine = min(mine, __shfl_xor_sync(kAllLanes, mine, step));
  if (threadIdx.x % 32 == 0) atomicMin(&least, mine);
  __syncthreads();
  if (threadIdx.x == 0) best[blockIdx.x] = least;
}

// Ours: a warp a tile of blocks and `range` patterns.
template <bool kTensor>
__device__ void MatchByWarps(const BlockListView& list, const DictionaryView& dictionary,
                             const int32_t* bias, int level, uint32_t blocks, uint32_t range) {
  const uint32_t tile = MatchTile<kTensor>(ShapeOfLevel(level).log2_pixels());
  const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const uint32_t ranges = (kPatterns + range - 1) / range;
  const uint32_t block = warp / ranges * tile, pattern = warp % ranges * range;
  if (block >= blocks) return;
  MatchOne<kTensor>(
      list, dictionary, bias,
      {level, block, min(tile, blocks - block), pattern, min(range, kPatterns - pattern)});
}
template <bool kTensor>
__global__ void MatchFused(const __grid_constant__ BlockListView list,
                           const __grid_constant__ DictionaryView dictionary, const int32_t* bias,
                           int level, uint32_t blocks, uint32_t range) {
  MatchByWarps<kTensor>(list, dictionary, bias, level, blocks, range);
}

// Patterns of an item, so that there are about as many items as warps.
MMP_HOST_DEVICE uint32_t ItemRange(uint32_t tiles, uint32_t warps) {
  constexpr uint32_t kGroups = kPatterns / kPatternGroup;
  const uint32_t groups = (tiles * kGroups + warps - 1) / warps;
  return (groups < kGroups ? groups : kGroups) * kPatternGroup;
}

// Four pixels.
using Word = unsigned long long;
constexpr Word kFree = ~0ull;

// Which blocks are equal. Between launches, `count` is 0 and all slots are free.
struct EqualBlocksView {
  Word* slots;         // upper half of an owner's hash << 32 | the owner
  uint32_t last_slot;  // a power of two, less 1
  uint32_t* owners;    // by block: the one equal to it, or itself, that is matched
  uint2* entries;      // by owner: its place on the list of what is matched, and its slot
  uint32_t* count;     // of owners
};

__device__ Word Mix(Word x) {
  x = (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

// Finds each block's owner, and puts the owners on `list`. A block of kWords words is looked up by
// as many lanes, a warp at most; all lanes go on until the last one's block is found.
template <int kWords>
__global__ void EnterBlocks(const __grid_constant__ BlockListView blocks,
                            const __grid_constant__ BlockListView list,
                            const __grid_constant__ EqualBlocksView equal, uint32_t count) {
  constexpr int kLanes = kWords < 32 ? kWords : 32, kOwnWords = kWords / kLanes;
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t block = thread / kLanes, member = thread % kLanes;
  const uint32_t team_begin = threadIdx.x % 32 - member;
  const uint32_t team = kAllLanes >> (32 - kLanes) << team_begin;
  const bool leads = member == 0;
  // Where this lane's words of a block begin; they are kLanes apart.
  auto words = [&](const BlockListView& of, uint32_t b) {
    return reinterpret_cast<Word*>(of.contents) + b * kWords + member;
  };
  bool searching = block < count;
  Word own[kOwnWords] = {}, hash = 0;
#pragma unroll
  for (int i = 0; i < kOwnWords; ++i) {
    if (searching) own[i] = words(blocks, block)[i * kLanes];
    hash += Mix(own[i] + (member + i * kLanes) * 0x94d049bb133111ebu);
  }
  for (int step = kLanes / 2; step > 0; step >>= 1) hash += __shfl_xor_sync(kAllLanes, hash, step);
  const Word entry = hash >> 32 << 32 | block;
  uint32_t slot = static_cast<uint32_t>(hash) & equal.last_slot, owner = block;
  bool is_new = false;
  while (__any_sync(kAllLanes, searching)) {
    Word met = kFree;
    if (searching && leads) {
      met = *const_cast<volatile Word*>(equal.slots + slot);
      if (met == kFree) met = atomicCAS(equal.slots + slot, kFree, entry);
    }
    met = __shfl_sync(kAllLanes, met, 0, kLanes);
    bool same = met != kFree && met >> 32 == entry >> 32;
#pragma unroll
    for (int i = 0; i < kOwnWords; ++i)
      same = same && words(blocks, static_cast<uint32_t>(met))[i * kLanes] == own[i];
    same = (__ballot_sync(kAllLanes, same) & team) == team;
    if (searching) {
      is_new = met == kFree;
      searching = !is_new && !same;
      if (same) owner = static_cast<uint32_t>(met);
      if (searching) slot = (slot + 1) & equal.last_slot;
    }
  }
  const uint32_t new_blocks = __ballot_sync(kAllLanes, is_new && leads);
  uint32_t place = 0;
  if (threadIdx.x % 32 == 0 && new_blocks != 0) place = atomicAdd(equal.count, __popc(new_blocks));
  place = __shfl_sync(kAllLanes, place, 0) + __popc(new_blocks & ((1u << team_begin) - 1));
  if (leads && block < count) equal.owners[block] = owner;
  if (!is_new) return;
#pragma unroll
  for (int i = 0; i < kOwnWords; ++i) words(list, place)[i * kLanes] = own[i];
  if (leads) {
    equal.entries[block] = make_uint2(place, slot);
    list.norms[place] = blocks.norms[block];
    list.best[place] = ~0ull;
  }
}

// For at least as many warps as there are items.
template <bool kTensor>
__global__ void MatchOwners(const __grid_constant__ BlockListView list,
                            const __grid_constant__ DictionaryView dictionary, const int32_t* bias,
                            int level, const uint32_t* count, uint32_t warps) {
  const uint32_t blocks = *count, tile = MatchTile<kTensor>(ShapeOfLevel(level).log2_pixels());
  MatchByWarps<kTensor>(list, dictionary, bias, level, blocks,
                        ItemRange((blocks + tile - 1) / tile, warps));
}

// Each block's result is its owner's. Leaves all as it was before EnterBlocks.
__global__ void GiveResults(const __grid_constant__ BlockListView list,
                            const __grid_constant__ EqualBlocksView equal, uint32_t count,
                            unsigned long long* best) {
  const uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block == 0) *equal.count = 0;
  if (block >= count) return;
  const uint32_t owner = equal.owners[block];
  const uint2 entry = equal.entries[owner];
  best[block] = list.best[entry.x];
  if (owner == block) equal.slots[entry.y] = kFree;
}

// Residual blocks and patterns of one level.
struct Problem {
  int level, log2_pixels;
  uint32_t blocks, distinct;
  std::vector<int16_t> contents, patterns;  // one behind the other
  std::vector<int32_t> norms, index_costs, bias;
  std::vector<unsigned long long> expected;  // least J << 32 | lowest index that has it
};

unsigned long long CostBounds(const Problem& p, const int16_t* r) {
  const int pixels = 1 << p.log2_pixels;
  unsigned long long best = ~0ull;
  for (uint32_t d = 0; d < kPatterns; ++d) {
    int32_t sum = 0;
    for (int k = 0; k < pixels; ++k) {
      const int32_t difference = r[k] - p.patterns[size_t{d} * pixels + k];
      sum += difference * difference;
    }
    const auto cost = static_cast<uint32_t>(kDistortionScale * sum + p.index_costs[d]);
    best = std::min(best, static_cast<unsigned long long>(cost) << 32 | d);
  }
  return best;
}

// One block in `one_in` is equal to none before it, all others to one; if it is 0, blocks are as
// they come.
Problem MakeProblem(int level, uint32_t blocks, uint32_t one_in = 0) {
  const LevelShape shape = kLevelShapes[level];
  Problem p{level, shape.log2_pixels(), blocks, 0, {}, {}, {}, {}, {}, {}};
  const int pixels = shape.pixels();
  std::mt19937 random(level);
  // Appends a copy of one of `known`, or noise.
  auto append = [&](std::vector<int16_t>& to, const std::vector<int16_t>& known, bool copy) {
    const auto count = static_cast<uint32_t>(known.size() / pixels);
    copy = copy && count > 0;
    const size_t source = copy ? size_t{random() % count} * pixels : 0;
    const int range = (2 << random() % 8) - 1;
    for (int k = 0; k < pixels; ++k) {
      const int noise = static_cast<int>(random() % (2 * range + 1)) - range;
      to.push_back(copy ? known[source + k] : static_cast<int16_t>(noise));
    }
  };
  for (uint32_t d = 0; d < kPatterns; ++d) {
    append(p.patterns, p.patterns, random() % 4 == 0);
    p.index_costs.push_back(static_cast<int32_t>(random() % 3 * 5000));
    p.bias.push_back(MatchKey(
        p.log2_pixels, d, ScaledNorm(&p.patterns[size_t{d} * pixels], pixels) + p.index_costs[d]));
  }
  std::map<std::vector<int16_t>, unsigned long long> least;  // of the blocks so far
  while (p.expected.size() < blocks) {
    const bool repeat = one_in > 0 && p.expected.size() % one_in != 0;
    append(p.contents, repeat ? p.contents : p.patterns, repeat || random() % 4 == 0);
    const std::vector<int16_t> r(p.contents.end() - pixels, p.contents.end());
    const auto [known, is_new] = least.try_emplace(r);
    if (one_in > 0 && is_new == repeat) {
      p.contents.resize(p.contents.size() - pixels);
      continue;
    }
    if (is_new) known->second = CostBounds(p, r.data());
    p.norms.push_back(ScaledNorm(r.data(), pixels) / kDistortionScale);
    p.expected.push_back(known->second);
  }
  p.distinct = static_cast<uint32_t>(least.size());
  return p;
}

enum class Variant { kPlainLayout, kInterleaved, kFusedIntegers, kFusedTensor, kReuse };
constexpr const char* kVariants[] = {
    "K1 + K2, patterns one behind the other", "K1 + K2, patterns interleaved",
    "fused, interleaved, integers", "fused, interleaved, tensor cores",
    "reuse on: equal blocks found, matched once"};

// One way to match a problem's blocks.
class Matching {
 public:
  Matching(const Problem& problem, Variant variant, int multiprocessors)
      : problem_(problem), variant_(variant), multiprocessors_(multiprocessors) {
    Must(stream_.Create());
    Upload(LayOut(), patterns_);
    Upload(problem.contents, contents_);
    Upload(problem.norms, norms_);
    Upload(problem.index_costs, index_costs_);
    Upload(problem.bias, bias_);
    Must(best_.Allocate(problem.blocks));
    if (variant == Variant::kPlainLayout || variant == Variant::kInterleaved)
      Must(distortions_.Allocate(size_t{problem.blocks} * kPatterns));
    list_.best = best_.data();
    list_.norms = norms_.data();
    list_.contents = contents_.data();
    dictionary_.matching = patterns_.data();
    if (variant == Variant::kReuse) PrepareReuse();
  }

  // Ends the program unless the result is the expected one.
  void Check() {
    Must(cudaMemset(best_.data(), 0xff, best_.bytes()), "clear memory");
    Must(cudaDeviceSynchronize(), "clear memory");
    for (int i = 0; i < 2; ++i) Launch();  // the second must find all as the first did
    Must(cudaStreamSynchronize(stream_.get()), "match");
    if (variant_ == Variant::kReuse) CheckOwners();
    const std::vector<unsigned long long> best = Download(best_);
    for (uint32_t b = 0; b < problem_.blocks; ++b) {
      if (best[b] == problem_.expected[b]) continue;
      auto text = [](unsigned long long match) {
        return "J " + std::to_string(match >> 32) + ", index " + std::to_string(uint32_t(match));
      };
      Fail(std::string(kVariants[static_cast<int>(variant_)]) + ": level " +
           std::to_string(problem_.level) + ", block " + std::to_string(b) + ": " + text(best[b]) +
           "; expected " + text(problem_.expected[b]));
    }
  }

  // Once, of many times in a graph, so that the host's launches do not count.
  double Microseconds() {
    constexpr int kTimes = 50;
    const Graph graph(stream_.get(), [this] {
      for (int i = 0; i < kTimes; ++i) Launch();
    });
    return DeviceMicroseconds(stream_.get(), [&] { graph.Launch(stream_.get()); }) / kTimes;
  }

 private:
  void PrepareReuse() {
    const uint32_t slots = std::bit_ceil(2 * problem_.blocks);
    Must(slots_.Allocate(slots));
    Must(cudaMemset(slots_.data(), 0xff, slots_.bytes()), "clear memory");
    Upload(std::vector<uint32_t>{0}, count_);
    Must(owners_.Allocate(problem_.blocks));
    Must(entries_.Allocate(problem_.blocks));
    Must(owner_best_.Allocate(problem_.blocks));
    Must(owner_norms_.Allocate(problem_.blocks));
    Must(owner_contents_.Allocate(problem_.contents.size()));
    equal_ = {slots_.data(), slots - 1, owners_.data(), entries_.data(), count_.data()};
    owner_list_.best = owner_best_.data();
    owner_list_.norms = owner_norms_.data();
    owner_list_.contents = owner_contents_.data();
  }

  // Ends the program unless every distinct block was matched once.
  void CheckOwners() const {
    const std::vector<uint32_t> owners = Download(owners_);
    uint32_t own = 0;
    for (uint32_t b = 0; b < problem_.blocks; ++b) own += owners[b] == b;
    if (own != problem_.distinct)
      Fail("level " + std::to_string(problem_.level) + ": " + std::to_string(own) +
           " blocks matched; expected " + std::to_string(problem_.distinct));
  }

  std::vector<uint16_t> LayOut() const {
    const int log2_pixels = problem_.log2_pixels;
    const bool tensor = variant_ == Variant::kFusedTensor || variant_ == Variant::kReuse;
    std::vector<uint16_t> laid_out(tensor ? TensorSize(log2_pixels, kPatterns)
                                          : PlainSize(log2_pixels, kPatterns));
    for (uint32_t i = 0; i < kPatterns << log2_pixels; ++i) {
      const uint32_t index = i >> log2_pixels, k = i & ((1u << log2_pixels) - 1);
      const int16_t value = problem_.patterns[i];
      if (tensor)
        laid_out[TensorPlace(log2_pixels, index, k)] = __half_as_ushort(__short2half_rn(value));
      else
        laid_out[variant_ == Variant::kFusedIntegers ? PlainPlace(log2_pixels, index, k)
                 : variant_ == Variant::kInterleaved ? InterleavedPlace(log2_pixels, index, k)
                                                     : i] = static_cast<uint16_t>(value);
    }
    return laid_out;
  }

  // Repeated, it does the same work: the least costs are there already, and are compared again.
  void Launch() {
    switch (variant_) {
      case Variant::kPlainLayout:
        return LaunchTwo(WriteDistortions<false>);
      case Variant::kInterleaved:
        return LaunchTwo(WriteDistortions<true>);
      case Variant::kFusedIntegers:
        return LaunchFused(MatchFused<false>, MatchTile<false>(problem_.log2_pixels));
      case Variant::kFusedTensor:
        return LaunchFused(MatchFused<true>, MatchTile<true>(problem_.log2_pixels));
      case Variant::kReuse:
        return LaunchReuse();
    }
  }
  template <typename Kernel>
  void LaunchTwo(Kernel kernel) {
    kernel<<<dim3(kPatterns / kMatchThreads, problem_.blocks), kMatchThreads, 0, stream_.get()>>>(
        contents_.data(), reinterpret_cast<const int16_t*>(patterns_.data()), problem_.log2_pixels,
        distortions_.data());
    MustLaunch();
    ReduceCosts<<<problem_.blocks, kMatchThreads, 0, stream_.get()>>>(
        distortions_.data(), index_costs_.data(), best_.data());
    MustLaunch();
  }
  // One item for each warp of a search by the whole device, or less.
  template <typename Kernel>
  void LaunchFused(Kernel kernel, uint32_t tile) {
    const uint32_t tiles = (problem_.blocks + tile - 1) / tile;
    const uint32_t range = ItemRange(tiles, SearchWarps());
    const uint32_t items = tiles * ((kPatterns + range - 1) / range);
    kernel<<<BlocksOfWarps(items), 32 * kWarpsPerBlock, 0, stream_.get()>>>(
        list_, dictionary_, bias_.data(), problem_.level, problem_.blocks, range);
    MustLaunch();
  }
  void LaunchReuse() {
    switch (problem_.log2_pixels) {
      case 2:
        LaunchEnter<1>();
        break;
      case 4:
        LaunchEnter<4>();
        break;
      case 6:
        LaunchEnter<16>();
        break;
      case 8:
        LaunchEnter<64>();
        break;
      default:
        Fail("no blocks of this size are looked up");
    }
    // However many blocks are distinct: items are no more than warps and tiles together.
    const uint32_t tile = MatchTile<true>(problem_.log2_pixels);
    const uint32_t tiles = (problem_.blocks + tile - 1) / tile;
    const uint32_t items = std::min(SearchWarps() + tiles, tiles * (kPatterns / kPatternGroup));
    MatchOwners<true><<<BlocksOfWarps(items), 32 * kWarpsPerBlock, 0, stream_.get()>>>(
        owner_list_, dictionary_, bias_.data(), problem_.level, count_.data(), SearchWarps());
    MustLaunch();
    GiveResults<<<(problem_.blocks + kMatchThreads - 1) / kMatchThreads, kMatchThreads, 0,
                  stream_.get()>>>(owner_list_, equal_, problem_.blocks, best_.data());
    MustLaunch();
  }
  template <int kWords>
  void LaunchEnter() {
    const uint32_t threads = problem_.blocks * std::min(kWords, 32);
    EnterBlocks<kWords>
        <<<(threads + kMatchThreads - 1) / kMatchThreads, kMatchThreads, 0, stream_.get()>>>(
            list_, owner_list_, equal_, problem_.blocks);
    MustLaunch();
  }

  static constexpr uint32_t kWarpsPerBlock = 4;
  static uint32_t BlocksOfWarps(uint32_t warps) {
    return (warps + kWarpsPerBlock - 1) / kWarpsPerBlock;
  }
  uint32_t SearchWarps() const { return multiprocessors_ * kGridShape.threads / 32; }

  const Problem& problem_;
  const Variant variant_;
  const uint32_t multiprocessors_;
  Stream stream_;
  DeviceBuffer<uint16_t> patterns_;
  DeviceBuffer<int16_t> contents_;
  DeviceBuffer<int32_t> norms_, index_costs_, bias_, distortions_;
  DeviceBuffer<unsigned long long> best_;
  BlockListView list_{};  // of one level: everything begins at 0
  DictionaryView dictionary_{};
  // For reuse.
  DeviceBuffer<Word> slots_;
  DeviceBuffer<uint32_t> count_, owners_;
  DeviceBuffer<uint2> entries_;
  DeviceBuffer<unsigned long long> owner_best_;
  DeviceBuffer<int32_t> owner_norms_;
  DeviceBuffer<int16_t> owner_contents_;
  EqualBlocksView equal_{};
  BlockListView owner_list_{};
};

// Of 16x16 pixels: what one node of the reference can have, and twenty nodes of a step.
constexpr uint32_t kNodeResiduals = kReferenceModes, kStepResiduals = 20 * kNodeResiduals;

}  // namespace

Table MatchingLadder(const cudaDeviceProp& device) {
  Table table({"matching with 1024 patterns", "residuals", "block", "blocks", "us", "G madd/s"});
  for (const uint32_t residuals : {kNodeResiduals, kStepResiduals}) {
    for (int log2_side = 1; log2_side <= 4; ++log2_side) {
      const int level = LevelOf(log2_side, log2_side);
      const uint32_t blocks = residuals * (kMacroblockPixels >> 2 * log2_side);
      const Problem problem = MakeProblem(level, blocks);
      for (const Variant variant : {Variant::kPlainLayout, Variant::kInterleaved,
                                    Variant::kFusedIntegers, Variant::kFusedTensor}) {
        if (variant == Variant::kFusedTensor && device.major < 8) continue;
        Matching matching(problem, variant, device.multiProcessorCount);
        matching.Check();
        const double microseconds = matching.Microseconds();
        const std::string side = std::to_string(1 << log2_side);
        const double multiply_adds = 1.0 * residuals * kMacroblockPixels * kPatterns;
        table.Add({kVariants[static_cast<int>(variant)], std::to_string(residuals),
                   side + "x" + side, std::to_string(blocks), Text(microseconds, 2),
                   Text(1e-3 * multiply_adds / microseconds, 0)});
      }
    }
  }
  return table;
}

Table ReuseLadder(const cudaDeviceProp& device) {
  // A step's are matched in hardly more time than three launches take.
  constexpr uint32_t kManyResiduals = 10 * kStepResiduals;
  Table table(
      {"reuse, tensor cores, 1024 patterns", "residuals", "block", "blocks", "distinct", "us"});
  if (device.major < 8) return table;
  for (const uint32_t residuals : {kStepResiduals, kManyResiduals}) {
    for (const uint32_t one_in : {1, 2, 8}) {
      for (int log2_side = 1; log2_side <= 4; ++log2_side) {
        const uint32_t blocks = residuals * (kMacroblockPixels >> 2 * log2_side);
        const Problem problem = MakeProblem(LevelOf(log2_side, log2_side), blocks, one_in);
        for (const bool reuse : {false, true}) {
          const Variant variant = reuse ? Variant::kReuse : Variant::kFusedTensor;
          Matching matching(problem, variant, device.multiProcessorCount);
          matching.Check();
          const std::string side = std::to_string(1 << log2_side);
          table.Add(
              {reuse ? kVariants[static_cast<int>(variant)] : "reuse off: every block matched",
               std::to_string(residuals), side + "x" + side, std::to_string(blocks),
               std::to_string(problem.distinct), Text(matching.Microseconds(), 2)});
        }
      }
    }
  }
  return table;
}

}  // namespace mmp::cuda
