#include "codec/copies.h"

#include <gtest/gtest.h>

#include <vector>

#include "codec/copy_search.h"
#include "common/metrics.h"
#include "tests/pictures.h"
#include "tests/test_support.h"

namespace mmp {
namespace {

std::vector<CopyVector> List(const CopyVectors& vectors) {
  std::vector<CopyVector> list;
  for (int k = 0; k < vectors.count(); ++k) list.push_back(vectors[k]);
  return list;
}

constexpr CopyVector kA = {-1, 20}, kB = {0, -16}, kC = {-300, 0}, kD = {-17, -17}, kE = {-5, 9};

uint32_t Modes(std::vector<int> numbers) {
  uint32_t modes = 0;
  for (const int k : numbers) modes |= 1u << (kFirstCopy + k);
  return modes;
}

TEST(CopyVectorsTest, NewOnesComeFirstAndTheLastFallsOut) {
  CopyVectors vectors;
  EXPECT_EQ(vectors.count(), 0);
  for (const CopyVector vector : {kA, kB, kC, kD}) vectors.Add(vector);
  EXPECT_EQ(List(vectors), (std::vector{kD, kC, kB, kA}));
  vectors.Add(kE);
  EXPECT_EQ(List(vectors), (std::vector{kE, kD, kC, kB}));
}

TEST(CopyVectorsTest, KnownOnesMoveToTheFront) {
  CopyVectors vectors;
  for (const CopyVector vector : {kA, kB, kC, kD, kB}) vectors.Add(vector);
  EXPECT_EQ(List(vectors), (std::vector{kB, kD, kC, kA}));
}

TEST(CopyVectorsTest, UsedOnesMoveToTheFrontInOrder) {
  CopyVectors vectors;
  for (const CopyVector vector : {kA, kB, kC, kD}) vectors.Add(vector);
  vectors.MoveToFront(Modes({1, 3}) | 1u << kTemplate);
  EXPECT_EQ(List(vectors), (std::vector{kC, kA, kD, kB}));
  vectors.MoveToFront(0);
  EXPECT_EQ(List(vectors), (std::vector{kC, kA, kD, kB}));
  vectors.MoveToFront(Modes({0, 1, 2, 3}));
  EXPECT_EQ(List(vectors), (std::vector{kC, kA, kD, kB}));
}

// The rule pixel by pixel: each must lie in the tile and in an earlier macroblock.
bool AllEarlier(BlockRect rect, CopyVector vector, int width, int my, int mx) {
  for (int i = 0; i < rect.height(); ++i) {
    for (int j = 0; j < rect.width(); ++j) {
      const int y = my + rect.y + i + vector.y, x = mx + rect.x + j + vector.x;
      if (y < 0 || x < 0 || x >= width) return false;
      if (!(y < my || (y < my + 16 && x < mx))) return false;
    }
  }
  return true;
}

TEST(CopyBlocksTest, WhatIsAvailableAndPredicted) {
  constexpr int kWidth = 64, kHeight = 48;
  const Image image = Draw(Picture::kNoise, kWidth, kHeight, 3);
  Random random(5);
  int available = 0, all = 0;
  for (int round = 0; round < 300; ++round) {
    const int my = 16 * random.Below(3), mx = 16 * random.Below(4);
    CopyVectors vectors;
    for (int k = random.Below(5); k > 0; --k)
      vectors.Add({-random.Below(random.OneIn(9) ? 65536 : 40), random.Between(-70, 70)});
    CopyBlocks copies;
    LoadCopies(vectors, image.pixels().data(), kWidth, my, mx, copies);
    for (int n = 0; n < 40; ++n) {
      const int level = random.Below(kLevelCount);
      const LevelShape shape = kLevelShapes[level];
      const BlockRect rect = {
          static_cast<uint8_t>(shape.height() * random.Below(16 / shape.height())),
          static_cast<uint8_t>(shape.width() * random.Below(16 / shape.width())),
          static_cast<uint8_t>(level)};
      uint32_t expected = 0;
      for (int k = 0; k < vectors.count(); ++k)
        if (AllEarlier(rect, vectors[k], kWidth, my, mx)) expected |= Modes({k});
      const uint32_t modes = copies.AvailableModes(rect);
      ASSERT_EQ(modes, expected);
      for (int k = 0; k < vectors.count(); ++k) {
        ++all;
        if ((modes & Modes({k})) == 0) continue;
        ++available;
        uint8_t prediction[kMacroblockPixels];
        copies.Predict(rect, kFirstCopy + k, prediction);
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

// A picture of noise in which what lies at (y, x) is that at (y - 21, x - 5) again.
Image Repeating(int width, int height) {
  Image image = Draw(Picture::kNoise, width, height, 9);
  for (int y = 21; y < height; ++y)
    for (int x = 5; x < width; ++x) image.Row(y)[x] = image.Row(y - 21)[x - 5];
  return image;
}

TEST(CopySearchTest, FindsTheDisplacementOfARepeat) {
  const Image image = Repeating(64, 64);
  CopySearch search(image.View());
  CopyVectors known;
  for (int y = 0; y < 64; y += 16) {
    for (int x = 0; x < 64; x += 16) {
      const std::vector<CopyVector> found = search.FindNew(known, y, x);
      if (known.count() > 0) {
        EXPECT_TRUE(found.empty()) << "known already, at " << y << ", " << x;
      }
      for (const CopyVector vector : found) known.Add(vector);
      search.Add(y, x);
    }
  }
  EXPECT_EQ(List(known), (std::vector{CopyVector{-21, -5}}));
}

TEST(CopySearchTest, FindsNothingWhereNothingRepeats) {
  for (const Picture picture : {Picture::kNoise, Picture::kFlat, Picture::kTexture}) {
    const Image image = Draw(picture, 48, 40, 9);
    CopySearch search(image.View());
    for (int y = 0; y < 40; y += 16) {
      for (int x = 0; x < 48; x += 16) {
        EXPECT_TRUE(search.FindNew({}, y, x).empty()) << PictureName(picture);
        search.Add(y, x);
      }
    }
  }
}

// All vectors that it ever proposes can be coded, and copy pixels that are there.
TEST(CopySearchTest, ProposesWhatCanBeCopied) {
  for (const Picture picture : kAllPictures) {
    for (const int width : {7, 8, 23, 100}) {
      // Of its last macroblocks, some repeats are lower in those on the left.
      const Image image = Draw(picture, width, 37, 4);
      CopySearch search(image.View());
      for (int y = 0; y < 37; y += 16) {
        for (int x = 0; x < width; x += 16) {
          const std::vector<CopyVector> found = search.FindNew({}, y, x);
          ASSERT_LE(found.size(), size_t{kMostNewCopyVectors});
          for (const CopyVector vector : found) {
            EXPECT_LE(vector.y, 0);
            bool any = false;
            for (uint8_t i = 0; i < 16; i += 4)
              for (uint8_t j = 0; j < 16; j += 4)
                any |= AllEarlier({i, j, LevelOf(2, 2)}, vector, (width + 15) / 16 * 16, y, x);
            EXPECT_TRUE(any);
          }
          search.Add(y, x);
        }
      }
    }
  }
}

TEST(CopySearchTest, RepeatsCostFewBits) {
  const Image image = Repeating(96, 96);
  EncodeOptions options;
  options.preset = Preset::kBest;
  options.lambda = 0;
  options.prediction_level = 15;  // for speed
  EncodeStats stats;
  const auto with = Encode(image.View(), options, &stats);
  options.modes = kBestModes & ~kAllCopyModes & ~(1u << kTemplate);  // which finds repeats, too
  const auto without = Encode(image.View(), options);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_LT(with->size(), without->size() / 2);
  EXPECT_GT(stats.copy_bits, 10);
  EXPECT_GT(stats.modes_chosen[kFirstCopy], 10);
  const auto decoded = Decode(*with);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(SumSquaredError(image.View(), decoded->image.View()), stats.sum_squared_error);
}

}  // namespace
}  // namespace mmp
