// Previews: what they show, what is read for them, and what becomes of damaged ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/encoder/make_preview.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

EncodeOptions Options(bool is_tiled, bool by_pixels, bool preview = true) {
  EncodeOptions options;
  options.lambda = 100;
  options.preset = Preset::kFast;
  options.tile_width = options.tile_height = is_tiled ? 64 : 0;
  if (by_pixels) options.max_error = 3;
  options.preview = preview;
  return options;
}

DecodeOptions OfPreview() {
  DecodeOptions options;
  options.preview = true;
  return options;
}

Image Deep(int depth, int width, int height, int low, int high) {
  const Image drawn = Draw(Picture::kTexture, width, height, 3);
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.SetSample(y, x, low + drawn.Row(y)[x] * (high - low) / 255);
  return image;
}

TEST(PreviewTest, IsTheMeanOfSquares) {
  Image image = Image::OfDepth(12, 17, 9);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 17; ++x) image.SetSample(y, x, x < 8 ? 4095 : 100 * y + (x == 16));
  const Image shrunk = Shrunk(image.View());
  ASSERT_EQ(shrunk.width(), 3);
  ASSERT_EQ(shrunk.height(), 2);
  ASSERT_EQ(shrunk.depth(), 12);
  const auto row = [&](int y) {
    return std::vector<int>{shrunk.Row16(y)[0], shrunk.Row16(y)[1], shrunk.Row16(y)[2]};
  };
  EXPECT_EQ(row(0), (std::vector<int>{4095, 350, 351}));
  EXPECT_EQ(row(1), (std::vector<int>{4095, 800, 801}));
}

// Means of few bits would show nothing.
TEST(PreviewTest, HasAtLeastEightBits) {
  Image image = Image::OfDepth(2, 17, 9);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 17; ++x) image.SetSample(y, x, x < 8 ? 3 : x < 16 ? y % 2 : y / 8 * 2);
  const Image shrunk = Shrunk(image.View());
  ASSERT_EQ(shrunk.depth(), 8);
  EXPECT_EQ(shrunk.pixels(), (std::vector<uint8_t>{255, 43, 0, 255, 0, 170}));
}

// Also where the samples fill a small part of their range.
TEST(PreviewTest, LooksLikeTheImage) {
  struct {
    int depth, low, high;
  } const kCases[] = {{8, 0, 255}, {12, 0, 4095}, {16, 20000, 20300}, {3, 0, 7}, {1, 0, 1}};
  for (const auto& [depth, low, high] : kCases) {
    const Image image = Deep(depth, 203, 131, low, high);
    for (const bool is_tiled : {false, true}) {
      for (const bool by_pixels : {false, true}) {
        const std::vector<uint8_t> file =
            MustEncode(image.View(), Options(is_tiled, by_pixels && high > 7));
        const Result<DecodedImage> decoded = Decode(file, OfPreview());
        ASSERT_TRUE(decoded.ok()) << decoded.status().message();
        const Image expected = Shrunk(image.View());
        ASSERT_EQ(decoded->image.width(), expected.width());
        ASSERT_EQ(decoded->image.height(), expected.height());
        ASSERT_EQ(decoded->image.depth(), expected.depth());
        int64_t error = 0;
        for (int y = 0; y < expected.height(); ++y)
          for (int x = 0; x < expected.width(); ++x)
            error += std::abs(decoded->image.View().Sample(y, x) - expected.View().Sample(y, x));
        const int64_t pixels = int64_t{expected.width()} * expected.height();
        EXPECT_LE(error, std::max<int64_t>(1, (depth < 8 ? 255 : high - low) / 16) * pixels)
            << depth;
        const Result<FileInfo> info = ReadInfo(file);
        ASSERT_TRUE(info.ok()) << info.status().message();
        EXPECT_GT(info->preview_bytes, 0u);
      }
    }
  }
}

// All else in a file is as without.
TEST(PreviewTest, ChangesNothingOfTheImage) {
  const Image image = Draw(Picture::kTexture, 150, 100, 1);
  for (const bool is_tiled : {false, true}) {
    const std::vector<uint8_t> with = MustEncode(image.View(), Options(is_tiled, false));
    const std::vector<uint8_t> without = MustEncode(image.View(), Options(is_tiled, false, false));
    EXPECT_TRUE(Decode(with)->image == Decode(without)->image);
    const FileInfo info = *ReadInfo(with), info_without = *ReadInfo(without);
    EXPECT_EQ(info_without.preview_bytes, 0u);
    // Its size, and a flag.
    EXPECT_EQ(with.size() - static_cast<uint64_t>(info.header_bytes) - info.preview_bytes,
              without.size() - static_cast<uint64_t>(info_without.header_bytes));
    if (is_tiled) {
      EXPECT_EQ(info.header_bytes, info_without.header_bytes + 4 + 1);
    }
    for (size_t i = 0; i < info.tiles.size(); ++i)
      EXPECT_EQ(info.tiles[i].bytes, info_without.tiles[i].bytes);
    DecodeOptions region;
    region.region = Region{70, 60, 40, 30};
    EXPECT_TRUE(Decode(with, region)->image == Decode(without, region)->image);
  }
}

