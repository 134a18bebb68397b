#include "codec/dictionary/matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "codec/base/levels.h"
#include "common/aligned_vector.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// The patterns of a level with their costs, both plain and packed. The first pattern is all zeros,
// as in every dictionary; all costs are at most kHighestCost.
class Patterns {
 public:
  static constexpr int32_t kHighestCost = 1 << 26;

  explicit Patterns(int level) : pixels_(kLevelShapes[level].pixels()) {}

  void Add(const std::vector<int16_t>& values, int32_t cost) {
    const int pairs = (pixels_ + 1) / 2;
    const size_t lane = size() % kPatternGroup;
    if (lane == 0) {
      packed_.resize(packed_.size() + pairs * kPatternGroup * 2, 0);
      bias_.resize(bias_.size() + kPatternGroup, kNoMatch);
    }
    const size_t group = packed_.size() - pairs * kPatternGroup * 2;
    int64_t norm = 0;
    for (int k = 0; k < pixels_; ++k) {
      packed_[group + (k / 2 * kPatternGroup + lane) * 2 + k % 2] =
          static_cast<int16_t>(-2 * kDistortionScale * values[k]);
      norm += kDistortionScale * values[k] * values[k];
    }
    bias_[size()] = static_cast<int32_t>(norm + cost);
    values_.push_back(values);
  }

  size_t size() const { return values_.size(); }
  PackedPatterns packed() const {
    return {packed_.data(), (pixels_ + 1) / 2, static_cast<int>(bias_.size()) / kPatternGroup};
  }
  const int32_t* bias() const { return bias_.data(); }
  int64_t Value(size_t pattern, const int16_t* block) const {
    const int64_t dot =
        std::inner_product(values_[pattern].begin(), values_[pattern].end(), block, int64_t{0});
    return bias_[pattern] - 2 * kDistortionScale * dot;
  }
  int64_t Minimum(const int16_t* block) const {
    int64_t minimum = Value(0, block);
    for (size_t p = 1; p < size(); ++p) minimum = std::min(minimum, Value(p, block));
    return minimum;
  }
  int FirstWith(const int16_t* block, int64_t value) const {
    for (size_t p = 0; p < size(); ++p)
      if (Value(p, block) == value) return static_cast<int>(p);
    return -1;
  }

 private:
  int pixels_;
  std::vector<std::vector<int16_t>> values_;
  AlignedVector<int16_t> packed_;
  AlignedVector<int32_t> bias_;
};

enum class Content { kRandom, kExtreme, kEqual };

std::vector<int16_t> RandomValues(Random& random, int pixels, Content content) {
  std::vector<int16_t> values(pixels);
  const int kind = random.Below(4);
  for (int16_t& v : values) {
    const bool extreme = content == Content::kExtreme || kind == 0;
    v = static_cast<int16_t>(extreme && kind > 1 ? (kind == 2 ? 255 : -255)
                             : extreme           ? (random.OneIn(2) ? 255 : -255)
                                                 : random.Between(-255, 255));
  }
  return values;
}

Patterns RandomPatterns(Random& random, int level, int count, Content content) {
  const int pixels = kLevelShapes[level].pixels();
  Patterns patterns(level);
  patterns.Add(std::vector<int16_t>(pixels), random.Below(Patterns::kHighestCost));
  const std::vector<int16_t> same = RandomValues(random, pixels, content);
  while (static_cast<int>(patterns.size()) < count)
    patterns.Add(
        content == Content::kEqual ? same : RandomValues(random, pixels, content),
        content == Content::kEqual || random.OneIn(2) ? 0 : random.Below(Patterns::kHighestCost));
  return patterns;
}

// Blocks one behind the other, each of two pixels at least.
std::vector<int16_t> RandomBlocks(Random& random, int level, int count, Content content) {
  std::vector<int16_t> blocks;
  for (int b = 0; b < count; ++b) {
    const std::vector<int16_t> block =
        RandomValues(random, std::max(2, kLevelShapes[level].pixels()), content);
    blocks.insert(blocks.end(), block.begin(), block.end());
  }
  return blocks;
}

