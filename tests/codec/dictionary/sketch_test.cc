#include "codec/dictionary/sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/pictures.h"

namespace mmp {
namespace {

using Values = std::vector<int16_t>;

int64_t SquaredDistance(const auto& a, const auto& b) {
  return std::transform_reduce(std::begin(a), std::end(a), std::begin(b), int64_t{0}, std::plus(),
                               [](int64_t x, int64_t y) { return (x - y) * (x - y); });
}

Sketch SketchOf(const Values& values, LevelShape shape) {
  const int64_t norm = SquaredDistance(values, Values(values.size()));
  return SketchOf(values.data(), shape, static_cast<int32_t>(norm));
}

// Noise, extremes, or a block that differs a little from `other`.
Values RandomBlock(Random& random, const Values& other) {
  Values values(other.size());
  const int kind = random.Below(3);
  for (size_t k = 0; k < values.size(); ++k)
    values[k] =
        static_cast<int16_t>(kind == 0   ? random.Between(-255, 255)
                             : kind == 1 ? (random.OneIn(2) ? 255 : -255)
                                         : std::clamp(other[k] + random.Between(-1, 1), -255, 255));
  return values;
}

TEST(SketchTest, AreNoFurtherApartThanBlocks) {
  for (int level = 1; level < kLevelCount; ++level) {
    const LevelShape shape = kLevelShapes[level];
    Random random(level);
    Values a(shape.pixels());
    for (int i = 0; i < 500; ++i) {
      const Values b = RandomBlock(random, a);
      const int64_t distance = SquaredDistance(a, b);
      ASSERT_LT(SquaredDistance(SketchOf(a, shape), SketchOf(b, shape)), SketchReach(distance))
          << "level " << level << ", distance " << distance;
      a = b;
    }
  }
}

// Of blocks that are sums of the three vectors, sketches keep the distance.
TEST(SketchTest, TellsHalvesApart) {
  for (int level = 1; level < kLevelCount; ++level) {
    const LevelShape shape = kLevelShapes[level];
    const int pixels = shape.pixels();
    const bool is_line = shape.log2_height == 0 || shape.log2_width == 0;
    Random random(level);
    auto draw = [&] {
      const int constant = random.Between(-85, 85), halves = random.Between(-85, 85);
      const int others = pixels == 2 ? 0 : random.Between(-85, 85);
      Values values(pixels);
      for (int k = 0; k < pixels; ++k) {
        const bool second_half = k >= pixels / 2;
        const int other_size = is_line ? pixels / 2 : shape.width();
        const bool second_other = k % other_size >= other_size / 2;
        values[k] = static_cast<int16_t>(constant + (second_half ? -halves : halves) +
                                         (second_other ? -others : others));
      }
      return values;
    };
    for (int i = 0; i < 100; ++i) {
      const Values a = draw(), b = draw();
      const double distance = std::sqrt(static_cast<double>(SquaredDistance(a, b)));
      const double sketched =
          std::sqrt(static_cast<double>(SquaredDistance(SketchOf(a, shape), SketchOf(b, shape))));
      ASSERT_NEAR(sketched, kSketchScale * distance, 2) << "level " << level;
    }
  }
}

// The norm of the rest tells what the coefficients do not.
TEST(SketchTest, TellsTheRestByItsNorm) {
  const LevelShape shape = kLevelShapes[kMacroblockLevel];
  Values flat(shape.pixels()), checkerboard = flat;
  for (int k = 0; k < shape.pixels(); ++k)
    checkerboard[k] = (k / shape.width() + k) % 2 == 0 ? 10 : -10;
  EXPECT_EQ(SketchOf(checkerboard, shape), (Sketch{0, 0, 0, kSketchScale * 16 * 10}));
  EXPECT_EQ(SketchOf(flat, shape), Sketch{});
}

// The largest numbers that there are.
TEST(SketchTest, OfExtremes) {
  const LevelShape shape = kLevelShapes[kMacroblockLevel];
  Values flat(shape.pixels(), -255), halves = flat;
  std::fill_n(halves.begin(), shape.pixels() / 2, 255);
  constexpr int16_t kMost = kSketchScale * 16 * 255;
  EXPECT_EQ(SketchOf(flat, shape), (Sketch{-kMost, 0, 0, 0}));
  EXPECT_EQ(SketchOf(halves, shape), (Sketch{0, kMost, 0, 0}));
}

TEST(SketchTest, ReachIsAtMostWhatFits) {
  EXPECT_EQ(SketchReach(0), 2 * 2 + 2);
  EXPECT_EQ(SketchReach(25), 22 * 22 + 2);
  EXPECT_EQ(SketchReach(UINT32_MAX), INT32_MAX);
}

}  // namespace
}  // namespace mmp
