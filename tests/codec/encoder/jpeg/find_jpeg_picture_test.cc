// What pictures that were JPEG files are coded as.
#include "codec/encoder/jpeg/find_jpeg_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codec/encoder/jpeg/jpeg_steps.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// A picture as a JPEG file of this quality decodes to, brighter by `bias` than middle gray.
Image AsJpeg(const Image& picture, JpegGrid grid, int quality, int bias = 0) {
  JpegPicture jpeg(picture.width(), picture.height(), grid);
  for (int i = 0; i < kCosinePixels; ++i)
    jpeg.steps[kJpegOrder[i]] = static_cast<uint8_t>(ToldJpegStep(quality, i, 0));
  Image decoded(picture.width(), picture.height());
  for (size_t b = 0; b < jpeg.blocks.size(); ++b) {
    const int top = jpeg.top() + static_cast<int>(b) / jpeg.across * kCosineSide;
    const int left = jpeg.left() + static_cast<int>(b) % jpeg.across * kCosineSide;
    CosineBlock samples;
    for (int i = 0; i < kCosinePixels; ++i)
      samples[i] = std::clamp(
          bias - 128 +
              picture.Row(std::clamp(
                  top + i / 8, 0,
                  picture.height() - 1))[std::clamp(left + i % 8, 0, picture.width() - 1)],
          -128, 127);
    const CosineBlock coefficients = ForwardCosines(samples);
    JpegMultiples multiples;
    for (int i = 0; i < kCosinePixels; ++i) {
      const int unit = jpeg.steps[i] << kCosineFraction;
      multiples[i] =
          static_cast<int16_t>((coefficients[i] + (coefficients[i] < 0 ? -unit : unit) / 2) / unit);
    }
    const JpegBlock block = DecodeJpegBlock(multiples, jpeg.steps);
    for (int i = 0; i < kCosinePixels; ++i) {
      const int y = top + i / 8, x = left + i % 8;
      if (y >= 0 && x >= 0 && y < picture.height() && x < picture.width())
        decoded.Row(y)[x] = static_cast<uint8_t>(std::clamp(block[i], 0, 255));
    }
  }
  return decoded;
}

TEST(JpegStepsTest, AreFoundAmongNoise) {
  Random random(1);
  for (const int step : {2, 3, 5, 8, 17, 40, 99, 255}) {
    std::vector<int16_t> coefficients;
    for (int i = 0; i < 300; ++i) {
      const int multiple = random.OneIn(3) ? random.Between(-3, 3) : 0;
      coefficients.push_back(static_cast<int16_t>(32 * multiple * step + random.Between(-12, 12)));
    }
    EXPECT_EQ(FindJpegStep(coefficients), step);
  }
}

TEST(JpegStepsTest, AreNotFoundWhereThereAreNone) {
  Random random(2);
  std::vector<int16_t> coefficients(500);
  EXPECT_EQ(FindJpegStep(coefficients), 0);
  for (int16_t& each : coefficients) each = static_cast<int16_t>(random.Between(-40, 40));
  EXPECT_EQ(FindJpegStep(coefficients), 0);
  for (int16_t& each : coefficients) each = static_cast<int16_t>(random.Between(-4000, 4000));
  EXPECT_EQ(FindJpegStep(coefficients), 0);
}

TEST(FindJpegPictureTest, DecodesToTheSamples) {
  const Image texture = Draw(Picture::kTexture, 203, 150, 3);
  for (const int quality : {30, 60, 75, 85})
    for (const JpegGrid grid : {JpegGrid{0, 0}, {3, 6}}) {
      const Image image = AsJpeg(texture, grid, quality);
      const JpegPicture picture = FindJpegPicture(image.View(), grid);
      EXPECT_EQ(picture.quality, quality);
      EXPECT_LT(ErrorsOf(picture, image.View()).share[0], 0.002) << quality;
    }
}

// Whose samples are limited where they would be brighter.
TEST(FindJpegPictureTest, WhitePaperIsNoObstacle) {
  const Image texture = Draw(Picture::kTexture, 160, 160, 3);
  const Image image = AsJpeg(texture, {0, 0}, 60, 110);
  int white = 0;
  for (const uint8_t sample : image.pixels()) white += sample == 255;
  ASSERT_GT(white, 5000);
  EXPECT_LT(ErrorsOf(FindJpegPicture(image.View(), {0, 0}), image.View()).share[0], 0.1);
}

TEST(FindJpegPictureTest, LosslessFilesAreOfCoefficients) {
  const Image texture = Draw(Picture::kTexture, 203, 150, 3);
  for (const JpegGrid grid : {JpegGrid{0, 0}, {5, 2}}) {
    const Image image = AsJpeg(texture, grid, 75);
    EncodeOptions options;
    options.lambda = 0;
    const std::vector<uint8_t> file = MustEncode(image.View(), options);
    EXPECT_EQ(file[3] & 15, 7);  // the version of the format
    const auto decoded = Decode(file);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->image, image);
    EXPECT_LT(3 * file.size(), 2 * MustEncode(texture.View(), options).size());
    EXPECT_EQ(MustEncode(texture.View(), options)[3] & 15, 6);
  }
}

TEST(FindJpegPictureTest, AreTriedAtSmallLambdas) {
  const Image image = AsJpeg(Draw(Picture::kTexture, 203, 150, 3), {0, 0}, 60);
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.lambda = 5;
  const std::vector<uint8_t> file = MustEncode(image.View(), options);
  EXPECT_EQ(ReadInfo(file)->coder, Coder::kPixels);
  EXPECT_EQ(Decode(file)->image, image);
  options.exact_lambda = true;
  EXPECT_EQ(ReadInfo(MustEncode(image.View(), options))->coder, Coder::kPatterns);
  options.exact_lambda = false;
  options.lambda = 500;
  EXPECT_EQ(ReadInfo(MustEncode(image.View(), options))->coder, Coder::kPatterns);
}

}  // namespace
}  // namespace mmp
