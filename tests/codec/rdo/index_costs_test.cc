#include "codec/rdo/index_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// Counts of all magnitudes, at multipliers from lossless to the largest.
TEST(IndexCosts, EveryTargetCostsAlike) {
  constexpr uint32_t kMostCount = (1u << 24) - 1;
  Random random(1);
  for (const int size : {0, 1, 2, 7, 64, 69, 1000}) {
    std::vector<uint32_t> counts(size);
    for (uint32_t& count : counts)
      count = 1 + static_cast<uint32_t>(random.Below(1 << random.Below(24)));
    if (size > 64) counts[3] = kMostCount, counts[5] = 1;
    const int32_t log2_total = Log2Q12(kMostCount) + 100;
    for (const int32_t q8 : {0, 1, 640, 12345, 65536 * 256}) {
      const Lambda lambda = {q8};
      std::vector<int32_t> expected(size);
      int32_t least = kImpossible;
      for (int i = 0; i < size; ++i) {
        expected[i] = lambda.Cost(log2_total - Log2Q12(counts[i]));
        if (i > 0) least = std::min(least, expected[i]);
      }
      ForEachSimdTarget([&] {
        std::vector<int32_t> costs(size);
        EXPECT_EQ(IndexCosts(counts.data(), log2_total, lambda, size, costs.data()), least);
        EXPECT_EQ(costs, expected);
      });
    }
  }
}

}  // namespace
}  // namespace mmp
