#include "codec/rdo/similar_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/task_pool.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

constexpr int kSide = SimilarBlocks::kSide;

// Text, each sample of which is up to `noise` from what was drawn.
Image NoisyText(int width, int height, int noise) {
  Image image = Draw(Picture::kText, width, height, 5);
  Random random(7);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.Row(y)[x] =
          static_cast<uint8_t>(std::clamp(image.Row(y)[x] + random.Between(-noise, noise), 0, 255));
  return image;
}

int ErrorOf(const Image& image, int y, int x, int other_y, int other_x) {
  int error = 0;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      const int difference = image.Row(y + i)[x + j] - image.Row(other_y + i)[other_x + j];
      error += difference * difference;
    }
  }
  return error;
}

// Adds all blocks that end above row `y`.
void AddAbove(int y, const Image& image, SimilarBlocks& blocks) {
  for (int i = 0; i + kSide <= y; ++i)
    for (int j = 0; j + kSide <= image.width(); ++j) blocks.Add(i, j);
}

// What is found are blocks that were added, in order of their errors; most often the very nearest
// of all is among them.
TEST(SimilarBlocksTest, FindsWhatDiffersLeast) {
  constexpr int kKnown = 56;
  const Image image = NoisyText(160, 80, 8);
  SimilarBlocks blocks(image.View(), TaskPool::Alone());
  AddAbove(kKnown, image, blocks);
  int looked_up = 0, nearest_found = 0;
  for (int y = kKnown; y + kSide <= image.height(); y += 4) {
    for (int x = 0; x + kSide <= image.width(); x += 4) {
      const SimilarBlocks::Matches matches = blocks.Find(y, x);
      int last = 0;
      for (int k = 0; k < matches.count; ++k) {
        const auto [error, at_y, at_x] = matches.found[k];
        ASSERT_LE(at_y + kSide, kKnown);
        ASSERT_LE(at_x + kSide, image.width());
        ASSERT_EQ(error, ErrorOf(image, y, x, at_y, at_x));
        ASSERT_GE(error, last);
        last = error;
      }
      if (matches.count == 0) continue;
      ++looked_up;
      int least = matches.found[0].squared_error;
      for (int i = 0; i + kSide <= kKnown; ++i)
        for (int j = 0; j + kSide <= image.width(); ++j)
          least = std::min(least, ErrorOf(image, y, x, i, j));
      nearest_found += least == matches.found[0].squared_error;
    }
  }
  EXPECT_GT(looked_up, 100);
  EXPECT_GT(nearest_found, looked_up * 3 / 4);
}

TEST(SimilarBlocksTest, FindsWhatIsEqual) {
  const Image tile = Draw(Picture::kNoise, 16, 16, 3);
  Image image(64, 48);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) image.Row(y)[x] = tile.Row(y % 16)[x % 16];
  SimilarBlocks blocks(image.View(), TaskPool::Alone());
  AddAbove(32, image, blocks);
  for (int x = 0; x + kSide <= 64; ++x) {
    const SimilarBlocks::Matches matches = blocks.Find(34, x);
    ASSERT_GT(matches.count, 0) << x;
    EXPECT_EQ(matches.found[0].squared_error, 0) << x;
  }
}

TEST(SimilarBlocksTest, FindsNothingForFlatBlocks) {
  for (const Picture picture : {Picture::kFlat, Picture::kGradient}) {
    const Image image = Draw(picture, 64, 64, 1);
    SimilarBlocks blocks(image.View(), TaskPool::Alone());
    AddAbove(48, image, blocks);
    EXPECT_EQ(blocks.Find(50, 20).count, 0) << PictureName(picture);
  }
}

// A block vector points down nowhere.
TEST(SimilarBlocksTest, FindsNothingFurtherDown) {
  const Image image = NoisyText(64, 48, 0);
  SimilarBlocks blocks(image.View(), TaskPool::Alone());
  AddAbove(image.height(), image, blocks);
  int found = 0;
  for (int y = 0; y + kSide <= image.height(); ++y) {
    for (int x = 0; x + kSide <= image.width(); ++x) {
      const SimilarBlocks::Matches matches = blocks.Find(y, x);
      found += matches.count;
      for (int k = 0; k < matches.count; ++k) ASSERT_LE(matches.found[k].y, y);
    }
  }
  EXPECT_GT(found, 100);
}

TEST(SimilarBlocksTest, TakesPicturesSmallerThanABlock) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{1, 1}, {7, 40}, {40, 7}})
    SimilarBlocks(Draw(Picture::kText, width, height, 1).View(), TaskPool::Alone());
}

}  // namespace
}  // namespace mmp
