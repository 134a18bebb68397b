// Matching by tensor cores and by integers against a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "codec/dictionary.h"
#include "tests/cuda/search_memory.cuh"
#include "tests/test_support.h"

namespace mmp::cuda {
namespace {

// --- Layouts; these need no device ---

// Every element has a place of its own within the layout.
void CheckLayout(int log2_pixels, int patterns, uint32_t size,
                 uint32_t (*place)(int, uint32_t, uint32_t)) {
  SCOPED_TRACE(testing::Message() << (1 << log2_pixels) << " pixels, " << patterns << " patterns");
  std::vector<bool> taken(size);
  for (int index = 0; index < patterns; ++index) {
    for (int k = 0; k < 1 << log2_pixels; ++k) {
      const uint32_t at = place(log2_pixels, index, k);
      ASSERT_LT(at, size);
      ASSERT_FALSE(taken[at]) << "pattern " << index << ", pixel " << k;
      taken[at] = true;
    }
  }
}

constexpr int kGroups[] = {32, 64, 96, 1024};

TEST(MatchingLayout, TensorPlaceIsABijection) {
  for (int log2_pixels = 1; log2_pixels <= 8; ++log2_pixels)
    for (const int patterns : kGroups)
      CheckLayout(log2_pixels, patterns, TensorSize(log2_pixels, patterns), TensorPlace);
}

TEST(MatchingLayout, PlainPlaceIsABijection) {
  for (int log2_pixels = 1; log2_pixels <= 8; ++log2_pixels) {
    for (const int patterns : kGroups) {
      ASSERT_EQ(PlainSize(log2_pixels, patterns), static_cast<uint32_t>(patterns) << log2_pixels);
      CheckLayout(log2_pixels, patterns, PlainSize(log2_pixels, patterns), PlainPlace);
    }
  }
}

// What comes from a place: the elements of 32 patterns lie together, so that ranges of patterns can
// be matched one by one.
TEST(MatchingLayout, GroupsOfPatternsLieTogether) {
  for (int log2_pixels = 1; log2_pixels <= 8; ++log2_pixels) {
    for (uint32_t index = 0; index < 128; ++index) {
      for (uint32_t k = 0; k < 1u << log2_pixels; ++k) {
        const uint32_t tensor = TensorPlace(log2_pixels, index, k);
        ASSERT_GE(tensor, TensorSize(log2_pixels, index / 32 * 32));
        ASSERT_LT(tensor, TensorSize(log2_pixels, index / 32 * 32 + 32));
        const uint32_t plain = PlainPlace(log2_pixels, index, k);
        ASSERT_GE(plain, PlainSize(log2_pixels, index / 32 * 32));
        ASSERT_LT(plain, PlainSize(log2_pixels, index / 32 * 32 + 32));
      }
    }
  }
}

// --- Matching ---

enum class Content {
  kRandom,
  kExtreme,  // 255 and -255
  kOdd,      // the same and a few 1 and -1: sums that need all 24 bits
  kEqual,    // all patterns and costs the same
  kZero,     // zeros only
  kKnown,    // every block is a pattern, some patterns are there twice
};

std::vector<int16_t> RandomValues(Random& random, int pixels, Content content) {
  std::vector<int16_t> values(pixels);
  if (content == Content::kZero) return values;
  const int kind = random.Below(4);
  const int range = kind == 0 ? 2 : 255;
  for (int16_t& v : values) {
    int value = random.Between(-range, range);
    if (content == Content::kExtreme || content == Content::kOdd)
      value = kind == 0 ? 255 : kind == 1 ? -255 : random.OneIn(2) ? 255 : -255;
    if (content == Content::kOdd && random.OneIn(40)) value = random.OneIn(2) ? 1 : -1;
    v = static_cast<int16_t>(value);
  }
  return values;
}

// Blocks and patterns of all levels; pattern 0 is all zeros, as in every dictionary.
struct Problem {
  Patterns patterns;
  ByLevel<std::vector<int32_t>> bias;  // padded
  ByLevel<std::vector<int16_t>> blocks;
  ByLevel<int> block_count{};
};

Problem MakeProblem(Random& random, int pattern_count, int most_blocks, Content content) {
  constexpr int32_t kHighestCost = 1 << 26;
  Problem problem;
  for (int level = 1; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    std::vector<int16_t>& patterns = problem.patterns[level];
    std::vector<int32_t>& bias = problem.bias[level];
    const std::vector<int16_t> same = RandomValues(random, pixels, content);
    for (int p = 0; p < pattern_count; ++p) {
      std::vector<int16_t> pattern = RandomValues(random, pixels, content);
      if (content == Content::kEqual) pattern = same;
      if (p == 0) pattern.assign(pixels, 0);
      if (content == Content::kKnown && p > 1 && random.OneIn(3)) {
        const int16_t* earlier = &patterns[static_cast<size_t>(random.Below(p)) * pixels];
        pattern.assign(earlier, earlier + pixels);
      }
      const bool free = content == Content::kEqual || content == Content::kZero ||
                        content == Content::kKnown || random.OneIn(2);
      bias.push_back(ScaledNorm(pattern.data(), pixels) + (free ? 0 : random.Below(kHighestCost)));
      patterns.insert(patterns.end(), pattern.begin(), pattern.end());
    }
    bias.resize(RoundUpToGroup(pattern_count), kNoMatch);
    problem.block_count[level] = random.OneIn(4) ? most_blocks : random.Below(most_blocks + 1);
    for (int b = 0; b < problem.block_count[level]; ++b) {
      std::vector<int16_t> block = RandomValues(random, pixels, content);
      if (content == Content::kKnown) {
        const int16_t* known = &patterns[static_cast<size_t>(random.Below(pattern_count)) * pixels];
        block.assign(known, known + pixels);
      }
      problem.blocks[level].insert(problem.blocks[level].end(), block.begin(), block.end());
    }
  }
  return problem;
}

// The least cost and the lowest index that has it, as in the table.
unsigned long long PlainMatch(const Problem& problem, int level, int block) {
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

class Matching : public DeviceTest {
 protected:
  // Matches in two steps, first some of the blocks, then the rest.
  template <bool kTensor>
  void Match(const Problem& problem, int pattern_count, int grid, int threads) {
    DeviceList list(problem.block_count);
    const DeviceDictionary dictionary(problem.patterns, kTensor);
    FillList(problem, list);
    MacroblockInput input{};
    std::fill_n(input.block.patterns, kLevelCount, pattern_count);
    input.block.patterns[0] = kPixelPatterns;
    DeviceInput device_input(input, problem.bias, {});
    DeviceArray<MatchPlan> plans(grid);
    for (const int part : {3, 1}) {
      SearchCounters counters{};
      for (int level = 1; level < kLevelCount; ++level)
        counters.entries[level] = static_cast<uint32_t>(problem.block_count[level] / part);
      device_input.WriteCounters(counters);
      MatchStep<kTensor>
          <<<grid, threads>>>(list.view(), dictionary.view(), device_input.get(), plans.data());
      Finish();
    }
    Compare(problem, list);
  }

  void Check(int pattern_count, int most_blocks, Content content, int grid = 3, int threads = 96) {
    SCOPED_TRACE(testing::Message() << pattern_count << " patterns, up to " << most_blocks
                                    << " blocks, content " << static_cast<int>(content));
    Random random(static_cast<uint32_t>(pattern_count * 100 + most_blocks));
    const Problem problem = MakeProblem(random, pattern_count, most_blocks, content);
    expected_ = {};
    for (int level = 1; level < kLevelCount; ++level)
      for (int b = 0; b < problem.block_count[level]; ++b)
        expected_[level].push_back(PlainMatch(problem, level, b));
    {
      SCOPED_TRACE("integers");
      Match<false>(problem, pattern_count, grid, threads);
    }
    if (HasFatalFailure() || ComputeCapability() < 80) return;
    SCOPED_TRACE("tensor cores");
    Match<true>(problem, pattern_count, grid, threads);
  }

 private:
  static void FillList(const Problem& problem, DeviceList& list) {
    const BlockListView& view = list.view();
    std::vector<int32_t> norms(list.norms().size());
    std::vector<int16_t> contents(list.contents().size());
    for (int level = 1; level < kLevelCount; ++level) {
      const int pixels = kLevelShapes[level].pixels(), count = problem.block_count[level];
      std::ranges::copy(problem.blocks[level], contents.begin() + view.first_content[level]);
      for (int b = 0; b < count; ++b)
        norms[view.first_entry[level] + b] =
            ScaledNorm(&problem.blocks[level][static_cast<size_t>(b) * pixels], pixels) /
            kDistortionScale;
    }
    list.norms().Write(norms);
    list.contents().Write(contents);
    list.best().Write(std::vector<unsigned long long>(list.best().size(), ~0ull));
  }

  void Compare(const Problem& problem, DeviceList& list) const {
    const std::vector<unsigned long long> best = list.best().Read();
    for (int level = 1; level < kLevelCount; ++level) {
      for (int b = 0; b < problem.block_count[level]; ++b) {
        const unsigned long long found = best[list.view().first_entry[level] + b];
        ASSERT_EQ(found, expected_[level][b])
            << "level " << level << ", block " << b << ": cost " << (found >> 32) << ", index "
            << (found & 0xffffffff) << "; expected cost " << (expected_[level][b] >> 32)
            << ", index " << (expected_[level][b] & 0xffffffff);
      }
    }
  }

  ByLevel<std::vector<unsigned long long>> expected_;
};

TEST_F(Matching, PatternCounts) {
  for (const int patterns : {1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1024})
    Check(patterns, 20, Content::kRandom);
}

TEST_F(Matching, BlockCounts) {
  for (const int blocks : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 200})
    Check(70, blocks, Content::kRandom);
}

TEST_F(Matching, LargestProducts) {
  for (const int patterns : {1, 33, 300}) {
    Check(patterns, 40, Content::kExtreme);
    Check(patterns, 40, Content::kOdd);
  }
}

TEST_F(Matching, Ties) {
  for (const int patterns : {1, 2, 32, 33, 65, 600, 1024}) {
    Check(patterns, 20, Content::kEqual);
    Check(patterns, 20, Content::kZero);
    Check(patterns, 20, Content::kKnown);
  }
}

// Few and many warps, more warps than there is work.
TEST_F(Matching, GroupsOfAllSizes) {
  for (const auto& [grid, threads] : {std::pair(1, 32), {1, 512}, {16, 512}, {33, 64}})
    Check(130, 60, Content::kRandom, grid, threads);
}

TEST_F(Matching, LargeDictionary) { Check(5000, 10, Content::kRandom, 16, 512); }

}  // namespace
}  // namespace mmp::cuda
