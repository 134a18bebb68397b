#include "codec/encoder/choose_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

// 128x128 samples: below `most`, but for one of 64, which are up to 60000.
Image MostlyDark(int depth, int most) {
  Random random(1);
  Image image = Image::OfDepth(depth, 128, 128);
  for (int y = 0; y < 128; ++y)
    for (int x = 0; x < 128; ++x) {
      const int brightest = random.OneIn(64) ? LargestSample(depth) - 5000 : most;
      image.SetSample(y, x, static_cast<uint16_t>(random.Below(brightest)));
    }
  return image;
}

int Step(const SampleMap& map, int coded) {
  return map.Expanded(static_cast<uint8_t>(coded + 1)) - map.Expanded(static_cast<uint8_t>(coded));
}

TEST(ChooseStepsTest, AreAlikeWhereThatIsFineEnough) {
  const Image image = MostlyDark(16, 1000);
  const SampleRange range = ChooseSteps(image.View(), 1e7);
  EXPECT_TRUE(range.IsEven());
  EXPECT_EQ(range, RangeOf(image.View()));
}

TEST(ChooseStepsTest, AreFineWhereMostSamplesAre) {
  const Image image = MostlyDark(16, 1000);
  const SampleRange range = ChooseSteps(image.View(), 1000);
  ASSERT_FALSE(range.IsEven());
  EXPECT_EQ(range.low, RangeOf(image.View()).low);
  EXPECT_EQ(range.high, RangeOf(image.View()).high);
  const SampleMap map(16, range);
  EXPECT_LT(Step(map, 10), 25);
  EXPECT_GT(Step(map, 250), 200);
  const SampleRange even = {range.low, range.high};
  EXPECT_LT(MeanSquaredStep(image.View(), range), MeanSquaredStep(image.View(), even) / 8);
}

// Where most samples are bright as where most are dark.
TEST(ChooseStepsTest, AreFineAtTheBrightEndToo) {
  Image image = MostlyDark(16, 1000);
  for (int y = 0; y < 128; ++y)
    for (int x = 0; x < 128; ++x)
      image.SetSample(y, x, static_cast<uint16_t>(65535 - image.View().Sample(y, x)));
  const SampleMap map(16, ChooseSteps(image.View(), 1000));
  EXPECT_GT(Step(map, 5), 200);
  EXPECT_LT(Step(map, 245), 25);
}

// Finer ones than the samples themselves say nothing.
TEST(ChooseStepsTest, AreNotBelowOne) {
  const SampleMap map(16, ChooseSteps(MostlyDark(16, 50).View(), 1e-3));
  for (int v = 0; v < 32; ++v) EXPECT_GE(Step(map, v), 1);
}

TEST(ChooseStepsTest, AreFinerForASmallerLambda) {
  const Image image = MostlyDark(16, 2000);
  double before = 1e18;
  for (const double lambda : {1e6, 1e5, 1e4, 1e3}) {
    const double now = MeanSquaredStep(image.View(), ChooseSteps(image.View(), lambda));
    EXPECT_LT(now, before) << lambda;
    before = now;
  }
}

TEST(ChooseStepsTest, OfFlatAndShallowImagesAreAlike) {
  EXPECT_TRUE(ChooseSteps(Image::OfDepth(16, 5, 5).View(), 1).IsEven());
  Image image = Image::OfDepth(6, 2, 1);
  image.SetSample(0, 1, 63);
  EXPECT_EQ(ChooseSteps(image.View(), 1e-3), (SampleRange{0, 63}));
  Image wide = Image::OfDepth(12, 2, 1);
  wide.SetSample(0, 1, 4095);
  EXPECT_TRUE(ChooseSteps(wide.View(), 0).IsEven());
  const SampleRange two = ChooseSteps(wide.View(), 1e-3);
  EXPECT_EQ(SampleMap(12, two).Expanded(0), 0);
  EXPECT_EQ(SampleMap(12, two).Expanded(255), 4095);
}

}  // namespace
}  // namespace mmp
