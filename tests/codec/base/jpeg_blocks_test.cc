#include "codec/base/jpeg_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(JpegBlocksTest, JpegsOrderIsAZigzag) {
  int y = 0, x = 0;
  for (const int place : kJpegOrder) {
    ASSERT_EQ(place, y * kCosineSide + x);
    const bool rises = (y + x) % 2 == 0;
    int &ahead = rises ? x : y, &back = rises ? y : x;
    if (ahead == kCosineSide - 1) {
      ++back;
    } else {
      ++ahead;
      if (back > 0) --back;
    }
  }
}

TEST(JpegBlocksTest, StepsAreThoseOfLibjpegsQualities) {
  EXPECT_EQ(ToldJpegStep(50, 0, 99), 16);
  EXPECT_EQ(ToldJpegStep(50, 63, 99), 99);
  EXPECT_EQ(ToldJpegStep(75, 0, 99), 8);
  EXPECT_EQ(ToldJpegStep(75, 1, 99), 6);
  EXPECT_EQ(ToldJpegStep(75, 2, 99), 6);
  EXPECT_EQ(ToldJpegStep(25, 1, 99), 22);
  EXPECT_EQ(ToldJpegStep(1, 0, 99), 255);
  EXPECT_EQ(ToldJpegStep(100, 63, 99), 1);
  EXPECT_EQ(ToldJpegStep(127, 63, 99), 1);
  EXPECT_EQ(ToldJpegStep(0, 63, 99), 99);
}

// What real numbers make of a block.
double Sample(const JpegMultiples& multiples, const JpegSteps& steps, int y, int x) {
  const auto cosine = [](int frequency, int place) {
    if (frequency == 0) return std::sqrt(1.0 / kCosineSide);
    return std::cos((2 * place + 1) * frequency * std::numbers::pi / 16) / 2;
  };
  double sum = 128;
  for (int i = 0; i < kCosinePixels; ++i)
    sum += cosine(i / kCosineSide, y) * cosine(i % kCosineSide, x) * multiples[i] * steps[i];
  return sum;
}

TEST(JpegBlocksTest, BlocksAreNearWhatRealNumbersMakeOfThem) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    JpegMultiples multiples;
    JpegSteps steps;
    for (int i = 0; i < kCosinePixels; ++i) {
      multiples[i] = static_cast<int16_t>(random.OneIn(3) ? random.Between(-9, 9) : 0);
      steps[i] = static_cast<uint8_t>(random.Between(1, 40));
    }
    const JpegBlock block = DecodeJpegBlock(multiples, steps);
    for (int i = 0; i < kCosinePixels; ++i)
      ASSERT_NEAR(block[i], Sample(multiples, steps, i / kCosineSide, i % kCosineSide), 0.75);
  }
}

// As libjpeg 6b decodes them, "islow".
TEST(JpegBlocksTest, BlocksAreThoseOfLibjpeg) {
  JpegMultiples multiples{};
  JpegSteps steps;
  steps.fill(10);
  multiples[0] = 7;
  EXPECT_EQ(DecodeJpegBlock(multiples, steps)[0], 128 + 9);
  multiples = {5, -3, 2, 0, 0, 0, 0, 0, 4, 1};
  const std::array<int, kCosineSide> first = {142, 140, 138, 137, 138, 141, 145, 147};
  const JpegBlock block = DecodeJpegBlock(multiples, steps);
  for (int x = 0; x < kCosineSide; ++x) EXPECT_EQ(block[x], first[x]) << x;
}

// The largest there can be, for sanitizers.
TEST(JpegBlocksTest, ExtremesFit) {
  JpegMultiples multiples;
  JpegSteps steps;
  steps.fill(kLargestJpegStep);
  for (const int sign : {1, -1}) {
    multiples.fill(static_cast<int16_t>(sign * kMostJpegMultiple));
    const JpegBlock block = DecodeJpegBlock(multiples, steps);
    EXPECT_NEAR(block[0], Sample(multiples, steps, 0, 0), 100);
  }
}

}  // namespace
}  // namespace mmp
