// The tiles that an image is cut into where nothing is said of them.
#include "codec/encoder/encode_plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Size = std::pair<int, int>;  // width, height

EncodePlan PlanOf(Size size, Coder coder) {
  EncodeOptions options;
  options.coder = coder;
  return PlanTries(Image(size.first, size.second).View(), options)->at(0);
}

Size TileOf(const EncodePlan& plan) { return {plan.header.tile_width, plan.header.tile_height}; }
Size TileOf(Size size, Coder coder) { return TileOf(PlanOf(size, coder)); }

// Of an image of which every `period`-th sample is equal to the one on its left, at lambda 0.
Size LosslessTileOf(Size size, int period) {
  Image image(size.first, size.second);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) image.SetSample(y, x, (x - x / period) % 200);
  EncodeOptions options;
  options.coder = Coder::kPixels;
  options.lambda = 0;
  return TileOf(PlanTries(image.View(), options)->at(0));
}

TEST(EncodePlanTest, WithoutLossNoToolNeedsALaterVersion) {
  constexpr uint32_t kLaterTools = kAllTools & ~kToolsOfVersion6;
  const Image image = Draw(Picture::kTexture, 60, 50, 1);
  for (const double lambda : {0., 10.}) {
    for (const auto& [preset, later] : {std::pair{Preset::kThesis, 0u},
                                        {Preset::kFast, kLaterTools},
                                        {Preset::kBest, kLaterTools}}) {
      EncodeOptions options;
      options.lambda = lambda;
      options.coder = Coder::kPatterns;
      options.preset = preset;
      const FileHeader header = PlanTries(image.View(), options)->at(0).header;
      EXPECT_EQ(header.parameters.tools & kLaterTools, lambda > 0 ? later : 0u);
      EXPECT_EQ(VersionOf(header), lambda > 0 && later != 0 ? 7 : 6);
    }
  }
}

TEST(EncodePlanTest, PatternsHaveAsFewEqualTilesAsCanBe) {
  const std::vector<std::pair<Size, Size>> tiles = {
      {{1024, 1024}, {1024, 1024}}, {{2048, 512}, {2048, 512}}, {{65535, 16}, {65535, 16}},
      {{1025, 1024}, {528, 1024}},  {{1920, 1080}, {960, 544}}, {{2048, 2048}, {1024, 1024}},
      {{2304, 1920}, {768, 960}},   {{1000, 1100}, {1008, 560}}};
  for (const auto& [image, tile] : tiles)
    EXPECT_EQ(TileOf(image, Coder::kPatterns), tile) << image.first << "x" << image.second;
}

// Whatever the size, no tile is much narrower than the others.
TEST(EncodePlanTest, TheLastTilesAreAboutAsLargeAsTheOthers) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Size size = {random.Between(1025, 3000), random.Between(1025, 1500)};
    const EncodePlan plan = PlanOf(size, Coder::kPatterns);
    const int count = (size.first + 1023) / 1024 * ((size.second + 1023) / 1024);
    EXPECT_EQ(plan.grid.size(), static_cast<size_t>(count));
    for (const TileInfo& tile : plan.grid) {
      EXPECT_LE(tile.width, 1024);
      EXPECT_LE(tile.height, 1024);
      EXPECT_GT(tile.width, plan.header.tile_width - 16 * 3);
      EXPECT_GT(tile.height, plan.header.tile_height - 16 * 2);
    }
  }
}

// Where many samples are equal to the one before, what is learnt of them is worth more than
// threads.
TEST(EncodePlanTest, LosslessGroupsOfDrawingsAndScannedPagesAreLarger) {
  EXPECT_EQ(LosslessTileOf({1000, 1000}, 5), Size(1008, 144));
  EXPECT_EQ(LosslessTileOf({1000, 1000}, 3), Size(1008, 512));
  EXPECT_EQ(LosslessTileOf({300, 200}, 3), Size(300, 200));
}

// Enough of them for threads, and none so large that a region takes long.
TEST(EncodePlanTest, ThePixelCoderHasGroupsOfRows) {
  EXPECT_EQ(TileOf({300, 200}, Coder::kPixels), Size(300, 200));
  EXPECT_EQ(TileOf({1000, 1000}, Coder::kPixels), Size(1008, 144));
  EXPECT_EQ(TileOf({2304, 1920}, Coder::kPixels), Size(2304, 128));
  EXPECT_EQ(TileOf({5000, 5000}, Coder::kPixels), Size(5008, 224));
  EXPECT_EQ(TileOf({65535, 400}, Coder::kPixels), Size(65536, 32));
  // The last one is about as large as the others.
  EXPECT_EQ(TileOf({384, 384}, Coder::kPixels), Size(384, 192));
  EXPECT_EQ(TileOf({512, 512}, Coder::kPixels), Size(512, 256));
}

// Of 16 bits: dark samples below `most` and, of every 64th pixel, one at 20000.
Image DarkWithBrightSpots(int most) {
  Random random(3);
  Image image = Image::OfDepth(16, 64, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      image.SetSample(y, x, static_cast<uint16_t>(x == y ? 20000 : random.Below(most)));
  return image;
}

// The multiplier of coded samples follows the mean of the steps, errors weigh as the steps are.
TEST(EncodePlanTest, StepsDifferWhereFewSamplesAreBrightAndLambdaIsSmall) {
  const auto plan = [](const Image& image, double lambda) {
    EncodeOptions options;
    options.lambda = lambda;
    options.coder = Coder::kPatterns;
    return PlanTries(image.View(), options)->at(0);
  };
  const Image image = DarkWithBrightSpots(200);
  const EncodePlan coarse = plan(image, 10), fine = plan(image, 0.001);
  EXPECT_TRUE(coarse.header.range.IsEven());
  EXPECT_TRUE(coarse.weights.AreAlike());
  EXPECT_FALSE(fine.header.range.IsEven());
  EXPECT_FALSE(fine.weights.AreAlike());
  const double scale = 65535 / 255.0;
  EXPECT_NEAR(fine.coded_lambda.q8,
              256 * 0.001 * scale * scale / MeanSquaredStep(image.View(), fine.header.range), 1);
}

// Files of a bound have cells as large as it allows, those of a lambda their means.
TEST(EncodePlanTest, ThePixelCoderTakesMeansWhereLambdaDecides) {
  EncodeOptions options;
  options.coder = Coder::kPixels;
  const Image image(8, 8);
  const EncodePlan by_lambda = PlanTries(image.View(), options)->at(0);
  EXPECT_TRUE(by_lambda.header.by_means);
  EXPECT_EQ(by_lambda.header.max_error, 8);  // cells of 9, 9.3 being best
  options.coder = Coder::kAuto;
  options.lambda = 0;
  options.max_error = 4;
  EXPECT_FALSE(PlanTries(image.View(), options)->at(0).header.by_means);
}

TEST(EncodePlanTest, BothCodersAreTriedUpToLargerLambdasWhereSamplesAreDeep) {
  const auto tries = [](int depth) {
    Image image = Image::OfDepth(depth, 300, 4);
    for (int x = 0; x < 300; ++x) image.SetSample(0, x, x * LargestSample(depth) / 299);
    EncodeOptions options;
    options.lambda = 6;
    return PlanTries(image.View(), options)->size();
  };
  EXPECT_EQ(tries(8), 1u);
  EXPECT_EQ(tries(12), 2u);
}

}  // namespace
}  // namespace mmp
