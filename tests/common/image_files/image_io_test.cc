#include "common/image_files/image_io.h"

#include <gtest/gtest.h>
#include <png.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/file_io.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

constexpr char kColorNotice[] = "converted color to luma (BT.601)";
constexpr char kAlphaNotice[] = "composited transparency over white";

Bytes ToBytes(std::string_view text) { return Bytes(text.begin(), text.end()); }

void Append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Image RandomImage(int width, int height, uint32_t seed) {
  std::mt19937 random(seed);
  Image image(width, height);
  for (uint8_t& sample : image.pixels()) sample = static_cast<uint8_t>(random());
  return image;
}

// Samples of 1 to 16 bits, white and black among them.
Image RandomDeepImage(int depth, int width, int height) {
  std::mt19937 random(static_cast<uint32_t>(depth));
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const uint32_t largest = (1u << depth) - 1;
      const uint32_t sample = x + y == 0 ? largest : random() & largest;
      if (depth > 8) {
        image.Row16(y)[x] = static_cast<uint16_t>(sample);
      } else {
        image.Row(y)[x] = static_cast<uint8_t>(sample);
      }
    }
  }
  return image;
}

LoadedImage Parse(const Bytes& bytes, const ReadImageOptions& options = {}) {
  Result<LoadedImage> loaded = ParseImage(bytes, "test", options);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? *std::move(loaded) : LoadedImage();
}

void ExpectError(const Bytes& bytes, StatusCode code, std::string_view message,
                 const ReadImageOptions& options = {}) {
  const Result<LoadedImage> loaded = ParseImage(bytes, "test", options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), code) << loaded.status().message();
  EXPECT_NE(loaded.status().message().find(message), std::string::npos)
      << loaded.status().message();
  EXPECT_EQ(loaded.status().message().find("test "), 0u) << loaded.status().message();
}

// Gray as documented, written another way: v in [0, 65535] of `bits`, to 8 bits.
int ScaledTo8(int v, int bits) {
  const int max = (1 << bits) - 1;
  return static_cast<int>(std::floor(255.0 * v / max + 0.5));
}
int ExpectedLuma(int r, int g, int b) { return (2 * (299 * r + 587 * g + 114 * b) + 1000) / 2000; }
int ExpectedOverWhite(int gray, int alpha) {
  return static_cast<int>(std::floor(255 + (gray - 255) * (alpha / 255.0) + 0.5));
}

// ---- PNG

struct PngSource {
  int width = 0;
  int height = 0;
  int color_type = PNG_COLOR_TYPE_GRAY;
  int bits = 8;
  bool interlaced = false;
  std::vector<uint16_t> samples = {};  // row by row, interleaved
  std::vector<png_color> palette = {};
  Bytes palette_alpha = {};
  const png_color_16* transparent = nullptr;
};

int Channels(int color_type) {
  switch (color_type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    default:
      return 1;
  }
}

// Samples of 16 bits are two bytes; those of less than 8 bits are packed by libpng.
Bytes RowBytes(const PngSource& source) {
  Bytes bytes;
  for (const uint16_t sample : source.samples) {
    if (source.bits == 16) bytes.push_back(static_cast<uint8_t>(sample >> 8));
    bytes.push_back(static_cast<uint8_t>(sample));
  }
  return bytes;
}

Bytes MakePng(const PngSource& source, bool header_only = false) {
  Bytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, size_t size) {
        auto* bytes = static_cast<Bytes*>(png_get_io_ptr(p));
        bytes->insert(bytes->end(), data, data + size);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, source.width, source.height, source.bits, source.color_type,
               source.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!source.palette.empty()) {
    png_set_PLTE(png, info, source.palette.data(), static_cast<int>(source.palette.size()));
  }
  if (!source.palette_alpha.empty() || source.transparent != nullptr) {
    png_set_tRNS(png, info, source.palette_alpha.data(),
                 static_cast<int>(source.palette_alpha.size()), source.transparent);
  }
  png_write_info(png, info);
  if (header_only) {
    Append(file, {0, 0, 0, 0, 'I', 'D', 'A', 'T'});
  } else {
    png_set_packing(png);
    Bytes rows = RowBytes(source);
    std::vector<png_bytep> row_pointers;
    for (int y = 0; y < source.height; ++y) {
      row_pointers.push_back(rows.data() + y * rows.size() / source.height);
    }
    png_write_image(png, row_pointers.data());
    png_write_end(png, info);
  }
  png_destroy_write_struct(&png, &info);
  return file;
}