// Checks MatchBlocks for 1 .. 17 blocks and FindMatch, for what is there and what is not.
void CheckMatches(int level, int patterns_count, Content content) {
  SCOPED_TRACE(testing::Message() << "level " << level << ", " << patterns_count << " patterns");
  constexpr int kMostBlocks = 17, kUntouched = 12345;
  Random random(level * 1000 + patterns_count);
  const int pixels = std::max(2, kLevelShapes[level].pixels());
  const Patterns patterns = RandomPatterns(random, level, patterns_count, content);
  const std::vector<int16_t> blocks = RandomBlocks(random, level, kMostBlocks, content);
  std::vector<int64_t> expected;
  for (int b = 0; b < kMostBlocks; ++b) expected.push_back(patterns.Minimum(&blocks[b * pixels]));

  for (int count = 1; count <= kMostBlocks; ++count) {
    std::vector<int32_t> minimum(kMostBlocks + 1, kUntouched);
    MatchBlocks(patterns.packed(), patterns.bias(), blocks.data(), count, minimum.data());
    for (int b = 0; b < count; ++b)
      ASSERT_EQ(minimum[b], expected[b]) << "block " << b << " of " << count;
    ASSERT_EQ(minimum[count], kUntouched);
  }
  for (int b = 0; b < kMostBlocks; ++b) {
    const int16_t* block = &blocks[b * pixels];
    const size_t any = random.Below(patterns_count);
    for (const int64_t value : {expected[b], patterns.Value(any, block),
                                patterns.Value(patterns.size() - 1, block), expected[b] - 1}) {
      ASSERT_EQ(FindMatch(patterns.packed(), patterns.bias(), block, static_cast<int32_t>(value)),
                patterns.FirstWith(block, value))
          << "block " << b << ", value " << value;
    }
  }
}

constexpr int kCounts[] = {1, 31, 32, 33, 63, 64, 65, 255, 256, 257};

TEST(MatcherTest, EqualsPlainSums) {
  ForEachSimdTarget([] {
    for (int level = 0; level < kLevelCount; ++level)
      for (const int count : kCounts) CheckMatches(level, count, Content::kRandom);
  });
}

TEST(MatcherTest, FullDictionaryLevels) {
  ForEachSimdTarget([] {
    for (const int level : {0, 1, 3, 8, 24}) CheckMatches(level, 1024, Content::kRandom);
  });
}

// Products as large as they can be: nothing overflows.
TEST(MatcherTest, ExtremeValues) {
  ForEachSimdTarget([] {
    for (int level = 0; level < kLevelCount; ++level)
      for (const int count : {33, 100}) CheckMatches(level, count, Content::kExtreme);
  });
}

// All costs equal: the lowest index is found.
TEST(MatcherTest, Ties) {
  ForEachSimdTarget([] {
    for (int level = 0; level < kLevelCount; ++level)
      for (const int count : {2, 32, 33, 65}) CheckMatches(level, count, Content::kEqual);
  });
}

// The places behind the last pattern never count, whatever the block.
TEST(MatcherTest, PaddingNeverWins) {
  ForEachSimdTarget([] {
    for (int level = 0; level < kLevelCount; ++level) {
      const int pixels = std::max(2, kLevelShapes[level].pixels());
      Patterns patterns(level);
      patterns.Add(std::vector<int16_t>(kLevelShapes[level].pixels()), Patterns::kHighestCost);
      for (const int value : {-255, 0, 255}) {
        const std::vector<int16_t> block(pixels, static_cast<int16_t>(value));
        int32_t minimum;
        MatchBlocks(patterns.packed(), patterns.bias(), block.data(), 1, &minimum);
        EXPECT_EQ(minimum, Patterns::kHighestCost);
        EXPECT_EQ(FindMatch(patterns.packed(), patterns.bias(), block.data(), minimum), 0);
      }
    }
  });
}

TEST(MatcherTest, NoBlocks) {
  ForEachSimdTarget([] {
    Random random(1);
    const Patterns patterns = RandomPatterns(random, 8, 40, Content::kRandom);
    MatchBlocks(patterns.packed(), patterns.bias(), nullptr, 0, nullptr);
  });
}

}  // namespace
}  // namespace mmp
