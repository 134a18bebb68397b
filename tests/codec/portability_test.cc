// The same bytes whatever SIMD target is forced.
#include "tests/codec/portability.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(PortabilityTest, EverySimdTargetMakesTheSameBytes) {
  const std::vector<PortableResult> expected = RunPortableCases();
  ForEachSimdTarget([&] {
    const std::vector<PortableResult> results = RunPortableCases();
    ASSERT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_NE(results[i].crc, 0u) << results[i].name;
      EXPECT_EQ(results[i].crc, expected[i].crc) << results[i].name;
    }
  });
  EXPECT_GE(SimdTargetNames().size(), 1u);
}

}  // namespace
}  // namespace mmp