PngSource RandomPng(int width, int height, int color_type, int bits, bool interlaced) {
  std::mt19937 random(width * 1000 + color_type * 100 + bits);
  PngSource source{.width = width,
                   .height = height,
                   .color_type = color_type,
                   .bits = bits,
                   .interlaced = interlaced};
  source.samples.resize(size_t{1} * width * height * Channels(color_type));
  for (uint16_t& sample : source.samples) sample = random() % (1 << bits);
  if (color_type == PNG_COLOR_TYPE_PALETTE) {
    for (int i = 0; i < 1 << bits; ++i) {
      source.palette.push_back({static_cast<png_byte>(random()), static_cast<png_byte>(random()),
                                static_cast<png_byte>(random())});
    }
  }
  return source;
}

Bytes BigEndian(uint32_t number) {
  return {static_cast<uint8_t>(number >> 24), static_cast<uint8_t>(number >> 16),
          static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
}

// `file` with another chunk before the first one called `before`.
Bytes WithChunk(const Bytes& file, const std::string& type, const Bytes& data,
                const std::string& before = "IDAT") {
  const Bytes next = ToBytes(before);
  const auto at = std::search(file.begin(), file.end(), next.begin(), next.end()) - 4;
  Bytes checked = ToBytes(type);
  Append(checked, data);
  uint32_t crc = ~uint32_t{0};
  for (const uint8_t byte : checked) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1) * 0xEDB88320;
  }
  Bytes bytes(file.begin(), at);
  Append(bytes, BigEndian(static_cast<uint32_t>(data.size())));
  Append(bytes, checked);
  Append(bytes, BigEndian(~crc));
  Append(bytes, Bytes(at, file.end()));
  return bytes;
}

// An Exif block: a TIFF header, and a directory of an entry that does not matter and the
// orientation.
Bytes Exif(uint16_t orientation, bool little_endian) {
  Bytes bytes = ToBytes(little_endian ? "II" : "MM");
  const auto put = [&](uint32_t number, int size) {
    for (int i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(number >> 8 * (little_endian ? i : size - 1 - i)));
  };
  put(42, 2);
  put(8, 4);       // where the directory is
  put(2, 2);       // entries
  put(0x0100, 2);  // width
  put(4, 2), put(1, 4), put(6, 4);
  put(0x0112, 2);  // orientation: one 16-bit number
  put(3, 2), put(1, 4), put(orientation, 2), put(0, 2);
  put(0, 4);  // no more directories
  return bytes;
}

// `image` turned as the standard says of the orientation: by where the first row and column of the
// samples are shown.
Image ExpectedTurn(const Image& image, int orientation) {
  const int w = image.width(), h = image.height();
  Image shown = Image::OfDepth(image.depth(), orientation < 5 ? w : h, orientation < 5 ? h : w);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const struct {
        int x, y;
      } kPlaces[] = {{x, y},  // 1: row at the top, column at the left
                     {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
                     {y, x},  // 5: row at the left, column at the top
                     {h - 1 - y, x}, {h - 1 - y, w - 1 - x}, {y, w - 1 - x}};
      const auto& place = kPlaces[orientation - 1];
      const int bytes = SampleBytes(image.depth());
      std::copy_n(image.Row(y) + x * bytes, bytes, shown.Row(place.y) + place.x * bytes);
    }
  }
  return shown;
}

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
    const LoadedImage loaded = Parse(file, {.max_depth = 16});
    if (depth > 8) {
      EXPECT_EQ(loaded.image, image);
      EXPECT_EQ(loaded.notice, "");
      continue;
    }
    // Less than 8 bits are read as 8: as the highest, of about the same shade.
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const int sample = loaded.image.Row(y)[x];
        EXPECT_EQ(sample >> (8 - depth), image.Row(y)[x]);
        EXPECT_NEAR(sample, ScaledTo8(image.Row(y)[x], depth), 1);
      }
    }
  }
}

