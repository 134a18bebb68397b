// Which pictures were JPEG files.
#include "codec/encoder/jpeg/jpeg_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "mmp/image.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// The picture with noise of `amplitude`, as scans and photographs have it.
Image WithNoise(const Image& image, int amplitude) {
  Random random(1);
  Image noisy = image;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      noisy.Row(y)[x] = static_cast<uint8_t>(
          std::clamp(image.Row(y)[x] + random.Between(-amplitude, amplitude), 0, 255));
  return noisy;
}

TEST(JpegGridTest, TinyImagesHaveNone) {
  for (const int width : {1, 2, 7, 8, 14, 15, 16, 23})
    for (const int height : {1, 2, 7, 8, 14, 15, 16, 23})
      EXPECT_EQ(FindJpegGrid(DrawJpeg(width, height, 0, 0, 1).View()), std::nullopt)
          << width << " x " << height;
}

TEST(JpegGridTest, IsFoundWhereverItBegins) {
  for (int top = 0; top < 8; ++top)
    for (int left = 0; left < 8; ++left)
      EXPECT_EQ(FindJpegGrid(DrawJpeg(120, 100, left, top, 1).View()), (JpegGrid{top, left}))
          << left << ", " << top;
}

TEST(JpegGridTest, IsFoundBesideWhatIsFlatAndInPartOfAnImage) {
  Image page(400, 300, 255);
  const Image jpeg = DrawJpeg(200, 200, 3, 6, 1);
  for (int y = 0; y < 200; ++y) std::copy_n(jpeg.Row(y), 200, page.Row(y + 50) + 60);
  EXPECT_EQ(FindJpegGrid(page.View()), (JpegGrid{0, 7}));
  EXPECT_EQ(FindJpegGrid(page.View().Crop(71, 63, 170, 170)), (JpegGrid{1, 0}));
}

TEST(JpegGridTest, OtherPicturesHaveNone) {
  for (const Picture picture : kAllPictures) {
    if (picture == Picture::kCheckerboard) continue;  // whose squares are such blocks
    for (const int side : {80, 200})
      EXPECT_EQ(FindJpegGrid(Draw(picture, side, side, 1).View()), std::nullopt)
          << PictureName(picture);
  }
  EXPECT_EQ(FindJpegGrid(WithNoise(DrawJpeg(200, 200, 0, 0, 1), 4).View()), std::nullopt);
}

}  // namespace
}  // namespace mmp
