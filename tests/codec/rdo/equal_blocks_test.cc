#include "codec/rdo/equal_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/task_pool.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

constexpr int kSide = EqualBlocks::kSide;

bool AreEqual(const Image& image, int y, int x, EqualBlocks::Place place) {
  for (int i = 0; i < kSide; ++i)
    if (!std::equal(image.Row(y + i) + x, image.Row(y + i) + x + kSide,
                    image.Row(place.y + i) + place.x))
      return false;
  return true;
}

void AddAll(const Image& image, EqualBlocks& blocks) {
  for (int y = 0; y + kSide <= image.height(); ++y)
    for (int x = 0; x + kSide <= image.width(); ++x) blocks.Add(y, x);
}

// All those in rows no lower, the latest first.
TEST(EqualBlocksTest, FindsAllThatAreEqual) {
  const Image tile = Draw(Picture::kNoise, 16, 16, 3);
  Image image(48, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 48; ++x) image.Row(y)[x] = tile.Row(y % 16)[x % 16];
  EqualBlocks blocks(image.View(), TaskPool::Alone());
  AddAll(image, blocks);
  for (const auto& [y, x] : std::vector<std::pair<int, int>>{{0, 0}, {33, 17}, {56, 40}}) {
    std::vector<std::pair<int, int>> expected, found;
    for (int i = y % 16; i <= y; i += 16)
      for (int j = x % 16; j + kSide <= 48; j += 16) expected.emplace_back(i, j);
    for (const auto& place : blocks.Find(y, x)) {
      EXPECT_TRUE(AreEqual(image, y, x, place));
      found.emplace_back(place.y, place.x);
    }
    std::ranges::reverse(found);
    EXPECT_EQ(found, expected) << y << ", " << x;
  }
}

TEST(EqualBlocksTest, FindsNothingElse) {
  const Image noise = Draw(Picture::kNoise, 64, 64, 1), flat = Draw(Picture::kFlat, 64, 64, 1);
  EqualBlocks in_noise(noise.View(), TaskPool::Alone()), in_flat(flat.View(), TaskPool::Alone());
  AddAll(noise, in_noise);
  AddAll(flat, in_flat);
  for (int x = 0; x + kSide <= 64; ++x) {
    EXPECT_EQ(in_noise.Find(20, x).size(), 1u) << x;  // itself
    EXPECT_TRUE(in_flat.Find(20, x).empty()) << x;
  }
}

TEST(EqualBlocksTest, FindsWhatWasAddedAlone) {
  const Image image = Draw(Picture::kCheckerboard, 64, 64, 1);
  EqualBlocks blocks(image.View(), TaskPool::Alone());
  EXPECT_TRUE(blocks.Find(20, 20).empty());
  blocks.Add(20, 20);
  EXPECT_EQ(blocks.Find(20, 20).size(), 1u);
}

}  // namespace
}  // namespace mmp
