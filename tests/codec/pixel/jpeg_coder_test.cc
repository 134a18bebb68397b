#include "codec/pixel/jpeg_coder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "codec/pixel/pixel_coder.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr PixelFormat kFormat = {.depth = 8, .effort = 1, .may_be_jpeg = true};

// Coefficients as a photograph has them, more or less.
JpegPicture RandomPicture(Random& random, int width, int height, JpegGrid grid, int most) {
  JpegPicture picture(width, height, grid);
  picture.quality = random.Below(128);
  for (int i = 0; i < kCosinePixels; ++i)
    picture.steps[i] = static_cast<uint8_t>(random.Between(1, 1 + std::min(3 * i, 60)));
  for (JpegMultiples& block : picture.blocks)
    for (int i = 0; i < kCosinePixels; ++i)
      if (random.OneIn(1 + kJpegOrder[i] / 2))
        block[kJpegOrder[i]] = static_cast<int16_t>(random.Between(-most, most));
  return picture;
}

// What it decodes to, and `noise` added.
std::vector<uint16_t> SamplesOf(Random& random, const JpegPicture& picture, int width, int height,
                                int noise) {
  std::vector<uint16_t> samples(static_cast<size_t>(width) * height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int row = y - picture.top(), column = x - picture.left();
      const JpegBlock block = DecodeJpegBlock(
          picture.blocks[row / kCosineSide * picture.across + column / kCosineSide], picture.steps);
      const int sample =
          std::clamp(block[row % kCosineSide * kCosineSide + column % kCosineSide], 0, 255);
      samples[y * width + x] =
          static_cast<uint16_t>(std::clamp(sample + random.Between(-noise, noise), 0, 255));
    }
  }
  return samples;
}

void ExpectRoundTrip(const std::vector<uint16_t>& samples, int width, int height,
                     const JpegPicture& picture, int max_error) {
  PixelFormat format = kFormat;
  format.max_error = max_error;
  std::vector<uint16_t> reconstruction, decoded(samples.size(), 0xdead);
  const std::vector<uint8_t> stream =
      EncodePixels({samples.data(), width, width, height}, format, &reconstruction, {}, &picture);
  const Status status = DecodePixels(stream, format, width, height, decoded.data(), width);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(decoded, reconstruction);
  for (size_t i = 0; i < samples.size(); ++i)
    ASSERT_LE(std::abs(samples[i] - decoded[i]), max_error) << i;
}

TEST(JpegCoder, EverySizeGridAndBound) {
  Random random(1);
  for (const auto& [width, height] : {std::pair{1, 1}, {8, 8}, {7, 3}, {9, 17}, {40, 25}, {3, 60}})
    for (const JpegGrid grid : {JpegGrid{0, 0}, {7, 1}, {3, 0}, {0, 5}})
      for (const int noise : {0, 1, 9, 255})
        for (const int max_error : {0, 1, 4}) {
          const JpegPicture picture = RandomPicture(random, width, height, grid, 6);
          ExpectRoundTrip(SamplesOf(random, picture, width, height, noise), width, height, picture,
                          max_error);
        }
}

TEST(JpegCoder, LargeCoefficients) {
  Random random(2);
  for (const int most : {17, 18, 19, 300, kMostJpegMultiple}) {
    const JpegPicture picture = RandomPicture(random, 33, 20, {2, 6}, most);
    ExpectRoundTrip(SamplesOf(random, picture, 33, 20, 0), 33, 20, picture, 0);
  }
}

TEST(JpegCoder, EveryBlockIsOfThePicture) {
  for (int row = 0; row < kCosineSide; ++row)
    for (int side = 1; side < 20; ++side) {
      const JpegPicture picture(side, 1, {0, row});
      EXPECT_LE(picture.left(), 0);
      EXPECT_GT(picture.left(), -kCosineSide);
      EXPECT_EQ((row - picture.left()) % kCosineSide, 0);
      EXPECT_GE(picture.left() + picture.across * kCosineSide, side);
      EXPECT_LT(picture.left() + (picture.across - 1) * kCosineSide, side);
    }
}

TEST(JpegCoder, TakesLessThanHalfOfWhatSamplesTake) {
  Random random(3);
  const JpegPicture picture = RandomPicture(random, 120, 100, {0, 0}, 3);
  const std::vector<uint16_t> samples = SamplesOf(random, picture, 120, 100, 0);
  const PixelView view = {samples.data(), 120, 120, 100};
  EXPECT_LT(2 * EncodePixels(view, kFormat, nullptr, {}, &picture).size(),
            EncodePixels(view, kFormat, nullptr).size());
  const auto is_of_jpeg = [](const std::vector<uint8_t>& stream) {
    return IsOfJpeg(std::span(stream).first<kBytesThatSayJpeg>(), kFormat);
  };
  EXPECT_TRUE(is_of_jpeg(EncodePixels(view, kFormat, nullptr, {}, &picture)));
  EXPECT_FALSE(is_of_jpeg(EncodePixels(view, kFormat, nullptr)));
  // And what is better coded otherwise is.
  JpegPicture wrong = RandomPicture(random, 120, 100, {0, 0}, 3);
  EXPECT_EQ(EncodePixels(view, kFormat, nullptr, {}, &wrong), EncodePixels(view, kFormat, nullptr));
}

TEST(JpegCoder, ShortenedAndDamagedStreamsDoNoHarm) {
  Random random(4);
  const JpegPicture picture = RandomPicture(random, 50, 41, {3, 2}, 9);
  const std::vector<uint16_t> samples = SamplesOf(random, picture, 50, 41, 1);
  const std::vector<uint8_t> stream =
      EncodePixels({samples.data(), 50, 50, 41}, {.depth = 8, .max_error = 1, .may_be_jpeg = true},
                   nullptr, {}, &picture);
  const PixelFormat format = {.depth = 8, .max_error = 1, .may_be_jpeg = true};
  std::vector<uint16_t> decoded(samples.size());
  for (const size_t size : {stream.size() / 2, stream.size() - 9}) {
    const auto part = std::vector(stream.begin(), stream.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(DecodePixels(part, format, 50, 41, decoded.data(), 50).code(), StatusCode::kCorrupt);
  }
  auto longer = stream;
  longer.insert(longer.end(), 5, 1);
  EXPECT_EQ(DecodePixels(longer, format, 50, 41, decoded.data(), 50).code(), StatusCode::kCorrupt);
  for (int round = 0; round < 60; ++round) {
    auto damaged = stream;
    for (int i = 0; i < 4; ++i)
      damaged[random.Below(static_cast<int>(damaged.size()))] ^=
          static_cast<uint8_t>(1 << random.Below(8));
    (void)DecodePixels(damaged, format, 50, 41, decoded.data(), 50);
    for (const uint16_t sample : decoded) ASSERT_LE(sample, 255);
  }
}

TEST(JpegCoder, StopsWhenTold) {
  Random random(5);
  const JpegPicture picture = RandomPicture(random, 30, 60, {0, 0}, 9);
  const std::vector<uint16_t> samples = SamplesOf(random, picture, 30, 60, 0);
  const PixelView view = {samples.data(), 30, 30, 60};
  int calls = 0;
  const auto third = [&] { return ++calls < 3; };
  EXPECT_TRUE(EncodePixels(view, kFormat, nullptr, third, &picture).empty());
  const std::vector<uint8_t> stream = EncodePixels(view, kFormat, nullptr, {}, &picture);
  std::vector<uint16_t> decoded(samples.size());
  calls = 0;
  EXPECT_EQ(DecodePixels(stream, kFormat, 30, 60, decoded.data(), 30, third).code(),
            StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace mmp
