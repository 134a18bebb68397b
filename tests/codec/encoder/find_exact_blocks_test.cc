#include "codec/encoder/find_exact_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kSize = ExactBlocks::kSize;

bool IsExact(const ExactRegions& regions, int width, int y, int x) {
  return regions.is_exact[static_cast<size_t>(y / kSize) * ((width + kSize - 1) / kSize) +
                          x / kSize] != 0;
}

TEST(FindExactRegionsTest, TextBesideAPictureIsFound) {
  constexpr int kWidth = 200, kHeight = 150, kLeft = 104;
  const Image image = DrawTextBeside(Picture::kNoise, kWidth, kHeight, kLeft);
  const auto regions = FindExactRegions(image.View());
  ASSERT_TRUE(regions.has_value());
  const ImageView filled = regions->filled.View();
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      ASSERT_EQ(IsExact(*regions, kWidth, y, x), x < kLeft) << y << ", " << x;
      // What lies behind the text is as flat as its background.
      ASSERT_EQ(filled.Sample(y, x), x < kLeft ? filled.Sample(0, 0) : image.View().Sample(y, x));
    }
}

TEST(FindExactRegionsTest, OthersHaveNone) {
  for (const Picture picture :
       {Picture::kTexture, Picture::kNoise, Picture::kGradient, Picture::kFlat})
    EXPECT_FALSE(FindExactRegions(Draw(picture, 160, 120, 3).View()).has_value())
        << PictureName(picture);
  // A label of a few blocks.
  EXPECT_FALSE(FindExactRegions(DrawTextBeside(Picture::kTexture, 240, 24, 32).View()).has_value());
}

// Letters with gray edges have some blocks of few levels, which are not worth it.
TEST(FindExactRegionsTest, NorHasTextWithGrayEdges) {
  const Image sharp = Draw(Picture::kText, 400, 300, 1);
  Image soft(200, 150);
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 200; ++x) {
      int sum = 0;
      for (int i = 0; i < 4; ++i) sum += sharp.View().Sample(2 * y + i / 2, 2 * x + i % 2);
      soft.SetSample(y, x, (sum + (y * x) % 7) / 4);
    }
  EXPECT_FALSE(FindExactRegions(soft.View()).has_value());
}

TEST(ExactBlocksOfTest, AreThoseOfTheTile) {
  constexpr int kWidth = 200, kHeight = 150;
  const Image image = DrawTextBeside(Picture::kNoise, kWidth, kHeight, 104);
  const auto regions = FindExactRegions(image.View());
  ASSERT_TRUE(regions.has_value());
  for (const TileInfo& tile : TileGrid(kWidth, kHeight, 64, 80)) {
    const ExactBlocks blocks = ExactBlocksOf(&*regions, image.View(), tile);
    ASSERT_EQ(blocks.IsUsed(), tile.x < 104);
    for (int y = 0; blocks.IsUsed() && y < tile.height; ++y)
      for (int x = 0; x < tile.width; ++x) {
        ASSERT_EQ(blocks.Has(y, x), tile.x + x < 104);
        ASSERT_EQ(blocks.samples[static_cast<size_t>(y) * tile.width + x],
                  image.View().Sample(tile.y + y, tile.x + x));
      }
  }
  EXPECT_FALSE(ExactBlocksOf(nullptr, image.View(), {0, 0, kWidth, kHeight}).IsUsed());
}

}  // namespace
}  // namespace mmp
