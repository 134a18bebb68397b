#include "codec/intra/block_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "codec/base/macroblock_order.h"
#include "codec/rdo/block_vector_search.h"
#include "common/metrics.h"
#include "common/task_pool.h"
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

// A front of one macroblock.
std::vector<MacroblockPlace> At(int y, int x) { return {{y, x}}; }

// A picture of noise in which what lies at (y, x) is that at (y - 21, x - 5) again.
Image Repeating(int width, int height) {
  Image image = Draw(Picture::kNoise, width, height, 9);
  for (int y = 21; y < height; ++y)
    for (int x = 5; x < width; ++x) image.Row(y)[x] = image.Row(y - 21)[x - 5];
  return image;
}

TEST(BlockVectorSearchTest, FindsTheDisplacementOfARepeat) {
  const Image image = Repeating(64, 64);
  BlockVectorSearch search(image.View(), MacroblockOrder::kRaster, TaskPool::Alone());
  BlockVectorList known;
  for (int y = 0; y < 64; y += 16) {
    for (int x = 0; x < 64; x += 16) {
      const std::vector<BlockVector> found = search.FindNew(known, At(y, x));
      if (known.count() > 0) {
        EXPECT_TRUE(found.empty()) << "known already, at " << y << ", " << x;
      }
      for (const BlockVector vector : found) known.Add(vector);
      search.Add(At(y, x));
    }
  }
  EXPECT_EQ(List(known), (std::vector{BlockVector{-21, -5}}));
}

// One front's macroblocks share their vectors, and are not copied from each other.
TEST(BlockVectorSearchTest, FindsTheDisplacementOfARepeatForAFront) {
  const Image image = Repeating(96, 96);
  BlockVectorSearch search(image.View(), MacroblockOrder::kWavefront, TaskPool::Alone());
  BlockVectorList known;
  FrontWalk walk(MacroblockOrder::kWavefront, 96, 96);
  while (walk.Next()) {
    const std::vector<BlockVector> found = search.FindNew(known, walk.front());
    if (known.count() > 0) {
      EXPECT_TRUE(found.empty()) << "known already";
    }
    for (const BlockVector vector : found) known.Add(vector);
    search.Add(walk.front());
  }
  EXPECT_EQ(List(known), (std::vector{BlockVector{-21, -5}}));
}

TEST(BlockVectorSearchTest, FindsNothingWhereNothingRepeats) {
  for (const Picture picture : {Picture::kNoise, Picture::kFlat, Picture::kTexture}) {
    const Image image = Draw(picture, 48, 40, 9);
    BlockVectorSearch search(image.View(), MacroblockOrder::kRaster, TaskPool::Alone());
    for (int y = 0; y < 40; y += 16) {
      for (int x = 0; x < 48; x += 16) {
        EXPECT_TRUE(search.FindNew({}, At(y, x)).empty()) << PictureName(picture);
        search.Add(At(y, x));
      }
    }
  }
}

// All vectors that it ever proposes can be coded, and copy pixels that are there.
void CheckProposals(const Image& image, MacroblockOrder order) {
  const int width = (image.width() + 15) / 16 * 16, height = (image.height() + 15) / 16 * 16;
  BlockVectorSearch search(image.View(), order, TaskPool::Alone());
  FrontWalk walk(order, width, height);
  while (walk.Next()) {
    const std::vector<BlockVector> found = search.FindNew({}, walk.front());
    ASSERT_LE(found.size(), size_t{kMostNewBlockVectors});
    for (const BlockVector vector : found) {
      EXPECT_LE(vector.y, 0);
      bool any = false;
      for (const MacroblockPlace place : walk.front())
        for (uint8_t i = 0; i < 16; i += 4)
          for (uint8_t j = 0; j < 16; j += 4)
            any |= AllEarlier(order, {i, j, LevelOf(2, 2)}, vector, width, place);
      EXPECT_TRUE(any);
    }
    search.Add(walk.front());
  }
}

TEST(BlockVectorSearchTest, ProposesWhatCanBeCopied) {
  for (const MacroblockOrder order : kOrders) {
    for (const Picture picture : kAllPictures) {
      for (const int width : {7, 8, 23, 100}) {
        SCOPED_TRACE(testing::Message()
                     << OrderName(order) << " " << PictureName(picture) << " " << width);
        // Of its last macroblocks, some repeats are lower in those on the left.
        CheckProposals(Draw(picture, width, 37, 4), order);
      }
    }
  }
}

class RepeatsTest : public testing::TestWithParam<MacroblockOrder> {};

TEST_P(RepeatsTest, CostFewBits) {
  const Image image = Repeating(96, 96);
  EncodeOptions options;
  options.order = GetParam();
  options.preset = Preset::kBest;
  options.lambda = 0;
  options.prediction_level = 15;  // for speed
  EncodeStats stats;
  const auto with = Encode(image.View(), options, &stats);
  options.modes =
      kBestModes & ~kAllBlockCopyModes & ~(1u << kTemplate);  // which finds repeats, too
  const auto without = Encode(image.View(), options);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_LT(with->size(), without->size() / 2);
  EXPECT_GT(stats.block_vector_bits, 10);
  EXPECT_GT(stats.modes_chosen[kFirstBlockCopy], 10);
  const auto decoded = Decode(*with);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(SumSquaredError(image.View(), decoded->image.View()), stats.sum_squared_error);
}

INSTANTIATE_TEST_SUITE_P(Orders, RepeatsTest, testing::ValuesIn(kOrders),
                         [](const auto& test) { return std::string(OrderName(test.param)); });

}  // namespace
}  // namespace mmp
