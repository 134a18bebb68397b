#include "codec/encoder/filter/fit_jpeg_lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/encoder/filter/filter_symbols.h"
#include "common/metrics.h"
#include "common/task_pool.h"
#include "mmp/image.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr Lambda kLambda = {.q8 = 256 * 12};

// A tile's plane of the picture with noise of `amplitude`.
std::vector<uint8_t> NoisyPlane(const Image& image, int amplitude, uint32_t seed) {
  Random random(seed);
  std::vector<uint8_t> plane;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      plane.push_back(static_cast<uint8_t>(
          std::clamp(image.Row(y)[x] + random.Between(-amplitude, amplitude), 0, 255)));
  return plane;
}

uint64_t Error(const Image& image, const std::vector<uint8_t>& plane) {
  const size_t stride = static_cast<size_t>(image.width());
  return SumSquaredError(image.View(), {plane.data(), image.width(), image.height(), stride});
}

TEST(FitJpegLatticeTest, FindsTheSteps) {
  for (const int top : {0, 5}) {
    const Image image = DrawJpeg(200, 150, 3, top, 7);
    const std::vector<uint8_t> plane = NoisyPlane(image, 4, 1);
    const JpegLattice lattice =
        FitJpegLattice(plane.data(), image.width(), image.View(), {top, 3}, kLambda);
    ASSERT_TRUE(lattice.is_used);
    EXPECT_EQ(lattice.row, top);
    EXPECT_EQ(lattice.column, 3);
    for (int i = 0; i < kCosinePixels; ++i) {
      const auto [pull, step] = lattice.frequencies[i];
      ASSERT_GT(pull, 0) << i;
      const int u = kJpegOrder[i] / kCosineSide, v = kJpegOrder[i] % kCosineSide;
      if (u < 3 && v < 3) {
        EXPECT_EQ(step, kDrawnJpegStep) << i;
      }
    }
  }
}

// What it says of the cost is what applying it gives.
TEST(FitJpegLatticeTest, IsWorthItsBits) {
  const Image image = DrawJpeg(240, 200, 0, 0, 3);
  for (const int amplitude : {1, 3, 6}) {
    std::vector<uint8_t> plane = NoisyPlane(image, amplitude, 2);
    const uint64_t before = Error(image, plane);
    const JpegLattice lattice =
        FitJpegLattice(plane.data(), image.width(), image.View(), {0, 0}, kLambda);
    ASSERT_TRUE(lattice.is_used) << amplitude;
    ApplyJpegLattice(lattice, image.width(), image.height(), image.width(), plane);
    const auto bits = static_cast<uint64_t>(Price(kLambda, JpegLatticeRateQ12(lattice)));
    EXPECT_LT(Error(image, plane) + bits, before) << amplitude;
  }
}

TEST(FitJpegLatticeTest, WhatHasNothingToGainHasNone) {
  const Image jpeg = DrawJpeg(240, 200, 0, 0, 3);
  const auto fit = [](const Image& image, int amplitude, JpegGrid grid) {
    const std::vector<uint8_t> plane = NoisyPlane(image, amplitude, 3);
    return FitJpegLattice(plane.data(), image.width(), image.View(), grid, kLambda);
  };
  EXPECT_EQ(fit(jpeg, 0, {0, 0}), JpegLattice());  // no error
  EXPECT_EQ(fit(Draw(Picture::kNoise, 240, 200, 1), 3, {0, 0}), JpegLattice());
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 30}, {14, 14}, {80, 6}})
    EXPECT_EQ(fit(DrawJpeg(width, height, 7, 7, 1), 4, {7, 7}), JpegLattice())
        << width << "x" << height;
}

TEST(FitJpegLatticeTest, ThreadsChangeNothing) {
  const Image image = DrawJpeg(240, 200, 4, 6, 3);
  const std::vector<uint8_t> plane = NoisyPlane(image, 5, 4);
  TaskPool pool(4);
  EXPECT_EQ(FitJpegLattice(plane.data(), image.width(), image.View(), {6, 4}, kLambda),
            FitJpegLattice(plane.data(), image.width(), image.View(), {6, 4}, kLambda, pool));
}

}  // namespace
}  // namespace mmp
