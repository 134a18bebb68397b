// JPEG files.
#include <gtest/gtest.h>

#include <cstdint>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/image_source.h"
#include "tests/common/image_files/jpeg_bmp_source.h"

namespace mmp {
namespace {

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

// Each scan is another way through all of the image.
TEST(JpegTest, TooManyScans) {
  const Bytes once = MakeJpeg({10}, 8, 8);
  const Bytes marker = {0xFF, 0xDA};
  const auto scan = std::search(once.begin(), once.end(), marker.begin(), marker.end());
  const auto repeated = [&](int scans) {
    Bytes file(once.begin(), scan);
    for (int i = 0; i < scans; ++i) Append(file, Bytes(scan, once.end() - 2));
    Append(file, {0xFF, 0xD9});
    return file;
  };
  EXPECT_EQ(Parse(repeated(500)).image, Image(8, 8, 10));
  ExpectError(repeated(501), StatusCode::kCorrupt, "too many scans");
}

TEST(JpegTest, Limits) {
  ExpectError(MakeJpeg({10}, 8, 8), StatusCode::kLimitExceeded, "8x8", {.max_pixels = 63});
}

}  // namespace
}  // namespace mmp
