#include "codec/rdo/satd.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kHadamard[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};

// One coefficient after the other, as sums of products.
int32_t PlainSatd(const std::vector<int16_t>& residual, LevelShape shape) {
  int32_t sum = 0;
  if (shape.height() < 4 || shape.width() < 4) {
    for (const int16_t v : residual) sum += std::abs(v);
    return sum;
  }
  for (int y = 0; y < shape.height(); y += 4) {
    for (int x = 0; x < shape.width(); x += 4) {
      int coefficients = 0;
      for (int u = 0; u < 4; ++u)
        for (int v = 0; v < 4; ++v) {
          int coefficient = 0;
          for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
              coefficient +=
                  kHadamard[u][i] * kHadamard[v][j] * residual[(y + i) * shape.width() + x + j];
          coefficients += std::abs(coefficient);
        }
      sum += coefficients / 2;  // all have the parity of the block's sum
    }
  }
  return sum;
}

TEST(SatdTest, EqualsPlainTransforms) {
  Random random(1);
  for (int level = 0; level < kLevelCount; ++level) {
    const LevelShape shape = kLevelShapes[level];
    for (int round = 0; round < 50; ++round) {
      std::vector<int16_t> residual(shape.pixels());
      for (int16_t& v : residual)
        v = static_cast<int16_t>(round % 5 == 0 ? (random.OneIn(2) ? 255 : -255)
                                                : random.Between(-255, 255));
      ASSERT_EQ(Satd(residual.data(), shape), PlainSatd(residual, shape)) << "level " << level;
    }
  }
}

TEST(SatdTest, ManyBlocksOnEveryTarget) {
  constexpr int kBlocks = 3;
  ForEachSimdTarget([] {
    Random random(2);
    for (int level = 0; level < kLevelCount; ++level) {
      const LevelShape shape = kLevelShapes[level];
      for (int round = 0; round < 20; ++round) {
        std::vector<int16_t> residuals(kBlocks * shape.pixels());
        for (int16_t& v : residuals)
          v = static_cast<int16_t>(round % 5 == 0 ? (random.OneIn(2) ? 255 : -255)
                                                  : random.Between(-255, 255));
        int32_t sums[kBlocks];
        SatdOfBlocks(residuals.data(), kBlocks, shape, sums);
        for (int i = 0; i < kBlocks; ++i)
          ASSERT_EQ(sums[i], Satd(&residuals[i * shape.pixels()], shape)) << "level " << level;
      }
    }
  });
}

}  // namespace
}  // namespace mmp
