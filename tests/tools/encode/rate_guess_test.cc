#include "tools/encode/rate_guess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "tools/encode/encode_trial.h"

namespace mmp {
namespace {

using Kind = RateTarget::Kind;

TEST(RateGuess, SamplesSquaresFromAllOver) {
  Image image(400, 200);
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 400; ++x) image.Row(y)[x] = static_cast<uint8_t>(x / 100 + 10 * (y / 100));
  const std::optional<Image> sample = SampleImage(image.View());
  ASSERT_TRUE(sample);
  ASSERT_EQ(sample->width(), 96);
  ASSERT_EQ(sample->height(), 96);
  // From the middles of the quarters, each half in two of the image's eight parts.
  EXPECT_EQ(sample->Row(0)[0], 0);
  EXPECT_EQ(sample->Row(0)[47], 1);
  EXPECT_EQ(sample->Row(95)[48], 12);
  EXPECT_EQ(sample->Row(95)[95], 13);
}

TEST(RateGuess, IsAQuarterOfTheImageAtMost) {
  for (const int side : {1, 95, 191, 192, 193, 383, 384, 385, 5000}) {
    const Image image(side, side);
    const std::optional<Image> sample = SampleImage(image.View());
    EXPECT_EQ(sample.has_value(), side >= 192) << side;
    if (sample) {
      EXPECT_LE(sample->width() * 2, side);
    }
  }
  EXPECT_FALSE(SampleImage(Image(5000, 100).View()));
}

TEST(RateGuess, Interpolates) {
  const std::vector<RateTrial> trials = {{64, 0.25, 30}, {16, 0.5, 36}, {4, 1, 40}};
  EXPECT_NEAR(InterpolateLambda(trials, {Kind::kPsnr, 33}), 32, 1e-9);
  EXPECT_NEAR(InterpolateLambda(trials, {Kind::kPsnr, 39}), std::exp2(2.5), 1e-9);
  EXPECT_NEAR(InterpolateLambda(trials, {Kind::kBitsPerPixel, 0.5}), 16, 1e-9);
  EXPECT_NEAR(InterpolateLambda(trials, {Kind::kBitsPerPixel, 0.125}), 256, 1e-9);
  EXPECT_NEAR(InterpolateLambda(trials, {Kind::kPsnr, 42}), 2, 1e-9);
  // Far off, it stays within what lambda can be.
  EXPECT_LE(InterpolateLambda(trials, {Kind::kPsnr, 1}), kMaxLambda);
  EXPECT_GE(InterpolateLambda(trials, {Kind::kPsnr, 100}), 0.125);
}

TEST(RateGuess, ConstantTrialsGiveSomeLambda) {
  const std::vector<RateTrial> flat = {{64, 0.01, 40}, {16, 0.01, 40}, {4, 0.01, 40}};
  const double lambda = InterpolateLambda(flat, {Kind::kPsnr, 38});
  EXPECT_GE(lambda, 0.125);
  EXPECT_LE(lambda, kMaxLambda);
}

TEST(RateGuess, ComesCloseOnANaturalImage) {
  const Result<LoadedImage> loaded = ReadImage(MMP_TEST_IMAGES "/natural.png");
  ASSERT_TRUE(loaded.ok());
  const ImageView image = loaded->image.View().Crop(32, 32, 192, 192);  // the smallest sampled
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.backend = Backend::kCpu;
  const auto guess = GuessLambda(image, options, {Kind::kPsnr, 34});
  ASSERT_TRUE(guess.ok());
  ASSERT_TRUE(*guess);
  const auto trials = EncodeTrials(image, options, {**guess});
  ASSERT_TRUE(trials.ok());
  EXPECT_NEAR((*trials)[0].result.psnr, 34, 1.5);
}

}  // namespace
}  // namespace mmp
