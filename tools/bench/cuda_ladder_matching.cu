// The reference's two kernels, with all distortions in memory between them, against one kernel that
// keeps the least; pattern layouts; tensor cores.
#include <cuda_fp16.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "codec/levels.h"
#include "codec/matcher.h"
#include "cuda/match.cuh"
#include "cuda/search_arguments.h"
#include "cuda/search_kernel.h"
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
__global__ void MatchFused(const __grid_constant__ BlockListView list,
                           const __grid_constant__ DictionaryView dictionary, const int32_t* bias,
                           int level, uint32_t blocks, uint32_t range) {
  const uint32_t tile = MatchTile<kTensor>(ShapeOfLevel(level).log2_pixels());
  const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const uint32_t ranges = (kPatterns + range - 1) / range;
  const uint32_t block = warp / ranges * tile, pattern = warp % ranges * range;
  if (block >= blocks) return;
  MatchOne<kTensor>(
      list, dictionary, bias,
      {level, block, min(tile, blocks - block), pattern, min(range, kPatterns - pattern)});
}

// Residual blocks and patterns of one level.
struct Problem {
  int level, log2_pixels;
  uint32_t blocks;
  std::vector<int16_t> contents, patterns;  // one behind the other
  std::vector<int32_t> norms, index_costs, bias;
  std::vector<unsigned long long> expected;  // least J << 32 | lowest index that has it
};

Problem MakeProblem(int level, uint32_t blocks) {
  const LevelShape shape = kLevelShapes[level];
  Problem p{level, shape.log2_pixels(), blocks, {}, {}, {}, {}, {}, {}};
  const int pixels = shape.pixels();
  std::mt19937 random(level);
  // Appends noise or, one time in four, a copy of one of `known`.
  auto append = [&](std::vector<int16_t>& to, const std::vector<int16_t>& known) {
    const auto count = static_cast<uint32_t>(known.size() / pixels);
    const bool copy = random() % 4 == 0 && count > 0;
    const size_t source = copy ? size_t{random() % count} * pixels : 0;
    const int range = (2 << random() % 8) - 1;
    for (int k = 0; k < pixels; ++k) {
      const int noise = static_cast<int>(random() % (2 * range + 1)) - range;
      to.push_back(copy ? known[source + k] : static_cast<int16_t>(noise));
    }
  };
  for (uint32_t d = 0; d < kPatterns; ++d) {
    append(p.patterns, p.patterns);
    p.index_costs.push_back(static_cast<int32_t>(random() % 3 * 5000));
    p.bias.push_back(MatchKey(
        p.log2_pixels, d, ScaledNorm(&p.patterns[size_t{d} * pixels], pixels) + p.index_costs[d]));
  }
  for (uint32_t b = 0; b < blocks; ++b) {
    append(p.contents, p.patterns);
    const int16_t* r = &p.contents[size_t{b} * pixels];
    p.norms.push_back(ScaledNorm(r, pixels) / kDistortionScale);
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
    p.expected.push_back(best);
  }
  return p;
}

enum class Variant { kPlainLayout, kInterleaved, kFusedIntegers, kFusedTensor };
constexpr const char* kVariants[] = {
    "K1 + K2, patterns one behind the other", "K1 + K2, patterns interleaved",
    "fused, interleaved, integers", "fused, interleaved, tensor cores"};

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
    Must(distortions_.Allocate(size_t{problem.blocks} * kPatterns));
    list_.best = best_.data();
    list_.norms = norms_.data();
    list_.contents = contents_.data();
    dictionary_.matching = patterns_.data();
  }

  // Ends the program unless the result is the expected one.
  void Check() {
    Must(cudaMemset(best_.data(), 0xff, best_.bytes()), "clear memory");
    Must(cudaDeviceSynchronize(), "clear memory");
    Launch();
    Must(cudaStreamSynchronize(stream_.get()), "match");
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
  std::vector<uint16_t> LayOut() const {
    const int log2_pixels = problem_.log2_pixels;
    const bool tensor = variant_ == Variant::kFusedTensor;
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
    constexpr uint32_t kWarpsPerBlock = 4, kGroups = kPatterns / kPatternGroup;
    const uint32_t warps = multiprocessors_ * kGridShape.threads / 32;
    const uint32_t tiles = (problem_.blocks + tile - 1) / tile;
    const uint32_t range = (tiles * kGroups + warps - 1) / warps;
    const uint32_t groups = std::min(range, kGroups);
    const uint32_t items = tiles * ((kGroups + groups - 1) / groups);
    kernel<<<(items + kWarpsPerBlock - 1) / kWarpsPerBlock, 32 * kWarpsPerBlock, 0,
             stream_.get()>>>(list_, dictionary_, bias_.data(), problem_.level, problem_.blocks,
                              groups * kPatternGroup);
    MustLaunch();
  }

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
};

}  // namespace

Table MatchingLadder(const cudaDeviceProp& device) {
  // Of 16x16 pixels: what one node can have, in ten modes, and twenty nodes of a step.
  constexpr uint32_t kNodeResiduals = kPredictionModes, kStepResiduals = 20 * kNodeResiduals;
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

}  // namespace mmp::cuda
