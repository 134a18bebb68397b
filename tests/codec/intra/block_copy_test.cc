#include "codec/intra/block_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "codec/base/macroblock_order.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

std::vector<BlockVector> List(const BlockVectorList& vectors) {
  std::vector<BlockVector> list;
  for (int k = 0; k < vectors.count(); ++k) list.push_back(vectors[k]);
  return list;
}

constexpr BlockVector kA = {-1, 20}, kB = {0, -16}, kC = {-300, 0}, kD = {-17, -17}, kE = {-5, 9};

uint32_t Modes(std::vector<int> numbers) {
  uint32_t modes = 0;
  for (const int k : numbers) modes |= 1u << (kFirstBlockCopy + k);
  return modes;
}

TEST(BlockVectorListTest, NewOnesComeFirstAndTheLastFallsOut) {
  BlockVectorList vectors;
  EXPECT_EQ(vectors.count(), 0);
  for (const BlockVector vector : {kA, kB, kC, kD}) vectors.Add(vector);
  EXPECT_EQ(List(vectors), (std::vector{kD, kC, kB, kA}));
  vectors.Add(kE);
  EXPECT_EQ(List(vectors), (std::vector{kE, kD, kC, kB}));
}

TEST(BlockVectorListTest, KnownOnesMoveToTheFront) {
  BlockVectorList vectors;
  for (const BlockVector vector : {kA, kB, kC, kD, kB}) vectors.Add(vector);
  EXPECT_EQ(List(vectors), (std::vector{kB, kD, kC, kA}));
}

TEST(BlockVectorListTest, UsedOnesMoveToTheFrontInOrder) {
  BlockVectorList vectors;
  for (const BlockVector vector : {kA, kB, kC, kD}) vectors.Add(vector);
  vectors.MoveToFront(Modes({1, 3}) | 1u << kTemplate);
  EXPECT_EQ(List(vectors), (std::vector{kC, kA, kD, kB}));
  vectors.MoveToFront(0);
  EXPECT_EQ(List(vectors), (std::vector{kC, kA, kD, kB}));
  vectors.MoveToFront(Modes({0, 1, 2, 3}));
  EXPECT_EQ(List(vectors), (std::vector{kC, kA, kD, kB}));
}

constexpr MacroblockOrder kOrders[] = {MacroblockOrder::kRaster, MacroblockOrder::kWavefront};

// Whether pixel (y, x) belongs to a macroblock of an earlier front.
bool IsEarlier(MacroblockOrder order, int y, int x, MacroblockPlace place) {
  if (order == MacroblockOrder::kWavefront)
    return x / 16 + 2 * (y / 16) < place.x / 16 + 2 * (place.y / 16);
  return y < place.y || (y < place.y + 16 && x < place.x);
}

// The rule pixel by pixel: each must lie in the tile and in a macroblock of an earlier front.
bool AllEarlier(MacroblockOrder order, BlockRect rect, BlockVector vector, int width,
                MacroblockPlace place) {
  for (int i = 0; i < rect.height(); ++i) {
    for (int j = 0; j < rect.width(); ++j) {
      const int y = place.y + rect.y + i + vector.y, x = place.x + rect.x + j + vector.x;
      if (y < 0 || x < 0 || x >= width || !IsEarlier(order, y, x, place)) return false;
    }
  }
  return true;
}

BlockVectorList RandomVectors(Random& random) {
  BlockVectorList vectors;
  for (int k = random.Below(5); k > 0; --k)
    vectors.Add({-random.Below(random.OneIn(9) ? 65536 : 40), random.Between(-70, 70)});
  return vectors;
}

class BlockCopiesTest : public testing::TestWithParam<MacroblockOrder> {};

TEST_P(BlockCopiesTest, WhatIsAvailableAndPredicted) {
  constexpr int kWidth = 80, kHeight = 64;
  const Image image = Draw(Picture::kNoise, kWidth, kHeight, 3);
  Random random(5);
  int available = 0, all = 0;
  for (int round = 0; round < 300; ++round) {
    const int my = 16 * random.Below(4), mx = 16 * random.Below(5);
    const BlockVectorList vectors = RandomVectors(random);
    BlockCopies copies;
    LoadBlockCopies(vectors, GetParam(), image.pixels().data(), kWidth, {my, mx}, copies);
    for (int n = 0; n < 40; ++n) {
      const int level = random.Below(kLevelCount);
      const LevelShape shape = kLevelShapes[level];
      const BlockRect rect = {
          static_cast<uint8_t>(shape.height() * random.Below(16 / shape.height())),
          static_cast<uint8_t>(shape.width() * random.Below(16 / shape.width())),
          static_cast<uint8_t>(level)};
      uint32_t expected = 0;
      for (int k = 0; k < vectors.count(); ++k)
        if (AllEarlier(GetParam(), rect, vectors[k], kWidth, {my, mx})) expected |= Modes({k});
      const uint32_t modes = copies.AvailableModes(rect);
      ASSERT_EQ(modes, expected);
      for (int k = 0; k < vectors.count(); ++k) {
        ++all;
        if ((modes & Modes({k})) == 0) continue;
        ++available;
        uint8_t prediction[kMacroblockPixels];
        copies.Predict(rect, kFirstBlockCopy + k, prediction);
        for (int i = 0; i < shape.height(); ++i)
          for (int j = 0; j < shape.width(); ++j)
            ASSERT_EQ(prediction[i * shape.width() + j],
                      image.Row(my + rect.y + i + vectors[k].y)[mx + rect.x + j + vectors[k].x]);
      }
    }
  }
  EXPECT_GT(available, all / 20);
  EXPECT_LT(available, all * 19 / 20);
}

// Other macroblocks of the front, and later ones, may change meanwhile.
TEST_P(BlockCopiesTest, NothingButEarlierFrontsIsRead) {
  constexpr int kWidth = 80, kHeight = 64;
  const Image image = Draw(Picture::kNoise, kWidth, kHeight, 3);
  Random random(6);
  for (int round = 0; round < 300; ++round) {
    const MacroblockPlace place = {16 * random.Below(4), 16 * random.Below(5)};
    const BlockVectorList vectors = RandomVectors(random);
    Image changed = image;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        if (!IsEarlier(GetParam(), y, x, place)) changed.Row(y)[x] ^= 0x55;
    BlockCopies before, after;
    LoadBlockCopies(vectors, GetParam(), image.pixels().data(), kWidth, place, before);
    LoadBlockCopies(vectors, GetParam(), changed.pixels().data(), kWidth, place, after);
    for (int k = 0; k < vectors.count(); ++k)
      ASSERT_EQ(std::memcmp(before.pixels[k], after.pixels[k], kMacroblockPixels), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, BlockCopiesTest, testing::ValuesIn(kOrders),
                         [](const auto& test) { return std::string(OrderName(test.param)); });

}  // namespace
}  // namespace mmp
