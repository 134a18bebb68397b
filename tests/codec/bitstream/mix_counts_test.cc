#include "codec/bitstream/mix_counts.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(MixCounts, EveryTargetMixesAlike) {
  Random random(1);
  for (const int size : {0, 1, 7, 64, 69, 127, 128, 129, 256, 1000}) {
    std::vector<uint32_t> values[kMixedCounts];
    std::array<const uint32_t*, kMixedCounts> counts;
    std::array<uint32_t, kMixedCounts> factors;
    for (int k = 0; k < kMixedCounts; ++k) {
      for (int i = 0; i < size; ++i)
        values[k].push_back(static_cast<uint32_t>(random.Below(1 << 15)));
      counts[k] = values[k].data();
      // Some sums pass 2^32.
      factors[k] = static_cast<uint32_t>(random.Below(size == 1000 ? 1 << 30 : 1 << 15));
    }
    std::vector<uint32_t> expected(size);
    for (int i = 0; i < size; ++i) {
      uint32_t sum = 0;
      for (int k = 0; k < kMixedCounts; ++k) sum += factors[k] * values[k][i];
      expected[i] = 1 + (sum >> 11);
    }
    ForEachSimdTarget([&] {
      std::vector<uint32_t> mixture(size);
      MixCounts(counts, factors, 11, mixture);
      EXPECT_EQ(mixture, expected);
    });
  }
}

}  // namespace
}  // namespace mmp
