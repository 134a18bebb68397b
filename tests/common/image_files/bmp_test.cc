// BMP files.
#include <gtest/gtest.h>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/image_source.h"
#include "tests/common/image_files/jpeg_bmp_source.h"

namespace mmp {
namespace {

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

}  // namespace
}  // namespace mmp
