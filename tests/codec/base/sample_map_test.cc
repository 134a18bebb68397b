#include "codec/base/sample_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "common/crc32c.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(SampleMapTest, EightBitsAreAsTheyAre) {
  const SampleMap map(8, {});
  EXPECT_TRUE(map.IsIdentity());
  for (int v = 0; v < 256; ++v) {
    EXPECT_EQ(map.Expanded(static_cast<uint8_t>(v)), v);
    EXPECT_EQ(map.Coded(v), v);
  }
}

TEST(SampleMapTest, TheCodedSampleIsTheNearest) {
  Random random(1);
  for (const int depth : {1, 4, 7, 9, 12, 16}) {
    const int most = LargestSample(depth);
    for (int k = 0; k < 8; ++k) {
      const int low = k == 0 ? 0 : random.Between(0, most);
      const int high = k == 0 ? most : random.Between(low, most);
      const SampleMap map(depth, {low, high});
      EXPECT_FALSE(map.IsIdentity());
      EXPECT_EQ(map.Expanded(0), low);
      EXPECT_EQ(map.Expanded(255), high);
      for (int trial = 0; trial < 50; ++trial) {
        const int sample = random.Between(low, high);
        int nearest = high - low;
        for (int v = 0; v < 256; ++v)
          nearest = std::min(nearest, std::abs(map.Expanded(static_cast<uint8_t>(v)) - sample));
        const int distance = std::abs(map.Expanded(map.Coded(sample)) - sample);
        // Both ways round: a sample halfway between two may go to either.
        ASSERT_LE(distance, nearest + 1) << depth << " " << low << " " << high << " " << sample;
      }
    }
  }
}

TEST(SampleMapTest, StepsThatDiffer) {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    SampleRange range = {100, 40100};
    for (uint8_t& code : range.steps) code = static_cast<uint8_t>(random.Between(0, trial * 6));
    const SampleMap map(16, range);
    EXPECT_EQ(map.Expanded(0), 100);
    EXPECT_EQ(map.Expanded(255), 40100);
    for (int k = 0; k < 200; ++k) {
      const int sample = random.Between(100, k % 2 == 0 ? 1000 : 40100);
      int nearest = 40100;
      for (int v = 0; v < 256; ++v)
        nearest = std::min(nearest, std::abs(map.Expanded(static_cast<uint8_t>(v)) - sample));
      ASSERT_EQ(std::abs(map.Expanded(map.Coded(sample)) - sample), nearest) << sample;
    }
  }
}

// Steps eight times as large as those of the first run; and the largest.
TEST(SampleMapTest, SizesOfSteps) {
  const SampleMap map(16, {0, 32 + 8 * 223, {0, 24, 24, 24, 24, 24, 24, 24}});
  EXPECT_EQ(map.Expanded(31), 31);
  EXPECT_EQ(map.Expanded(32), 32);
  EXPECT_EQ(map.Expanded(33), 40);
  EXPECT_EQ(map.Expanded(254), 32 + 8 * 222);
  EXPECT_EQ(map.TwoSteps(16), 2);
  EXPECT_EQ(map.TwoSteps(32), 9);
  EXPECT_EQ(map.TwoSteps(255), 16);
  const SampleMap widest(16, {0, 65535, {0, 0, 0, 0, 0, 0, 0, kMostStepCode}});
  EXPECT_EQ(widest.Expanded(224), 8);
  EXPECT_EQ(widest.Expanded(255), 65535);
  EXPECT_EQ(widest.Expanded(240), 33828);
}

// Alike, whatever their code is: as without codes.
TEST(SampleMapTest, EvenSteps) {
  SampleRange range = {5, 4000};
  const SampleMap plain(12, range);
  range.steps.fill(kMostStepCode);
  EXPECT_TRUE(range.IsEven());
  const SampleMap map(12, range);
  for (int v = 0; v < 256; ++v)
    EXPECT_EQ(map.Expanded(static_cast<uint8_t>(v)), plain.Expanded(static_cast<uint8_t>(v)));
  range.steps[7] = 0;
  EXPECT_FALSE(range.IsEven());
}

// Steps of 10; and of 1 and 8.
TEST(SampleMapTest, MeanOfSquaredSteps) {
  Image image = Image::OfDepth(12, 2, 1);
  image.SetSample(0, 1, 2550);
  EXPECT_EQ(MeanSquaredStep(image.View(), {0, 2550}), 100);
  image.SetSample(0, 1, 32 + 8 * 223);
  EXPECT_EQ(MeanSquaredStep(image.View(), {0, 32 + 8 * 223, {0, 24, 24, 24, 24, 24, 24, 24}}),
            (1 + 64) / 2.0);
}

TEST(SampleMapTest, ExpandsRows) {
  const uint8_t coded[] = {0, 1, 255};
  uint16_t wide[3];
  SampleMap(12, {100, 4000}).Expand(coded, 3, reinterpret_cast<uint8_t*>(wide));
  EXPECT_EQ(wide[0], 100);
  EXPECT_EQ(wide[1], 115);
  EXPECT_EQ(wide[2], 4000);
  uint8_t narrow[3];
  SampleMap(4, {0, 15}).Expand(coded, 3, narrow);
  EXPECT_EQ(narrow[2], 15);
}

TEST(SampleMapTest, RangeOfAnImage) {
  Image image = Image::OfDepth(16, 3, 2);
  for (int x = 0; x < 3; ++x) image.SetSample(0, x, 700);
  for (int x = 0; x < 3; ++x) image.SetSample(1, x, 65000 + x);
  EXPECT_EQ(RangeOf(image.View()), (SampleRange{700, 65002}));
  EXPECT_EQ(RangeOf(image.View().Crop(0, 0, 3, 1)), (SampleRange{700, 700}));
}

// Those of two bytes are taken least significant byte first, whatever the machine's order is.
TEST(SampleMapTest, ChecksumOfARow) {
  const uint16_t row[] = {0x0102, 0xfffe};
  const uint8_t bytes[] = {0x02, 0x01, 0xfe, 0xff};
  EXPECT_EQ(RowCrc(reinterpret_cast<const uint8_t*>(row), 2, 16, 7), Crc32c(bytes, 7));
  EXPECT_EQ(RowCrc(bytes, 4, 8, 7), Crc32c(bytes, 7));
}

}  // namespace
}  // namespace mmp
