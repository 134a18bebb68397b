// PNG files whose samples keep their depth, of 1 to 16 bits.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/image_source.h"
#include "tests/common/image_files/png_source.h"

namespace mmp {
namespace {

// What a PngSource of 16 bits without a palette should become at 16 bits.
Image ExpectedDeepGray(const PngSource& source) {
  Image image = Image::OfDepth(16, source.width, source.height);
  const int channels = Channels(source.color_type);
  for (int i = 0; i < source.width * source.height; ++i) {
    const uint16_t* const sample = &source.samples[i * channels];
    uint64_t gray = sample[0];
    if (channels >= 3) gray = (299 * gray + 587 * sample[1] + 114 * sample[2] + 500) / 1000;
    if (channels % 2 == 0) {
      const uint64_t alpha = sample[channels - 1];
      gray = (2 * (gray * alpha + 65535 * (65535 - alpha)) + 65535) / (2 * 65535);
    }
    image.Row16(0)[i] = static_cast<uint16_t>(gray);
  }
  return image;
}

TEST(PngTest, SixteenBitsOfEveryKind) {
  const struct {
    int color_type;
    std::string notice;
  } kKinds[] = {{PNG_COLOR_TYPE_GRAY, ""},
                {PNG_COLOR_TYPE_GRAY_ALPHA, kAlphaNotice},
                {PNG_COLOR_TYPE_RGB, kColorNotice},
                {PNG_COLOR_TYPE_RGB_ALPHA, std::string(kColorNotice) + "; " + kAlphaNotice}};
  const struct { int width, height; } kSizes[] = {{1, 1}, {1, 9}, {3, 2}, {33, 17}};
  for (const auto& kind : kKinds) {
    for (const auto& size : kSizes) {
      for (const bool interlaced : {false, true}) {
        SCOPED_TRACE(testing::Message() << "color type " << kind.color_type << ", " << size.width
                                        << "x" << size.height);
        const PngSource source =
            RandomPng(size.width, size.height, kind.color_type, 16, interlaced);
        const LoadedImage loaded = Parse(MakePng(source), {.max_depth = 16});
        EXPECT_EQ(loaded.image, ExpectedDeepGray(source));
        EXPECT_EQ(loaded.notice, kind.notice);
      }
    }
  }
}

// The extremes of what is multiplied.
TEST(PngTest, SixteenBitsOfAlpha) {
  PngSource source{.width = 3, .height = 3, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .bits = 16};
  for (const int gray : {0, 1, 65535}) {
    for (const int alpha : {0, 32767, 65535})
      source.samples.insert(source.samples.end(),
                            {static_cast<uint16_t>(gray), static_cast<uint16_t>(alpha)});
  }
  const Image image = Parse(MakePng(source), {.max_depth = 16}).image;
  EXPECT_EQ(image, ExpectedDeepGray(source));
  EXPECT_EQ(image.Row16(0)[0], 65535);
  EXPECT_EQ(image.Row16(0)[2], 0);
  EXPECT_EQ(image.Row16(2)[1], 65535);

  png_color_16 transparent{};
  transparent.gray = 0x1234;
  const PngSource gray{.width = 3,
                       .height = 1,
                       .bits = 16,
                       .samples = {0x1233, 0x1234, 0x1334},
                       .transparent = &transparent};
  const Image over_white = Parse(MakePng(gray), {.max_depth = 16}).image;
  EXPECT_EQ(over_white.View().Sample(0, 0), 0x1233);
  EXPECT_EQ(over_white.View().Sample(0, 1), 65535);
  EXPECT_EQ(over_white.View().Sample(0, 2), 0x1334);
}

TEST(PngTest, DepthIsThatOfTheFileUpToWhatIsAllowed) {
  const Bytes deep = MakePng(RandomPng(5, 4, PNG_COLOR_TYPE_GRAY, 16, false));
  EXPECT_EQ(Parse(deep, {.max_depth = 16}).image.depth(), 16);
  EXPECT_EQ(Parse(deep, {.max_depth = 16, .depth8 = true}).image,
            Parse(deep, {.depth8 = true}).image);
  ExpectError(deep, StatusCode::kUnsupported, "16 bits; --depth8", {.max_depth = 15});
  for (const int bits : {1, 2, 4, 8}) {
    const Bytes file = MakePng(RandomPng(5, 4, PNG_COLOR_TYPE_GRAY, bits, false));
    EXPECT_EQ(Parse(file, {.max_depth = 16}).image, Parse(file).image);
    EXPECT_EQ(Parse(file, {.min_depth = bits}).image.depth(), bits);
    EXPECT_EQ(Parse(file, {.min_depth = 1, .depth8 = true}).image, Parse(file).image);
    if (bits < 8) {
      EXPECT_EQ(Parse(file, {.min_depth = bits + 1}).image, Parse(file).image);
      EXPECT_EQ(Parse(file).notice, "scaled samples from " + std::to_string(bits) + " to 8 bits");
    }
  }
}

TEST(PngTest, FewBitsAreKept) {
  const struct { int width, height; } kSizes[] = {{1, 1}, {1, 9}, {3, 2}, {33, 17}};
  for (const int bits : {1, 2, 4}) {
    for (const auto& size : kSizes) {
      for (const bool interlaced : {false, true}) {
        SCOPED_TRACE(testing::Message() << bits << " bits, " << size.width << "x" << size.height);
        const PngSource source =
            RandomPng(size.width, size.height, PNG_COLOR_TYPE_GRAY, bits, interlaced);
        const LoadedImage loaded = Parse(MakePng(source), kAnyDepth);
        ASSERT_EQ(loaded.image.depth(), bits);
        EXPECT_TRUE(std::ranges::equal(loaded.image.pixels(), source.samples));
        EXPECT_EQ(loaded.notice, "");
      }
    }
  }
}

// What is transparent becomes white, which all depths have; the colors of a palette are of 8 bits.
TEST(PngTest, FewBitsWithTransparencyOrColors) {
  png_color_16 transparent{};
  for (const int bits : {1, 2, 4}) {
    SCOPED_TRACE(bits);
    const auto white = static_cast<uint8_t>(LargestSample(bits));
    transparent.gray = 0;
    PngSource gray{.width = 3,
                   .height = 1,
                   .bits = bits,
                   .samples = {0, 1, white},
                   .transparent = &transparent};
    EXPECT_EQ(Parse(MakePng(gray), kAnyDepth).image.pixels(), (Bytes{white, 1, white}));
    EXPECT_EQ(Parse(MakePng(gray), kAnyDepth).image.depth(), bits);
    EXPECT_EQ(Parse(MakePng(gray), kAnyDepth).notice, kAlphaNotice);
    const Bytes palette = MakePng(RandomPng(8, 8, PNG_COLOR_TYPE_PALETTE, bits, false));
    EXPECT_EQ(Parse(palette, kAnyDepth).image, Parse(palette).image);
  }
}

// Whether a file has an sBIT chunk that says `bits`.
bool HasSignificantBits(const Bytes& file, uint8_t bits) {
  Bytes chunk = ToBytes("sBIT");
  chunk.push_back(bits);
  return std::search(file.begin(), file.end(), chunk.begin(), chunk.end()) != file.end();
}

TEST(PngTest, EveryDepthIsWritten) {
  const int kFileBits[] = {0, 1, 2, 8, 4, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16};
  for (int depth = 1; depth <= 16; ++depth) {
    SCOPED_TRACE(depth);
    const Image image = RandomDeepImage(depth, 37, 11);
    const Bytes file = EncodePng(image.View());
    EXPECT_EQ(file[24], kFileBits[depth]);
    EXPECT_EQ(HasSignificantBits(file, static_cast<uint8_t>(depth)), kFileBits[depth] != depth);
    const LoadedImage loaded = Parse(file, kAnyDepth);
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
    if (depth > 8) continue;
    // Where at least 8 bits are wanted: as the highest, of about the same shade.
    const Image scaled = Parse(file, {.max_depth = 16}).image;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const int sample = scaled.Row(y)[x];
        EXPECT_EQ(sample >> (8 - depth), image.Row(y)[x]);
        EXPECT_NEAR(sample, ScaledTo8(image.Row(y)[x], depth), 1);
      }
    }
  }
}

