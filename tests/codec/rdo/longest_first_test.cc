#include "codec/rdo/longest_first.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tests/support/pictures.h"

namespace mmp {
namespace {

// Samples that differ by up to `range` from each other.
SearchedMacroblock Macroblock(int range, uint32_t seed) {
  SearchedMacroblock macroblock{};
  Random random(seed);
  for (uint8_t& sample : macroblock.original.samples)
    sample = static_cast<uint8_t>(random.Between(128, 128 + range));
  return macroblock;
}

TEST(LongestFirstTest, VariationIsTheSumOfDifferencesWithinTheMacroblock) {
  for (const int range : {0, 1, 127}) {
    const MacroblockSamples samples = Macroblock(range, range).original;
    int sum = 0;
    for (int y = 0; y < kMacroblockSize; ++y) {
      for (int x = 0; x < kMacroblockSize; ++x) {
        const uint8_t* at = samples.samples + y * kMacroblockSize + x;
        if (x + 1 < kMacroblockSize) sum += std::abs(at[0] - at[1]);
        if (y + 1 < kMacroblockSize) sum += std::abs(at[0] - at[kMacroblockSize]);
      }
    }
    EXPECT_EQ(VariationOf(samples), sum) << range;
  }
}

TEST(LongestFirstTest, OrdersByVariation) {
  std::vector<SearchedMacroblock> front;
  for (const int range : {20, 0, 100, 5}) front.push_back(Macroblock(range, 1));
  LongestFirst order;
  for (int repeat = 0; repeat < 2; ++repeat) {
    order.Order(front);
    ASSERT_EQ(order.size(), 4);
    const int expected[] = {2, 0, 3, 1};
    for (int place = 0; place < 4; ++place) {
      EXPECT_EQ(order.Macroblock(place), expected[place]);
      EXPECT_EQ(order.Variation(place), VariationOf(front[expected[place]].original));
    }
  }
}

}  // namespace
}  // namespace mmp
