// Blocks and patterns to match on the device, random and extreme, and what comes of them.
#ifndef MMP_TESTS_CUDA_MATCH_PROBLEM_CUH_
#define MMP_TESTS_CUDA_MATCH_PROBLEM_CUH_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "codec/dictionary/dictionary.h"
#include "tests/cuda/search_memory.cuh"
#include "tests/support/test_support.h"

namespace mmp::cuda {

enum class MatchContent {
  kRandom,
  kExtreme,  // 255 and -255
  kOdd,      // the same and a few 1 and -1: sums that need all 24 bits
  kEqual,    // all patterns and costs the same
  kZero,     // zeros only
  kKnown,    // every block is a pattern, some patterns are there twice
};

inline std::vector<int16_t> RandomValues(Random& random, int pixels, MatchContent content) {
  std::vector<int16_t> values(pixels);
  if (content == MatchContent::kZero) return values;
  const int kind = random.Below(4);
  const int range = kind == 0 ? 2 : 255;
  for (int16_t& v : values) {
    int value = random.Between(-range, range);
    if (content == MatchContent::kExtreme || content == MatchContent::kOdd)
      value = kind == 0 ? 255 : kind == 1 ? -255 : random.OneIn(2) ? 255 : -255;
    if (content == MatchContent::kOdd && random.OneIn(40)) value = random.OneIn(2) ? 1 : -1;
    v = static_cast<int16_t>(value);
  }
  return values;
}

// Blocks and patterns of all levels; pattern 0 is all zeros, as in every dictionary.
struct MatchProblem {
  Patterns patterns;
  ByLevel<std::vector<int32_t>> bias;  // padded
  ByLevel<std::vector<int16_t>> blocks;
  ByLevel<int> block_count{};
};

inline MatchProblem MakeMatchProblem(Random& random, int pattern_count, int most_blocks,
                                     MatchContent content) {
  constexpr int32_t kHighestCost = 1 << 26;
  MatchProblem problem;
  for (int level = 1; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    std::vector<int16_t>& patterns = problem.patterns[level];
    std::vector<int32_t>& bias = problem.bias[level];
    const std::vector<int16_t> same = RandomValues(random, pixels, content);
    for (int p = 0; p < pattern_count; ++p) {
      std::vector<int16_t> pattern = RandomValues(random, pixels, content);
      if (content == MatchContent::kEqual) pattern = same;
      if (p == 0) pattern.assign(pixels, 0);
      if (content == MatchContent::kKnown && p > 1 && random.OneIn(3)) {
        const int16_t* earlier = &patterns[static_cast<size_t>(random.Below(p)) * pixels];
        pattern.assign(earlier, earlier + pixels);
      }
      const bool free = content == MatchContent::kEqual || content == MatchContent::kZero ||
                        content == MatchContent::kKnown || random.OneIn(2);
      bias.push_back(ScaledNorm(pattern.data(), pixels) + (free ? 0 : random.Below(kHighestCost)));
      patterns.insert(patterns.end(), pattern.begin(), pattern.end());
    }
    bias.resize(RoundUpToGroup(pattern_count), kNoMatch);
    problem.block_count[level] = random.OneIn(4) ? most_blocks : random.Below(most_blocks + 1);
    for (int b = 0; b < problem.block_count[level]; ++b) {
      std::vector<int16_t> block = RandomValues(random, pixels, content);
      if (content == MatchContent::kKnown) {
        const int16_t* known = &patterns[static_cast<size_t>(random.Below(pattern_count)) * pixels];
        block.assign(known, known + pixels);
      }
      problem.blocks[level].insert(problem.blocks[level].end(), block.begin(), block.end());
    }
  }
  return problem;
}

// The least cost and the lowest index that has it, as in the table.
inline unsigned long long PlainMatch(const MatchProblem& problem, int level, int block) {
  const int pixels = kLevelShapes[level].pixels();
  const int16_t* r = &problem.blocks[level][static_cast<size_t>(block) * pixels];
  int64_t least = INT64_MAX;
  int64_t best = 0;
  const int count = static_cast<int>(problem.patterns[level].size()) / pixels;
  for (int p = 0; p < count; ++p) {
    const int16_t* d = &problem.patterns[level][static_cast<size_t>(p) * pixels];
    const int64_t dot = std::inner_product(r, r + pixels, d, int64_t{0});
    const int64_t cost =
        ScaledNorm(r, pixels) + problem.bias[level][p] - 2 * kDistortionScale * dot;
    if (cost >= least) continue;
    least = cost;
    best = p;
  }
  return static_cast<unsigned long long>(least) << 32 | static_cast<unsigned long long>(best);
}

// A problem on the device, to be matched by tensor cores or by integers.
template <bool kTensor>
class DeviceMatching {
 public:
  // By a grid of so many blocks of so many threads.
  DeviceMatching(const MatchProblem& problem, int pattern_count, int grid, int threads)
      : block_count_(problem.block_count),
        grid_(grid),
        threads_(threads),
        list_(problem.block_count),
        dictionary_(problem.patterns, kTensor),
        input_(Input(pattern_count), problem.bias, {}),
        plans_(grid) {
    FillList(problem);
  }

  // Matches in a step for each of `parts`: one in so many of the blocks of each level are there by
  // then. The last of `parts` is 1.
  void Run(std::initializer_list<int> parts) {
    Must(cudaMemset(plans_.data(), 0, plans_.size() * sizeof(MatchPlan)));
    for (const int part : parts) {
      SearchCounters counters{};
      for (int level = 1; level < kLevelCount; ++level)
        counters.entries[level] = static_cast<uint32_t>(block_count_[level] / part);
      input_.WriteCounters(counters);
      MatchStep<kTensor>
          <<<grid_, threads_>>>(list_.view(), dictionary_.view(), input_.get(), plans_.data());
      Finish();
    }
  }

  // What has been found, as PlainMatch; and forgets it.
  ByLevel<std::vector<unsigned long long>> Take() {
    const std::vector<unsigned long long> best = list_.best().Read();
    ByLevel<std::vector<unsigned long long>> found;
    for (int level = 1; level < kLevelCount; ++level) {
      const auto first = best.begin() + list_.view().first_entry[level];
      found[level].assign(first, first + block_count_[level]);
    }
    Forget();
    return found;
  }

 private:
  static MacroblockInput Input(int pattern_count) {
    MacroblockInput input{};
    std::fill_n(input.block.patterns, kLevelCount, pattern_count);
    input.block.patterns[0] = kPixelPatterns;
    return input;
  }

  void Forget() { list_.best().Write(std::vector<unsigned long long>(list_.best().size(), ~0ull)); }

  void FillList(const MatchProblem& problem) {
    const BlockListView& view = list_.view();
    std::vector<int32_t> norms(list_.norms().size());
    std::vector<int16_t> contents(list_.contents().size());
    for (int level = 1; level < kLevelCount; ++level) {
      const int pixels = kLevelShapes[level].pixels(), count = problem.block_count[level];
      std::ranges::copy(problem.blocks[level], contents.begin() + view.first_content[level]);
      for (int b = 0; b < count; ++b)
        norms[view.first_entry[level] + b] =
            ScaledNorm(&problem.blocks[level][static_cast<size_t>(b) * pixels], pixels) /
            kDistortionScale;
    }
    list_.norms().Write(norms);
    list_.contents().Write(contents);
    Forget();
  }

  const ByLevel<int> block_count_;
  const int grid_, threads_;
  DeviceList list_;
  const DeviceDictionary dictionary_;
  DeviceInput input_;
  const DeviceArray<MatchPlan> plans_;
};

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_MATCH_PROBLEM_CUH_
