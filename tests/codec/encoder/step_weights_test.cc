#include "codec/encoder/step_weights.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "mmp/types.h"

namespace mmp {
namespace {

// Steps of 1 below coded sample 32, and of 8 above.
SampleMap TwoSizes() { return {16, {0, 32 + 8 * 223, {0, 24, 24, 24, 24, 24, 24, 24}}}; }

MacroblockSamples Flat(int sample) {
  MacroblockSamples block;
  std::memset(block.samples, sample, sizeof(block.samples));
  return block;
}

TEST(StepWeightsTest, AlikeTheyChangeNothing) {
  const StepWeights weights;
  EXPECT_TRUE(weights.AreAlike());
  EXPECT_EQ(weights.LambdaOf(Flat(3), {777}).q8, 777);
  Image a(2, 1), b(2, 1);
  a.Row(0)[1] = 200;
  b.Row(0)[0] = 9;
  EXPECT_EQ(weights.SumSquaredError(a.View(), b.View()), 40000u + 81);
}

// A bit may cost the same squared error of the image's samples in every macroblock.
TEST(StepWeightsTest, MultipliersFollowTheSteps) {
  const StepWeights weights(TwoSizes(), 16);
  EXPECT_FALSE(weights.AreAlike());
  EXPECT_EQ(weights.LambdaOf(Flat(10), {256}).q8, 16 * 256);
  EXPECT_EQ(weights.LambdaOf(Flat(200), {256}).q8, 256 / 4);
  MacroblockSamples half = Flat(10);
  std::memset(half.samples, 200, sizeof(half.samples) / 2);
  EXPECT_EQ(weights.LambdaOf(half, {256}).q8, 128);  // of 126, by two significant bits
  EXPECT_EQ(weights.LambdaOf(half, {}).q8, 0);
  EXPECT_EQ(weights.LambdaOf(Flat(200), {1}).q8, 1);
  EXPECT_EQ(weights.LambdaOf(Flat(10), {1 << 24}).q8, 256 * kMaxLambda);
}

TEST(StepWeightsTest, ErrorsWeighAsTheOriginalsSteps) {
  const StepWeights weights(TwoSizes(), 16);
  Image original(2, 1), other(2, 1);
  original.Row(0)[0] = 10;
  original.Row(0)[1] = 200;
  other.Row(0)[0] = 14;
  other.Row(0)[1] = 203;
  EXPECT_EQ(weights.SumSquaredError(original.View(), other.View()), 16u / 16 + 9 * 64 / 16);
}

}  // namespace
}  // namespace mmp
