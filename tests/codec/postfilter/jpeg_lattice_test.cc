#include "codec/postfilter/jpeg_lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "common/task_pool.h"
#include "mmp/image.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kStride = 80, kRows = 64;
constexpr int kHardest = kJpegPulls - 1;

// All frequencies pulled so, to multiples of one step.
JpegLattice Lattice(int row, int column, int pull, int step) {
  JpegLattice lattice = {.is_used = true, .row = row, .column = column};
  lattice.frequencies.fill({static_cast<uint8_t>(pull), static_cast<uint8_t>(step)});
  return lattice;
}

std::vector<uint8_t> PlaneOf(const Image& image) {
  std::vector<uint8_t> plane;
  for (int y = 0; y < image.height(); ++y)
    plane.insert(plane.end(), image.Row(y), image.Row(y) + image.width());
  return plane;
}

int64_t Distance(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

TEST(JpegLatticeTest, PlacesAreFromTheNearestMultiple) {
  Random random(4);
  for (int round = 0; round < 20000; ++round) {
    const int step = random.Between(1, kLargestJpegStep), unit = step << kCosineFraction;
    const int coefficient = random.Below(random.Between(1, 1 << 15));
    const JpegPlace place = PlaceOnLattice(coefficient, step);
    const int offset = coefficient - place.multiple * unit;
    ASSERT_LE(2 * std::abs(offset), unit);
    ASSERT_LE(place.distance, 256);
    ASSERT_EQ(place.distance, std::abs(offset) * 512 / unit);
    ASSERT_EQ(place.is_below, offset < 0);
  }
}

// No pull goes beyond the multiple by more than it rounds, a harder one pulls as far as one that is
// not, and where the multiple is not nought none pulls less.
TEST(JpegLatticeTest, PullsGrow) {
  for (const int step : {1, 2, 7, 100, 255}) {
    for (int distance = 0; distance <= 256; ++distance) {
      const int32_t whole = distance * (step << kCosineFraction) / 512;
      int32_t before = 0;
      for (int pull = 0; pull < kJpegPulls; ++pull) {
        const int32_t by = PullOf(pull, {0, distance, true}, step);
        ASSERT_GE(by, before) << step << ", " << distance;
        ASSERT_LE(by, whole + 1 + (step << kCosineFraction) / 512) << step << ", " << distance;
        ASSERT_GE(PullOf(pull, {1, distance, true}, step), by);
        before = by;
      }
    }
  }
  EXPECT_EQ(PullOf(0, {1, 100, true}, 20), 0);
}

TEST(JpegLatticeTest, WhatIsNotUsedOrHasNoPullsChangesNothing) {
  const std::vector<uint8_t> noise = PlaneOf(Draw(Picture::kNoise, kStride, kRows, 1));
  std::vector<uint8_t> plane = noise;
  ApplyJpegLattice({}, kStride, kRows, kStride, plane);
  EXPECT_EQ(plane, noise);
  ApplyJpegLattice(Lattice(0, 0, 0, 10), kStride, kRows, kStride, plane);
  EXPECT_EQ(plane, noise);
}

TEST(JpegLatticeTest, BlocksThatAreNotWholeStayAsTheyAre) {
  const std::vector<uint8_t> noise = PlaneOf(Draw(Picture::kNoise, kStride, kRows, 1));
  for (const auto& [row, column, height, width] : {std::array{0, 0, kRows, kStride},
                                                   {3, 5, kRows, kStride},
                                                   {7, 1, 43, 60},
                                                   {0, 0, 7, 80},
                                                   {1, 0, 8, 80},
                                                   {0, 7, 64, 14},
                                                   {5, 6, 13, 14},
                                                   {7, 7, 3, 2}}) {
    std::vector<uint8_t> plane = noise;
    ApplyJpegLattice(Lattice(row, column, kHardest, 60), width, height, kStride, plane);
    std::vector<uint8_t> changes(plane.size());
    for (int y = 0; y < kRows; ++y) {
      for (int x = 0; x < kStride; ++x) {
        const bool is_in_block = y >= row && y < row + (height - row) / 8 * 8 && x >= column &&
                                 x < column + (width - column) / 8 * 8;
        if (!is_in_block) {
          ASSERT_EQ(plane[y * kStride + x], noise[y * kStride + x]) << y << ", " << x;
        }
      }
    }
    if (height - row >= 8 && width - column >= 8) {
      EXPECT_NE(plane, noise);
    } else {
      EXPECT_EQ(plane, noise);
    }
  }
}

TEST(JpegLatticeTest, NoiseIsTakenFromWhatWasAJpegFile) {
  Random random(5);
  const std::vector<uint8_t> original = PlaneOf(DrawJpeg(kStride, kRows, 5, 2, 1));
  std::vector<uint8_t> noisy = original;
  for (uint8_t& sample : noisy)
    sample = static_cast<uint8_t>(std::clamp(sample + random.Between(-4, 4), 0, 255));
  const int64_t before = Distance(noisy, original);
  int64_t least = before;
  for (int pull = 1; pull < kJpegPulls; ++pull) {
    std::vector<uint8_t> plane = noisy;
    ApplyJpegLattice(Lattice(2, 5, pull, kDrawnJpegStep), kStride, kRows, kStride, plane);
    EXPECT_LE(Distance(plane, original), before) << pull;
    least = std::min(least, Distance(plane, original));
    // In another grid there is nothing to be had.
    plane = noisy;
    ApplyJpegLattice(Lattice(6, 5, pull, kDrawnJpegStep), kStride, kRows, kStride, plane);
    EXPECT_GE(Distance(plane, original), before / 2) << pull;
  }
  EXPECT_LT(least, before / 3);
}

TEST(JpegLatticeTest, ThreadsChangeNothing) {
  const std::vector<uint8_t> noise = PlaneOf(Draw(Picture::kNoise, kStride, kRows, 2));
  std::vector<uint8_t> alone = noise, together = noise;
  TaskPool pool(4);
  ApplyJpegLattice(Lattice(1, 2, 7, 33), kStride, kRows, kStride, alone);
  ApplyJpegLattice(Lattice(1, 2, 7, 33), kStride, kRows, kStride, together, pool);
  EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace mmp