TEST(PngTest, EveryValueOfEveryDepthIsKept) {
  for (int depth = 1; depth <= 16; ++depth) {
    SCOPED_TRACE(depth);
    const int height = 1 << std::min(depth, 8);
    Image image = Image::OfDepth(depth, (1 << depth) / height, height);
    for (int v = 0; v < 1 << depth; ++v) image.SetSample(v / image.width(), v % image.width(), v);
    EXPECT_EQ(Parse(EncodePng(image.View()), kAnyDepth).image, image);
  }
}

// A sample that does not repeat its bits needs all of them.
TEST(PngTest, SignificantBitsThatAreNotTrueAreIgnored) {
  Image image = Image::OfDepth(16, 9, 7);
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 9; ++x) image.Row16(y)[x] = 0xABCA;
  }
  const Bytes file = EncodePng(image.View());
  EXPECT_FALSE(HasSignificantBits(file, 16));
  const Bytes of_8_bits = EncodePng(Image(9, 7, 0xB6).View());  // thrice 101, cut off
  for (const int bits : {1, 2, 4, 5, 7, 9, 255})
    EXPECT_EQ(Parse(WithChunk(of_8_bits, "sBIT", {static_cast<uint8_t>(bits)}), kAnyDepth).image,
              Image(9, 7, 0xB6));
  const Bytes of_3_bits = WithChunk(of_8_bits, "sBIT", {3});
  EXPECT_EQ(Parse(of_3_bits, kAnyDepth).image.depth(), 3);
  EXPECT_EQ(Parse(of_3_bits, kAnyDepth).image.View().Sample(6, 8), 5);
  EXPECT_EQ(Parse(of_3_bits, {.min_depth = 4}).image.depth(), 8);
  EXPECT_EQ(Parse(of_3_bits, {.min_depth = 1, .depth8 = true}).image.depth(), 8);
  EXPECT_EQ(Parse(WithChunk(file, "sBIT", {5}), {.min_depth = 1, .depth8 = true}).image.depth(), 8);
  EXPECT_EQ(Parse(WithChunk(file, "sBIT", {12}), {.max_depth = 16}).image.depth(), 12);
  EXPECT_EQ(Parse(WithChunk(file, "sBIT", {12}), {.max_depth = 16}).image.View().Sample(3, 4),
            0xABC);
  for (const uint8_t bits : {0, 1, 8, 9, 11, 13, 16, 17, 255})
    EXPECT_EQ(Parse(WithChunk(file, "sBIT", {bits}), {.max_depth = 16}).image, image);
  image.Row16(6)[8] ^= 1;
  EXPECT_EQ(Parse(WithChunk(EncodePng(image.View()), "sBIT", {12}), {.max_depth = 16}).image,
            image);
  // Colors, and transparency: their luma has more bits.
  const PngSource color{.width = 1,
                        .height = 1,
                        .color_type = PNG_COLOR_TYPE_RGB,
                        .bits = 16,
                        .samples = {0xABCA, 0xABCA, 0xABCA}};
  EXPECT_EQ(Parse(WithChunk(MakePng(color), "sBIT", {12, 12, 12}), {.max_depth = 16}).image.depth(),
            16);
}

TEST(PngTest, WritesDeepViewsWithStride) {
  for (const int depth : {3, 12, 16}) {
    const Image image = RandomDeepImage(depth, 20, 10);
    const ImageView part = image.View().Crop(3, 2, 11, 5);
    const Image png = Parse(EncodePng(part), kAnyDepth).image;
    EXPECT_EQ(png, Parse(EncodePgm(part), kAnyDepth).image);
    ASSERT_EQ(png.width(), 11);
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 11; ++x)
        EXPECT_EQ(png.View().Sample(y, x), image.View().Sample(y + 2, x + 3));
    }
  }
}

TEST(PngTest, OrientationOfSixteenBits) {
  const Image image = RandomDeepImage(16, 5, 3);
  const Bytes file = EncodePng(image.View());
  for (uint16_t value = 1; value <= 8; ++value) {
    SCOPED_TRACE(value);
    EXPECT_EQ(Parse(WithChunk(file, "eXIf", Exif(value, true)), {.max_depth = 16}).image,
              ExpectedTurn(image, value));
  }
}

}  // namespace
}  // namespace mmp