TEST(PreviewTest, IsReadAlone) {
  const Image image = Draw(Picture::kTexture, 150, 100, 1);
  for (const bool is_tiled : {false, true}) {
    const std::vector<uint8_t> file = MustEncode(image.View(), Options(is_tiled, false));
    const FileInfo info = *ReadInfo(file);
    const uint64_t end = std::max<uint64_t>(info.header_bytes + info.preview_bytes, 64);
    uint64_t bytes_read = 0;
    const ByteSource source = {file.size(), [&](uint64_t offset, std::span<uint8_t> bytes) {
                                 EXPECT_LE(offset + bytes.size(), end);
                                 bytes_read += bytes.size();
                                 std::copy_n(file.data() + offset, bytes.size(), bytes.data());
                                 return Status();
                               }};
    const Result<DecodedImage> decoded = DecodeFrom(source, OfPreview());
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_TRUE(decoded->image == Decode(file, OfPreview())->image);
    EXPECT_EQ(bytes_read, 64 + info.preview_bytes);
    DecodeOptions limited = OfPreview();
    limited.max_memory = info.preview_bytes - 1;
    bytes_read = 0;
    EXPECT_EQ(DecodeFrom(source, limited).status().code(), StatusCode::kLimitExceeded);
    EXPECT_EQ(bytes_read, 64u);
    // What follows it may be missing.
    const std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(end));
    EXPECT_TRUE(Decode(cut, OfPreview()).ok());
    EXPECT_FALSE(Decode(cut).ok());
  }
}

TEST(PreviewTest, DamageIsSeenAndLeavesTheImage) {
  const Image image = Draw(Picture::kTexture, 80, 24, 1);
  for (const bool is_tiled : {false, true}) {
    const std::vector<uint8_t> file = MustEncode(image.View(), Options(is_tiled, false));
    const Image whole = Decode(file)->image;
    const FileInfo info = *ReadInfo(file);
    for (uint64_t i = 0; i < info.preview_bytes; ++i) {
      std::vector<uint8_t> damaged = file;
      damaged[info.header_bytes + i] ^= 0x04;
      EXPECT_EQ(Decode(damaged, OfPreview()).status().code(), StatusCode::kCorrupt) << i;
      const Result<FileInfo> read = ReadInfo(damaged);
      ASSERT_TRUE(read.ok()) << read.status().message();
      // A small file's checksum, which previews have mostly, is compared with decoded pixels.
      EXPECT_TRUE(i >= 4 || read->damaged_preview) << i;
      const Result<DecodedImage> decoded = Decode(damaged);
      ASSERT_TRUE(decoded.ok()) << decoded.status().message();
      EXPECT_TRUE(decoded->image == whole);
    }
    for (uint64_t size = 0; size < info.header_bytes + info.preview_bytes; ++size) {
      const std::vector<uint8_t> cut(file.begin(),
                                     file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(Decode(cut, OfPreview()).status().code(), StatusCode::kCorrupt) << size;
      EXPECT_EQ(Decode(cut).status().code(), StatusCode::kCorrupt) << size;
    }
  }
}

// A preview must be one of this image: of its size, its depth, one tile, and none within.
TEST(PreviewTest, OthersAreRefused) {
  const Image image = Draw(Picture::kTexture, 160, 80, 1);  // a preview has 20x10
  FileHeader header;
  header.width = header.tile_width = 160;
  header.height = header.tile_height = 80;
  const auto with = [&](const std::vector<uint8_t>& preview) {
    header.preview_bytes = static_cast<uint32_t>(preview.size());
    return WriteFileBytes(header, std::vector<EncodedTile>(1), {}, preview);
  };
  const auto encoded = [](int depth, int width, int height, bool is_tiled, bool preview) {
    EncodeOptions options = Options(false, false, preview);
    options.tile_width = options.tile_height = is_tiled ? 16 : 0;
    return MustEncode(Deep(depth, width, height, 0, LargestSample(depth)).View(), options);
  };
  EXPECT_TRUE(Decode(with(encoded(8, 20, 10, false, false)), OfPreview()).ok());
  for (const std::vector<uint8_t>& other :
       {encoded(8, 21, 10, false, false), encoded(8, 20, 11, false, false),
        encoded(9, 20, 10, false, false), encoded(8, 20, 10, true, false),
        encoded(8, 20, 10, false, true), std::vector<uint8_t>{1, 2, 3},
        std::vector<uint8_t>(1824, 0)}) {
    EXPECT_EQ(Decode(with(other), OfPreview()).status().code(), StatusCode::kCorrupt);
    const Result<FileInfo> info = ReadInfo(with(other));
    ASSERT_TRUE(info.ok()) << info.status().message();
    EXPECT_TRUE(info->damaged_preview);
  }
  EXPECT_NE(Decode(with(std::vector<uint8_t>(1825)), OfPreview()).status().message().find("size"),
            std::string::npos);
}

TEST(PreviewTest, OptionsThatDoNotFit) {
  const Image image = Draw(Picture::kTexture, 80, 80, 1);
  const std::vector<uint8_t> file = MustEncode(image.View(), Options(false, false));
  const std::vector<uint8_t> without = MustEncode(image.View(), Options(false, false, false));
  const Status none = Decode(without, OfPreview()).status();
  EXPECT_EQ(none.code(), StatusCode::kUnsupported);
  EXPECT_EQ(none.message(), "the file has no preview");
  DecodeOptions options = OfPreview();
  options.max_pixels = 100;
  EXPECT_TRUE(Decode(file, options).ok());
  options.max_pixels = 99;
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
  options = OfPreview();
  options.region = Region{0, 0, 1, 1};
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace mmp
