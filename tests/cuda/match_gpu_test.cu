// Matching by tensor cores and by integers against a plain loop.
#include <gtest/gtest.h>

#include <vector>

#include "tests/cuda/device.h"
#include "tests/cuda/match_problem.cuh"

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

class Matching : public DeviceTest {
 protected:
  // Matches in two steps, first some of the blocks, then the rest.
  template <bool kTensor>
  void Match(const MatchProblem& problem, int pattern_count, int grid, int threads) {
    DeviceMatching<kTensor> matching(problem, pattern_count, grid, threads);
    matching.Run({3, 1});
    Compare(matching.Take());
  }

  void Check(int pattern_count, int most_blocks, MatchContent content, int grid = 3,
             int threads = 96) {
    SCOPED_TRACE(testing::Message() << pattern_count << " patterns, up to " << most_blocks
                                    << " blocks, content " << static_cast<int>(content));
    Random random(static_cast<uint32_t>(pattern_count * 100 + most_blocks));
    const MatchProblem problem = MakeMatchProblem(random, pattern_count, most_blocks, content);
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
  void Compare(const ByLevel<std::vector<unsigned long long>>& found) const {
    for (int level = 1; level < kLevelCount; ++level) {
      ASSERT_EQ(found[level].size(), expected_[level].size());
      for (size_t b = 0; b < found[level].size(); ++b)
        ASSERT_EQ(found[level][b], expected_[level][b])
            << "level " << level << ", block " << b << ": cost " << (found[level][b] >> 32)
            << ", index " << (found[level][b] & 0xffffffff) << "; expected cost "
            << (expected_[level][b] >> 32) << ", index " << (expected_[level][b] & 0xffffffff);
    }
  }

  ByLevel<std::vector<unsigned long long>> expected_;
};

TEST_F(Matching, PatternCounts) {
  for (const int patterns : {1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1024})
    Check(patterns, 20, MatchContent::kRandom);
}

TEST_F(Matching, BlockCounts) {
  for (const int blocks : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 200})
    Check(70, blocks, MatchContent::kRandom);
}

TEST_F(Matching, LargestProducts) {
  for (const int patterns : {1, 33, 300}) {
    Check(patterns, 40, MatchContent::kExtreme);
    Check(patterns, 40, MatchContent::kOdd);
  }
}

TEST_F(Matching, Ties) {
  for (const int patterns : {1, 2, 32, 33, 65, 600, 1024}) {
    Check(patterns, 20, MatchContent::kEqual);
    Check(patterns, 20, MatchContent::kZero);
    Check(patterns, 20, MatchContent::kKnown);
  }
}

// Few and many warps, more warps than there is work.
TEST_F(Matching, GroupsOfAllSizes) {
  for (const auto& [grid, threads] : {std::pair(1, 32), {1, 512}, {16, 512}, {33, 64}})
    Check(130, 60, MatchContent::kRandom, grid, threads);
}

TEST_F(Matching, LargeDictionary) { Check(5000, 10, MatchContent::kRandom, 16, 512); }

}  // namespace
}  // namespace mmp::cuda