TEST(PngTest, EveryValueOfEveryDepthIsKept) {
  for (int depth = 9; depth <= 16; ++depth) {
    SCOPED_TRACE(depth);
    Image image = Image::OfDepth(depth, 1 << (depth - 8), 256);
    for (int v = 0; v < 1 << depth; ++v) image.Row16(0)[v] = static_cast<uint16_t>(v);
    EXPECT_EQ(Parse(EncodePng(image.View()), {.max_depth = 16}).image, image);
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
    const Image png = Parse(EncodePng(part), {.max_depth = 16}).image;
    EXPECT_EQ(png, Parse(EncodePgm(part), {.max_depth = 16}).image);
    ASSERT_EQ(png.width(), 11);
    if (depth == 3) continue;
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

// ---- PGM and PPM

constexpr char kBitNotice[] = "scaled samples from 1 to 8 bits";
constexpr char kFurtherNotice[] = "left out the file's further images";

TEST(PnmTest, Valid) {
  const struct {
    std::string file;
    int width, height;
    Bytes samples;
    std::string notice;
  } kCases[] = {
      {"P5 2 1 255 AB", 2, 1, {'A', 'B'}, ""},
      {"P5\n2 2\n255\n\n# \r", 2, 2, {'\n', '#', ' ', '\r'}, ""},
      {"P5#one\n2#two\n#three\n\t1 255#four\nAB", 2, 1, {'A', 'B'}, ""},
      {"P5 # comment\r2\v1\f255\rAB and more", 2, 1, {'A', 'B'}, ""},
      {"P2 3 1 255 0 9 255", 3, 1, {0, 9, 255}, ""},
      {"P2\n3\n1\n255\n0#black\n 009 #\n\n255\n", 3, 1, {0, 9, 255}, ""},
      {"P2 3 1 1 0 1 1", 3, 1, {0, 255, 255}, "scaled samples from maxval 1 to 255"},
      {"P2 4 1 7 0 3 4 7", 4, 1, {0, 109, 146, 255}, "scaled samples from maxval 7 to 255"},
      {std::string("P5 2 1 2 \1\2"), 2, 1, {128, 255}, "scaled samples from maxval 2 to 255"},
      {"P3 2 1 255 5 5 5 255 0 0", 2, 1, {5, 76}, kColorNotice},
      {"P3 1 1 255 5 5 5", 1, 1, {5}, ""},
      {"P6 1 2 255 abcaaa", 1, 2, {98, 97}, kColorNotice},
      {"P1 3 2 1 0 1 0 0 1", 3, 2, {0, 255, 0, 255, 255, 0}, kBitNotice},
      {"P1\n3 #x\n2\n101#\n001", 3, 2, {0, 255, 0, 255, 255, 0}, kBitNotice},
      {"P4 3 2\n\xA0\x20", 3, 2, {0, 255, 0, 255, 255, 0}, kBitNotice},
      {"P4 9 1 \x01\x80", 9, 1, {255, 255, 255, 255, 255, 255, 255, 0, 0}, kBitNotice},
      {"P5 1 1 255\nA\nP5 1 1 255\nB", 1, 1, {'A'}, kFurtherNotice},
      {"P2 1 1 255 9 P2 1 1 255 8", 1, 1, {9}, kFurtherNotice},
      {"P4 1 1 \x7FP4 1 1 \x7F", 1, 1, {255}, std::string(kBitNotice) + "; " + kFurtherNotice},
      {"P3 1 1 5 5 0 0",
       1,
       1,
       {76},
       std::string("scaled samples from maxval 5 to 255; ") + kColorNotice},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    const LoadedImage loaded = Parse(ToBytes(test.file));
    EXPECT_EQ(loaded.image.width(), test.width);
    EXPECT_EQ(loaded.image.height(), test.height);
    EXPECT_EQ(loaded.image.pixels(), test.samples);
    EXPECT_EQ(loaded.notice, test.notice);
  }
}

TEST(PnmTest, MoreThan8Bits) {
  Bytes raw = ToBytes("P5 256 256 65535 ");
  std::string plain = "P2 256 256 65535";
  for (int v = 0; v < 65536; ++v) {
    raw.push_back(static_cast<uint8_t>(v >> 8));
    raw.push_back(static_cast<uint8_t>(v));
    plain += " " + std::to_string(v);
  }
  const LoadedImage loaded = Parse(raw, {.depth8 = true});
  for (int v = 0; v < 65536; ++v) ASSERT_EQ(loaded.image.pixels()[v], (2 * v + 257) / 514) << v;
  EXPECT_EQ(loaded.notice, "scaled samples from maxval 65535 to 255");
  EXPECT_EQ(Parse(ToBytes(plain), {.depth8 = true}).image, loaded.image);
  ExpectError(raw, StatusCode::kUnsupported, "16 bits");
  // Even numbers are halved exactly.
  EXPECT_EQ(Parse(ToBytes("P2 2 1 510 0 508"), {.depth8 = true}).image.pixels(), (Bytes{0, 254}));
}

TEST(PnmTest, MoreThan8BitsKept) {
  for (int depth = 9; depth <= 16; ++depth) {
    SCOPED_TRACE(depth);
    const Image image = RandomDeepImage(depth, 13, 7);
    const Bytes file = EncodePgm(image.View());
    const Bytes header = ToBytes("P5\n13 7\n" + std::to_string((1 << depth) - 1) + "\n");
    ASSERT_EQ(file.size(), header.size() + 13 * 7 * 2);
    EXPECT_EQ(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(header.size())), header);
    EXPECT_EQ(file[header.size()] << 8 | file[header.size() + 1], (1 << depth) - 1);  // big-endian
    const LoadedImage loaded = Parse(file, {.max_depth = 16});
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
    ExpectError(file, StatusCode::kUnsupported,
                std::to_string(depth) + " bits; --depth8 reads them scaled to 8 bits",
                {.max_depth = depth - 1});
  }
}

TEST(PnmTest, MaxvalThatIsNotThatOfADepth) {
  const struct {
    std::string file;
    int depth;
    std::vector<int> samples;
    std::string notice;
  } kCases[] = {
      {"P2 3 1 256 0 128 256", 9, {0, 256, 511}, "scaled samples from maxval 256 to 511"},
      {"P2 4 1 1000 0 1 500 1000",
       10,
       {0, 1, 512, 1023},
       "scaled samples from maxval 1000 to 1023"},
      {"P2 2 1 65534 65534 32767", 16, {65535, 32768}, "scaled samples from maxval 65534 to 65535"},
      {"P2 2 1 300 0 300", 9, {0, 511}, "scaled samples from maxval 300 to 511"},
      {"P3 1 1 1023 1023 5 70", 10, {317}, kColorNotice},
      {"P2 2 1 4095 7 4095", 12, {7, 4095}, ""},
      {"P2 2 1 255 7 255", 8, {7, 255}, ""},
      {"P2 2 1 100 50 100", 8, {128, 255}, "scaled samples from maxval 100 to 255"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    const LoadedImage loaded = Parse(ToBytes(test.file), {.max_depth = 16});
    ASSERT_EQ(loaded.image.depth(), test.depth);
    ASSERT_EQ(loaded.image.width(), static_cast<int>(test.samples.size()));
    for (int x = 0; x < loaded.image.width(); ++x)
      EXPECT_EQ(loaded.image.View().Sample(0, x), test.samples[x]);
    EXPECT_EQ(loaded.notice, test.notice);
  }
}

// Less than 8 bits are written with the maxval they have, and are read as 8 bits.
TEST(PnmTest, FewBitsAreWritten) {
  Image image = Image::OfDepth(3, 2, 1);
  image.pixels() = {3, 7};
  EXPECT_EQ(EncodePgm(image.View()), ToBytes("P5\n2 1\n7\n\3\7"));
  EXPECT_EQ(Parse(EncodePgm(image.View()), {.max_depth = 16}).image.pixels(), (Bytes{109, 255}));
}

TEST(PnmTest, Invalid) {
  const struct {
    const char* file;
    StatusCode code;
    const char* message;
  } kCases[] = {
      {"P5\n", StatusCode::kCorrupt, "bad width"},
      {"P5 12", StatusCode::kCorrupt, "bad width"},
      {"P5 1 1", StatusCode::kCorrupt, "bad width"},
      {"P5 -1 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1x1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1 1 255A", StatusCode::kCorrupt, "bad width"},
      {"P5 99999999999999999999 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1000000000 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 4294967297 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1 # no end of line", StatusCode::kCorrupt, "bad width"},
      {"P5 0 1 255 ", StatusCode::kCorrupt, "size is 0"},
      {"P1 2 2 1 0 1", StatusCode::kCorrupt, "ends too early"},
      {"P1 2 1 12", StatusCode::kCorrupt, "not a number"},
      {"P4 9 2 abc", StatusCode::kCorrupt, "ends too early"},
      {"P4 65536 1 a", StatusCode::kLimitExceeded, "65536x1"},
      {"P5 1 0 255 ", StatusCode::kCorrupt, "size is 0"},
      {"P5 1 1 0 A", StatusCode::kCorrupt, "maxval"},
      {"P5 1 1 65536 A", StatusCode::kCorrupt, "maxval"},
      {"P5 1 1 256 AB", StatusCode::kUnsupported, "depth8"},
      {"P5 65536 1 255 A", StatusCode::kLimitExceeded, "65536x1"},
      {"P5 1 999999999 255 A", StatusCode::kLimitExceeded, "1x999999999"},
      {"P5 65535 65535 255 A", StatusCode::kLimitExceeded, "over the limit of 268435456"},
      {"P5 16384 16384 255 A", StatusCode::kCorrupt, "ends too early"},
      {"P2 16384 16384 255 1", StatusCode::kCorrupt, "ends too early"},
      {"P5 1 1 255 ", StatusCode::kCorrupt, "ends too early"},
      {"P6 1 1 255 AB", StatusCode::kCorrupt, "ends too early"},
      {"P2 2 1 255 1   ", StatusCode::kCorrupt, "ends too early"},
      {"P2 2 1 255 1 x ", StatusCode::kCorrupt, "not a number"},
      {"P2 2 1 255 1 256", StatusCode::kCorrupt, "larger than maxval"},
      {"P5 1 1 10 A", StatusCode::kCorrupt, "larger than maxval"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    ExpectError(ToBytes(test.file), test.code, test.message);
  }
}

TEST(PnmTest, WrittenImagesAreRead) {
  const Image image = RandomImage(67, 45, 1);
  const Bytes file = EncodePgm(image.View());
  EXPECT_EQ(Bytes(file.begin(), file.begin() + 13), ToBytes("P5\n67 45\n255\n"));
  EXPECT_EQ(file.size(), 13u + 67 * 45);
  EXPECT_EQ(Parse(file).image, image);
}

TEST(PnmTest, EveryTruncationIsAnError) {
  const std::string kFiles[] = {
      "P5 3 2 255 abcdef",    "P6 1 2 255 abcdef", "P2 # x\n3 2 255 1 2 3 4 5 6",
      "P3 1 2 9 1 2 3 4 5 6", "P1 2 2 1 0 1 0",    "P4 9 2 abcd"};
  for (const std::string& file : kFiles) {
    EXPECT_TRUE(ParseImage(ToBytes(file), "test").ok());
    for (size_t size = 3; size < file.size(); ++size) {
      SCOPED_TRACE(file.substr(0, size));
      ExpectError(ToBytes(file.substr(0, size)), StatusCode::kCorrupt, "damaged PBM, PGM or PPM");
    }
  }
}

// ---- JPEG

// A file of one flat 8x8 block a component: all code lengths trivial, all quantizers 1.
Bytes MakeJpeg(const std::vector<uint8_t>& components, int width, int height) {
  const auto count = static_cast<uint8_t>(components.size());
  Bytes file = {0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0};  // SOI, DQT
  file.insert(file.end(), 64, 1);
  Append(file, {0xFF, 0xC0, 0, static_cast<uint8_t>(8 + 3 * count), 8});  // SOF0
  Append(file, {0, static_cast<uint8_t>(height), 0, static_cast<uint8_t>(width), count});
  for (uint8_t c = 1; c <= count; ++c) Append(file, {c, 0x11, 0});
  // DC: the 12 categories have codes of 4 bits. AC: one code of 1 bit, end of block.
  Append(file, {0xFF, 0xC4, 0, 31, 0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  Append(file, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  Append(file, {0xFF, 0xC4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  Append(file, {0xFF, 0xDA, 0, static_cast<uint8_t>(6 + 2 * count), count});  // SOS
  for (uint8_t c = 1; c <= count; ++c) Append(file, {c, 0});
  Append(file, {0, 63, 0});

  std::string bits;
  const auto put = [&bits](int value, int length) {
    for (int i = length - 1; i >= 0; --i) bits += (value >> i & 1) != 0 ? '1' : '0';
  };
  for (const uint8_t value : components) {
    const int dc = 8 * (value - 128);
    int category = 0;
    while (std::abs(dc) >> category != 0) ++category;
    put(category, 4);
    put(dc < 0 ? dc + (1 << category) - 1 : dc, category);
    put(0, 1);
  }
  bits.append((8 - bits.size() % 8) % 8, '1');
  for (size_t i = 0; i < bits.size(); i += 8) {
    file.push_back(static_cast<uint8_t>(std::stoi(bits.substr(i, 8), nullptr, 2)));
    if (file.back() == 0xFF) file.push_back(0);
  }
  Append(file, {0xFF, 0xD9});
  return file;
}

TEST(JpegTest, Gray) {
  for (int value = 0; value < 256; ++value) {
    const LoadedImage loaded = Parse(MakeJpeg({static_cast<uint8_t>(value)}, 5, 3));
    EXPECT_EQ(loaded.image, Image(5, 3, static_cast<uint8_t>(value)));
    EXPECT_EQ(loaded.notice, "");
  }
}

TEST(JpegTest, Color) {
  const struct {
    uint8_t y, cb, cr;
  } kColors[] = {{76, 85, 255}, {150, 44, 21}, {29, 255, 107}, {100, 140, 120}, {200, 128, 128}};
  for (const auto& color : kColors) {
    const LoadedImage loaded = Parse(MakeJpeg({color.y, color.cb, color.cr}, 8, 8));
    EXPECT_NEAR(loaded.image.pixels()[0], color.y, 1);  // the luma that is in the file
    EXPECT_EQ(loaded.image, Image(8, 8, loaded.image.pixels()[0]));
    EXPECT_EQ(loaded.notice, color.cb == 128 ? "" : kColorNotice);
  }
}

// `file` with a segment behind its first marker.
Bytes WithSegment(const Bytes& file, uint8_t marker, const Bytes& data) {
  Bytes bytes(file.begin(), file.begin() + 2);
  const size_t length = data.size() + 2;
  Append(bytes, {0xFF, marker, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)});
  Append(bytes, data);
  Append(bytes, Bytes(file.begin() + 2, file.end()));
  return bytes;
}

Bytes JpegExif(uint16_t orientation) {
  Bytes data = ToBytes("Exif");
  Append(data, {0, 0});
  Append(data, Exif(orientation, false));
  return data;
}

TEST(JpegTest, OrientationIsApplied) {
  // Behind another segment, as a camera writes it.
  const Bytes file = MakeJpeg({90}, 5, 3);
  for (uint16_t value = 1; value <= 8; ++value) {
    SCOPED_TRACE(value);
    const LoadedImage loaded =
        Parse(WithSegment(WithSegment(file, 0xE1, JpegExif(value)), 0xE0, ToBytes("JFIF")));
    EXPECT_EQ(loaded.image, value < 5 ? Image(5, 3, 90) : Image(3, 5, 90));
    EXPECT_EQ(loaded.notice.empty(), value == 1) << loaded.notice;
  }
}

TEST(JpegTest, AProfileIsSaidToBeIgnored) {
  Bytes profile = ToBytes("ICC_PROFILE");
  Append(profile, {0, 1, 1, 7});
  EXPECT_EQ(Parse(WithSegment(MakeJpeg({90}, 5, 3), 0xE2, profile)).notice,
            "left out its color profile, which is not one of gray");
}

// Nothing is read behind its end; what follows the entry does not matter.
TEST(JpegTest, TruncatedExif) {
  const Bytes whole = JpegExif(6);
  const size_t needed = whole.size() - 4;
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const LoadedImage loaded =
        Parse(WithSegment(MakeJpeg({90}, 5, 3), 0xE1, Bytes(whole.begin(), whole.begin() + size)));
    EXPECT_EQ(loaded.image.width(), size < needed ? 5 : 3);
  }
}

TEST(JpegTest, EveryTruncationIsAnError) {
  const Bytes file = MakeJpeg({10, 20, 30}, 8, 8);
  for (size_t size = 3; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    ExpectError(Bytes(file.begin(), file.begin() + size), StatusCode::kCorrupt, "JPEG or BMP");
  }
}

// 16 lengths with 17 codes each make more symbols than bytes have values.
TEST(JpegTest, HugeHuffmanTables) {
  const Bytes good = MakeJpeg({10}, 8, 8);
  Bytes huge = {0xFF, 0xD8, 0xFF, 0xC4, 1, 35, 0};
  huge.insert(huge.end(), 16 + 272, 17);
  Append(huge, Bytes(good.begin() + 2, good.end()));
  ExpectError(huge, StatusCode::kCorrupt, "Huffman table is too large");
  // In a comment it is no table.
  huge[3] = 0xFE;
  EXPECT_EQ(Parse(huge).image, Image(8, 8, 10));
}

TEST(JpegTest, Limits) {
  ExpectError(MakeJpeg({10}, 8, 8), StatusCode::kLimitExceeded, "8x8", {.max_pixels = 63});
}

// ---- BMP

void AppendLittleEndian(Bytes& bytes, int64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// `rows` as in the file: from bottom to top (from top to bottom if height < 0), padded to 4 bytes.
Bytes MakeBmp(int width, int height, int bits, const Bytes& palette, const Bytes& rows) {
  Bytes file = ToBytes("BM");
  const int64_t offset = 54 + static_cast<int64_t>(palette.size());
  AppendLittleEndian(file, offset + static_cast<int64_t>(rows.size()), 4);
  AppendLittleEndian(file, 0, 4);
  AppendLittleEndian(file, offset, 4);
  AppendLittleEndian(file, 40, 4);
  AppendLittleEndian(file, width, 4);
  AppendLittleEndian(file, height, 4);
  AppendLittleEndian(file, 1, 2);
  AppendLittleEndian(file, bits, 2);
  file.insert(file.end(), 24, 0);  // no compression; sizes not given
  Append(file, palette);
  Append(file, rows);
  return file;
}

TEST(BmpTest, Colors) {
  const Bytes rows = {1, 1, 1, 255, 0, 0, 0, 0, 0, 255, 0, 9, 9, 9, 0, 0};  // blue, green, red
  const LoadedImage bottom_up = Parse(MakeBmp(2, 2, 24, {}, rows));
  EXPECT_EQ(bottom_up.image.width(), 2);
  EXPECT_EQ(bottom_up.image.pixels(), (Bytes{150, 9, 1, 29}));
  EXPECT_EQ(bottom_up.notice, kColorNotice);
  EXPECT_EQ(Parse(MakeBmp(2, -2, 24, {}, rows)).image.pixels(), (Bytes{1, 29, 150, 9}));
}

TEST(BmpTest, GrayPalette) {
  const Bytes palette = {0, 0, 0, 0, 10, 10, 10, 0, 20, 20, 20, 0};
  const LoadedImage loaded = Parse(MakeBmp(3, 1, 8, palette, {2, 0, 1, 0}));
  EXPECT_EQ(loaded.image.pixels(), (Bytes{20, 0, 10}));
  EXPECT_EQ(loaded.notice, "");
  EXPECT_EQ(Parse(MakeBmp(3, 1, 4, palette, {0x20, 0x10, 0, 0})).image.pixels(),
            (Bytes{20, 0, 10}));
}

TEST(BmpTest, Alpha) {
  const LoadedImage loaded = Parse(MakeBmp(2, 1, 32, {}, {50, 50, 50, 0, 60, 60, 60, 255}));
  EXPECT_EQ(loaded.image.pixels(), (Bytes{255, 60}));
  EXPECT_EQ(loaded.notice, kAlphaNotice);
}

TEST(BmpTest, EveryTruncationIsAnError) {
  const Bytes file = MakeBmp(4, 40, 24, {}, Bytes(4 * 40 * 3, 7));
  EXPECT_EQ(Parse(file).image, Image(4, 40, 7));
  for (size_t size = 2; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    ExpectError(Bytes(file.begin(), file.begin() + size), StatusCode::kCorrupt, "JPEG or BMP");
  }
}

TEST(BmpTest, Limits) {
  ExpectError(MakeBmp(70000, 1, 24, {}, {}), StatusCode::kLimitExceeded, "70000x1");
  ExpectError(MakeBmp(1, -70000, 24, {}, {}), StatusCode::kLimitExceeded, "1x70000");
  ExpectError(MakeBmp(1, INT32_MIN, 24, {}, {}), StatusCode::kLimitExceeded, "1x2147483648");
  ExpectError(MakeBmp(-5, 1, 24, {}, {}), StatusCode::kLimitExceeded, "4294967291x1");
  ExpectError(MakeBmp(0, 1, 24, {}, {}), StatusCode::kCorrupt, "size is 0");
}

// ---- All formats

TEST(ParseImageTest, NotAnImage) {
  ExpectError({}, StatusCode::kCorrupt, "is empty");
  for (const char* text : {"x", "P", "P5", "P5x", "P0 1 1 1", "P8 1 1 1", "RIFF    WAVE", "II*",
                           "\x89PN", "plain text\n", "\xFF\xD8"}) {
    SCOPED_TRACE(text);
    ExpectError(ToBytes(text), StatusCode::kUnsupported, "known format");
  }
  ExpectError(Bytes(1000, 0), StatusCode::kUnsupported, "known format");
  ExpectError(ToBytes("BMW is a car maker"), StatusCode::kCorrupt, "JPEG or BMP");
}

TEST(ParseImageTest, FilesOfOtherKindsAreCalledByTheirNames) {
  const struct {
    std::string begin;
    const char* kind;
  } kFiles[] = {{"RIFF1234WEBPVP8 ", "a WebP file"},
                {"GIF89a", "a GIF file"},
                {"P7\nWIDTH 1", "a PAM file"},
                {{"\0\0\0\x20"
                  "ftypavif",
                  12},
                 "an AVIF file"},
                {std::string(128, '\0') + "DICM", "a DICOM file"}};
  for (const auto& file : kFiles) {
    SCOPED_TRACE(file.kind);
    ExpectError(ToBytes(file.begin), StatusCode::kUnsupported, file.kind);
    ExpectError(ToBytes(file.begin), StatusCode::kUnsupported, "convert FILE png:- | mmp encode -");
  }
  ExpectError(ToBytes("MMP\x03"), StatusCode::kUnsupported, "mmp decode");
}

// Damage of all kinds: whatever comes out, nothing bad happens (sanitizers watch).
TEST(ParseImageTest, RandomDamage) {
  const Bytes kFiles[] = {
      MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_PALETTE, 4, true)),
      MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_RGB_ALPHA, 16, false)),
      ToBytes("P1 2 2 1 0 0 1"),
      ToBytes("P4 9 2 abcd"),
      ToBytes("P3 2 2 255 1 2 3 4 5 6 7 8 9 10 11 12"),
      ToBytes("P6 2 2 255 abcdefghijkl"),
      MakeJpeg({10, 20, 30}, 8, 8),
      WithSegment(MakeJpeg({10}, 5, 3), 0xE1, JpegExif(6)),
      WithChunk(MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_GRAY, 8, false)), "eXIf", Exif(6, false)),
      MakeBmp(3, 1, 4, Bytes(12, 5), {0x20, 0x10, 0, 0}),
      MakeBmp(2, 2, 24, {}, Bytes(16, 3)),
  };
  std::mt19937 random(1);
  for (const Bytes& file : kFiles) {
    for (int i = 0; i < 500; ++i) {
      Bytes damaged = file;
      for (uint32_t changes = random() % 4 + 1; changes > 0; --changes) {
        damaged[3 + random() % (damaged.size() - 3)] = static_cast<uint8_t>(random());
      }
      const Result<LoadedImage> loaded =
          ParseImage(damaged, "test", {.max_pixels = 10000, .depth8 = true});
      EXPECT_EQ(loaded.ok(), loaded.status().message().empty());
    }
  }
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

class ImageFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mmp_image_io_test.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(ImageFileTest, FormatFollowsTheExtension) {
  const Image image = RandomImage(31, 17, 1);
  for (const char* name : {"a.png", "b.PnG", "c.pgm", "d.x.PGM"}) {
    const Status status = WriteImage(Path(name), image.View());
    ASSERT_TRUE(status.ok()) << status.message();
    const Result<LoadedImage> loaded = ReadImage(Path(name));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(loaded->image, image);
  }
  EXPECT_EQ(*ReadFile(Path("b.PnG"), 10000), EncodePng(image.View()));
  EXPECT_EQ(*ReadFile(Path("d.x.PGM"), 10000), EncodePgm(image.View()));
}

TEST_F(ImageFileTest, GivenFormatGoesBeforeTheExtension) {
  const Image image = RandomImage(31, 17, 1);
  ASSERT_TRUE(WriteImage(Path("a.png"), image.View(), ImageFormat::kPgm).ok());
  EXPECT_EQ(*ReadFile(Path("a.png"), 10000), EncodePgm(image.View()));
}

TEST_F(ImageFileTest, UnknownExtension) {
  for (const char* name : {"a.jpg", "a", "a.png.gz", ".png", "png"}) {
    const Status status = WriteImage(Path(name), Image(1, 1).View());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find(".png, .pgm or .tif"), std::string::npos) << status.message();
    EXPECT_FALSE(fs::exists(Path(name)));
  }
  EXPECT_EQ(WriteImage("-", Image(1, 1).View()).code(), StatusCode::kInvalidArgument);
}

TEST_F(ImageFileTest, Errors) {
  EXPECT_EQ(ReadImage(Path("missing.png")).status().code(), StatusCode::kIo);
  EXPECT_EQ(ReadImage(folder_).status().code(), StatusCode::kIo);
  EXPECT_EQ(WriteImage(Path("missing/a.png"), Image(1, 1).View()).code(), StatusCode::kIo);
  ASSERT_TRUE(WriteFile(Path("a.png"), ToBytes("text")).ok());
  const Status status = ReadImage(Path("a.png")).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message().find("'" + Path("a.png") + "' is not an image"), 0u);
  // Files that are longer than any image within the limits are not read into memory.
  EXPECT_EQ(ReadImage("/dev/zero", {.max_pixels = 100}).status().code(),
            StatusCode::kLimitExceeded);
}

}  // namespace
}  // namespace mmp
