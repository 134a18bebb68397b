#include "codec/tile/index_classes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

#include "tests/support/indices.h"
#include "tests/support/simd_targets.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(IndexClassesTest, TheNearestIsFoundOnEveryMachine) {
  Random random(8);
  ForEachSimdTarget([&] {
    for (int round = 0; round < 200; ++round) {
      const int most = round % 3 == 0 ? 127 : round % 3 == 1 ? 30 : 1;
      std::array<uint8_t, kPatternFeatures> weights;
      for (uint8_t& weight : weights)
        weight = static_cast<uint8_t>(round % 2 == 0 ? random.Below(256) : 255);
      std::array<FeaturesOfPattern, kPatternClasses> centres;
      for (FeaturesOfPattern& centre : centres) centre = RandomFeatures(random, most);
      centres[20] = centres[3];  // as near: the first is taken
      const IndexClasses classes(weights, centres);
      const FeaturesOfPattern features = RandomFeatures(random, most);
      ASSERT_EQ(classes.Of(features), classes.PlainOf(features));
      if (classes.PlainOf(centres[20]) != 3) continue;  // another one is the same, too
      EXPECT_EQ(classes.Of(centres[20]), 3);
    }
  });
}

TEST(IndexClassesTest, WeightsSayWhatCounts) {
  std::array<FeaturesOfPattern, kPatternClasses> centres{};
  for (FeaturesOfPattern& centre : centres) centre.fill(100);
  centres[4] = {50, 0};
  centres[9] = {0, 40};
  const auto of = [&](uint8_t first, uint8_t second) {
    return IndexClasses({first, second}, centres).Of({40, 30});
  };
  EXPECT_EQ(of(1, 0), 4);
  EXPECT_EQ(of(0, 1), 9);
  EXPECT_EQ(of(1, 1), 4);  // 100 + 900, and 1600 + 100
  EXPECT_EQ(of(1, 3), 9);
}

// Each of a level's classes is that of some pattern: of its own centre, if of no other.
TEST(IndexClassesTest, TheStandardOnesDiffer) {
  for (int level = 1; level < kLevelCount; ++level) {
    const IndexClasses& classes = StandardIndexClasses(level);
    std::set<int> found;
    for (int k = 0; k < kPatternClasses; ++k) {
      FeaturesOfPattern centre;
      for (int n = 0; n < kPatternFeatures; ++n)
        centre[n] = static_cast<int8_t>(PatternGroup::Feature(classes.Centres(), k, n));
      found.insert(classes.Of(centre));
    }
    EXPECT_EQ(found.size(), size_t{kPatternClasses}) << level;
  }
}

}  // namespace
}  // namespace mmp
