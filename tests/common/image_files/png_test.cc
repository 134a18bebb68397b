// PNG files as images of 8 bits, and what is wrong with files.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/image_source.h"
#include "tests/common/image_files/png_source.h"

namespace mmp {
namespace {

// What a PngSource without transparent colors should become.
Image ExpectedGray(const PngSource& source) {
  Image image(source.width, source.height);
  const int channels = Channels(source.color_type);
  for (size_t i = 0; i < image.pixels().size(); ++i) {
    const uint16_t* sample = &source.samples[i * channels];
    if (source.color_type == PNG_COLOR_TYPE_PALETTE) {
      const png_color color = source.palette[*sample];
      image.pixels()[i] = ExpectedLuma(color.red, color.green, color.blue);
      continue;
    }
    int v[4];
    for (int c = 0; c < channels; ++c) v[c] = ScaledTo8(sample[c], source.bits);
    int gray = channels >= 3 ? ExpectedLuma(v[0], v[1], v[2]) : v[0];
    if (channels % 2 == 0) gray = ExpectedOverWhite(gray, v[channels - 1]);
    image.pixels()[i] = static_cast<uint8_t>(gray);
  }
  return image;
}

TEST(PngTest, EveryKind) {
  const struct {
    int color_type;
    std::vector<int> bits;
  } kKinds[] = {{PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}},
                {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}},
                {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}},
                {PNG_COLOR_TYPE_RGB, {8, 16}},
                {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}}};
  const struct { int width, height; } kSizes[] = {{1, 1}, {1, 9}, {3, 2}, {33, 17}};
  for (const auto& kind : kKinds) {
    for (const int bits : kind.bits) {
      for (const auto& size : kSizes) {
        for (const bool interlaced : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << "color type " << kind.color_type << ", " << bits << " bits, "
                       << size.width << "x" << size.height << (interlaced ? ", interlaced" : ""));
          const PngSource source =
              RandomPng(size.width, size.height, kind.color_type, bits, interlaced);
          const LoadedImage loaded = Parse(MakePng(source), {.depth8 = true});
          EXPECT_EQ(loaded.image, ExpectedGray(source));
        }
      }
    }
  }
}

TEST(PngTest, Notices) {
  const auto notice = [](int color_type, int bits) {
    return Parse(MakePng(RandomPng(8, 8, color_type, bits, false)), {.depth8 = true}).notice;
  };
  EXPECT_EQ(notice(PNG_COLOR_TYPE_GRAY, 8), "");
  EXPECT_EQ(notice(PNG_COLOR_TYPE_GRAY, 1), "scaled samples from 1 to 8 bits");
  EXPECT_EQ(notice(PNG_COLOR_TYPE_GRAY, 16), "scaled samples from 16 to 8 bits");
  EXPECT_EQ(notice(PNG_COLOR_TYPE_RGB, 8), kColorNotice);
  EXPECT_EQ(notice(PNG_COLOR_TYPE_PALETTE, 4), kColorNotice);
  EXPECT_EQ(notice(PNG_COLOR_TYPE_GRAY_ALPHA, 8), kAlphaNotice);
  EXPECT_EQ(notice(PNG_COLOR_TYPE_RGB_ALPHA, 16),
            std::string("scaled samples from 16 to 8 bits; ") + kColorNotice + "; " + kAlphaNotice);
}

// Colors that are all gray, and opaque alpha, change nothing.
TEST(PngTest, GrayStoredAsColorIsExact) {
  const Image image = RandomImage(16, 16, 1);
  PngSource source{.width = 16, .height = 16, .color_type = PNG_COLOR_TYPE_RGB_ALPHA};
  for (const uint8_t v : image.pixels())
    source.samples.insert(source.samples.end(), {v, v, v, 255});
  const LoadedImage loaded = Parse(MakePng(source));
  EXPECT_EQ(loaded.image, image);
  EXPECT_EQ(loaded.notice, "");
}

TEST(PngTest, Every16BitValueIsRounded) {
  PngSource source{.width = 256, .height = 256, .bits = 16};
  for (int v = 0; v < 65536; ++v) source.samples.push_back(static_cast<uint16_t>(v));
  const Bytes file = MakePng(source);
  const LoadedImage loaded = Parse(file, {.depth8 = true});
  for (int v = 0; v < 65536; ++v) ASSERT_EQ(loaded.image.pixels()[v], (2 * v + 257) / 514) << v;
  ExpectError(file, StatusCode::kUnsupported, "16 bits");
  ExpectError(file, StatusCode::kUnsupported, "--depth8");
}

