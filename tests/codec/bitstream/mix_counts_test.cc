#include "codec/bitstream/mix_counts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(MixCounts, EveryTargetMixesAlike) {
  Random random(1);
  for (const int size : {0, 1, 7, 64, 69, 127, 128, 129, 256, 1000}) {
    std::vector<uint32_t> values[kMixedCounts];
    const uint32_t* counts[kMixedCounts];
    uint32_t factors[kMixedCounts];
    for (int k = 0; k < kMixedCounts; ++k) {
      for (int i = 0; i < size; ++i)
        values[k].push_back(static_cast<uint32_t>(random.Below(1 << 15)));
      counts[k] = values[k].data();
      // Some sums pass 2^32.
      factors[k] = static_cast<uint32_t>(random.Below(size == 1000 ? 1 << 30 : 1 << 15));
    }
    std::vector<uint32_t> expected(size);
    uint32_t expected_sum = 0;
    for (int i = 0; i < size; ++i) {
      uint32_t sum = 0;
      for (int k = 0; k < kMixedCounts; ++k) sum += factors[k] * values[k][i];
      expected[i] = 1 + (sum >> 11);
      expected_sum += expected[i];
    }
    std::vector<uint32_t> expected_sums((size + kMixedBlock - 1) / kMixedBlock);
    for (int i = 0; i < size; ++i) expected_sums[i / kMixedBlock] += expected[i];
    ForEachSimdTarget([&] {
      std::vector<uint32_t> mixture(size);
      EXPECT_EQ(MixCounts(counts, factors, 11, size, mixture.data()), expected_sum);
      EXPECT_EQ(mixture, expected);
      std::vector<uint32_t> sums(expected_sums.size());
      EXPECT_EQ(SumMixedBlocks(counts, factors, 11, size, sums.data()), expected_sum);
      EXPECT_EQ(sums, expected_sums);
    });
  }
}

}  // namespace
}  // namespace mmp