TEST(PngTest, TransparentColors) {
  png_color_16 transparent{};
  transparent.gray = 7;
  PngSource gray{.width = 3, .height = 1, .samples = {6, 7, 8}, .transparent = &transparent};
  EXPECT_EQ(Parse(MakePng(gray)).image.pixels(), (Bytes{6, 255, 8}));
  EXPECT_EQ(Parse(MakePng(gray)).notice, kAlphaNotice);

  PngSource palette{.width = 3,
                    .height = 1,
                    .color_type = PNG_COLOR_TYPE_PALETTE,
                    .bits = 2,
                    .samples = {0, 1, 2},
                    .palette = {{10, 10, 10}, {20, 20, 20}, {30, 30, 30}},
                    .palette_alpha = {0, 128}};
  EXPECT_EQ(Parse(MakePng(palette)).image.pixels(),
            (Bytes{255, static_cast<uint8_t>(ExpectedOverWhite(20, 128)), 30}));

  transparent.red = 1;
  transparent.green = 2;
  transparent.blue = 3;
  PngSource rgb{.width = 2,
                .height = 1,
                .color_type = PNG_COLOR_TYPE_RGB,
                .samples = {1, 2, 3, 1, 2, 4},
                .transparent = &transparent};
  EXPECT_EQ(Parse(MakePng(rgb)).image.pixels(), (Bytes{255, 2}));
}

TEST(PngTest, EveryAlphaOfEveryGray) {
  PngSource source{.width = 256, .height = 256, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA};
  for (int i = 0; i < 65536; ++i) {
    source.samples.push_back(static_cast<uint16_t>(i & 255));
    source.samples.push_back(static_cast<uint16_t>(i >> 8));
  }
  EXPECT_EQ(Parse(MakePng(source)).image, ExpectedGray(source));
}

TEST(PngTest, WrittenImagesAreRead) {
  const struct { int width, height; } kSizes[] = {{1, 1}, {1, 300}, {300, 1}, {64, 64}, {67, 45}};
  for (const auto& size : kSizes) {
    const Image image = RandomImage(size.width, size.height, size.width);
    const Bytes file = EncodePng(image.View());
    EXPECT_EQ(file, EncodePng(image.View()));
    const LoadedImage loaded = Parse(file);
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
  }
}

// As of letters, which come again and again: no more than one of them is stored.
TEST(PngTest, RepeatsTakeFewBytes) {
  const Image letter = RandomImage(64, 16, 5);
  Image image(512, 256);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.SetSample(y, x, letter.Row(y % 16)[x % 256 / 4] / 128 * 255);
  EXPECT_LT(EncodePng(image.View()).size(), 6000u);
}

TEST(PngTest, WritesPlainGray) {
  const Image image = RandomImage(20, 10, 1);
  const Bytes file = EncodePng(image.View());
  // IHDR: width, height, depth 8, color type 0, compression, filter, no interlace
  const Bytes header(file.begin() + 16, file.begin() + 29);
  EXPECT_EQ(header, (Bytes{0, 0, 0, 20, 0, 0, 0, 10, 8, 0, 0, 0, 0}));
  const Bytes time_chunk = ToBytes("tIME");
  EXPECT_EQ(std::search(file.begin(), file.end(), time_chunk.begin(), time_chunk.end()),
            file.end());
}

TEST(PngTest, WritesViewsWithStride) {
  const Image image = RandomImage(20, 10, 1);
  const ImageView part = image.View().Crop(3, 2, 11, 5);
  const Image written = Parse(EncodePng(part)).image;
  EXPECT_EQ(written, Parse(EncodePgm(part)).image);
  ASSERT_EQ(written.width(), 11);
  ASSERT_EQ(written.height(), 5);
  for (int y = 0; y < 5; ++y) {
    EXPECT_TRUE(std::equal(part.Row(y), part.Row(y) + 11, written.Row(y)));
  }
}

TEST(PngTest, OrientationIsApplied) {
  const Image image = RandomImage(5, 3, 1);
  const Bytes file = EncodePng(image.View());
  for (const bool little_endian : {false, true}) {
    for (uint16_t value = 2; value <= 8; ++value) {
      SCOPED_TRACE(value);
      const Bytes exif = Exif(value, little_endian);
      const LoadedImage loaded = Parse(WithChunk(file, "eXIf", exif));
      EXPECT_EQ(loaded.image, ExpectedTurn(image, value));
      EXPECT_NE(loaded.notice.find("(Exif orientation " + std::to_string(value) + ")"),
                std::string::npos)
          << loaded.notice;
      // Behind the samples, too.
      EXPECT_EQ(Parse(WithChunk(file, "eXIf", exif, "IEND")).image, loaded.image);
    }
  }
  EXPECT_EQ(Parse(WithChunk(file, "eXIf", Exif(6, true))).notice,
            "turned right by 90 degrees (Exif orientation 6)");
}

TEST(PngTest, OrientationThatChangesNothing) {
  const Image image = RandomImage(5, 3, 1);
  const Bytes file = EncodePng(image.View());
  Bytes damaged = WithChunk(file, "eXIf", Exif(6, true));
  const Bytes type = ToBytes("eXIf");
  *(std::search(damaged.begin(), damaged.end(), type.begin(), type.end()) + 20) ^= 1;
  Bytes no_short = Exif(6, true);
  no_short[24] = 4;
  for (const Bytes& with :
       {WithChunk(file, "eXIf", Exif(0, false)), damaged, WithChunk(file, "eXIf", Exif(1, true)),
        WithChunk(file, "eXIf", Exif(9, true)), WithChunk(file, "eXIf", no_short)}) {
    const LoadedImage loaded = Parse(with);
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
  }
}

TEST(PngTest, WhatIsIgnoredIsSaid) {
  const Bytes file = EncodePng(RandomImage(5, 3, 1).View());
  const auto notice = [](const Bytes& bytes) { return Parse(bytes).notice; };
  const auto gamma = [&](uint32_t value) { return WithChunk(file, "gAMA", BigEndian(value)); };
  EXPECT_EQ(notice(gamma(100000)), "ignored its gamma, 1 (gAMA)");
  EXPECT_EQ(notice(gamma(55556)), "ignored its gamma, 0.55556 (gAMA)");
  // What everybody assumes without being told.
  EXPECT_EQ(notice(gamma(45455)), "");
  EXPECT_EQ(notice(WithChunk(gamma(100000), "sRGB", {0})), "");
  // Whether libpng takes the profile or not.
  Bytes profile = ToBytes("name");
  Append(profile, {0, 0, 1, 2, 3});
  const char* const kLeftOut = "left out its color profile, which is not one of gray";
  EXPECT_EQ(notice(WithChunk(file, "iCCP", profile)), kLeftOut);
  EXPECT_EQ(notice(WithChunk(gamma(100000), "iCCP", profile)), kLeftOut);
}

TEST(PngTest, FurtherFramesAreSaid) {
  const Image image = RandomImage(5, 3, 1);
  const Bytes file = EncodePng(image.View());
  // The number of frames, and that they are to be repeated for ever.
  const auto animation = [](uint8_t frames) { return Bytes{0, 0, 0, frames, 0, 0, 0, 0}; };
  const Bytes frame_control(26, 0);
  const LoadedImage three =
      Parse(WithChunk(WithChunk(file, "acTL", animation(3)), "fcTL", frame_control));
  EXPECT_EQ(three.image, image);
  EXPECT_EQ(three.notice, "left out 2 further frames of the animation");
  // The image is none of the frames.
  EXPECT_EQ(Parse(WithChunk(file, "acTL", animation(1))).notice,
            "left out 1 further frame of the animation");
  EXPECT_EQ(Parse(WithChunk(WithChunk(file, "acTL", animation(1)), "fcTL", frame_control)).notice,
            "");
}

TEST(PngTest, EveryTruncationIsAnError) {
  for (const bool interlaced : {false, true}) {
    const Bytes file = MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_RGB, 8, interlaced));
    for (size_t size = 4; size < file.size(); ++size) {
      SCOPED_TRACE(size);
      ExpectError(Bytes(file.begin(), file.begin() + size), StatusCode::kCorrupt, "damaged PNG");
    }
  }
}

TEST(PngTest, DamageIsAnError) {
  const Bytes file = EncodePng(RandomImage(9, 7, 1).View());
  const size_t checksum_of_end = file.size() - 4;  // not every libpng looks at it
  for (size_t i = 8; i < checksum_of_end; ++i) {
    Bytes damaged = file;
    damaged[i] ^= 0x10;
    EXPECT_FALSE(ParseImage(damaged, "test").ok()) << "byte " << i;
  }
}

TEST(PngTest, Limits) {
  const Bytes file = EncodePng(Image(20, 30).View());
  EXPECT_TRUE(ParseImage(file, "test", {.max_pixels = 600}).ok());
  ExpectError(file, StatusCode::kLimitExceeded, "20x30", {.max_pixels = 599});
  ExpectError(file, StatusCode::kLimitExceeded, "--max-pixels", {.max_pixels = 599});
  ExpectError(MakePng({.width = 65536, .height = 1}, true), StatusCode::kLimitExceeded, "65535");
  ExpectError(MakePng({.width = 1, .height = 2000000000}, true), StatusCode::kLimitExceeded,
              "1x2000000000");
  ExpectError(MakePng({.width = 65535, .height = 65535}, true), StatusCode::kLimitExceeded,
              "65535x65535");
}

TEST(EncodePngTest, Color) {
  RgbImage image(3, 2, {200, 100, 50});
  image.Fill(1, 1, 5, 5, {10, 20, 30});
  image.Fill(-4, -4, 5, 5, {255, 255, 255});
  const Result<LoadedImage> loaded = ParseImage(EncodePng(image), "color");
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->notice, "converted color to luma (BT.601)");
  const uint8_t first = 124, filled = 18;  // the rounded lumas
  EXPECT_EQ(loaded->image.pixels(),
            (std::vector<uint8_t>{255, first, first, first, filled, filled}));
}

}  // namespace
}  // namespace mmp
