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

uint8_t RandomSample(Random& random, bool is_extreme) {
  return static_cast<uint8_t>(is_extreme ? 255 * random.Below(2) : random.Below(256));
}

// Samples of a macroblock, and what several predictions of blocks leave of them.
struct Scene {
  Scene(Random& random, LevelShape block_shape, bool is_extreme) : shape(block_shape) {
    for (uint8_t& v : original) v = RandomSample(random, is_extreme);
    predictions.resize(kPredictions * shape.pixels());
    for (uint8_t& v : predictions) v = RandomSample(random, is_extreme);
  }

  std::vector<int16_t> Residual(int prediction) const {
    std::vector<int16_t> residual;
    for (int i = 0; i < shape.height(); ++i)
      for (int j = 0; j < shape.width(); ++j)
        residual.push_back(
            static_cast<int16_t>(original[i * kMacroblockSize + j] -
                                 predictions[prediction * shape.pixels() + i * shape.width() + j]));
    return residual;
  }

  static constexpr int kPredictions = 3;
  const LevelShape shape;
  uint8_t original[kMacroblockPixels];
  std::vector<uint8_t> predictions;
};

TEST(SatdTest, OfPredictionsOnEveryTarget) {
  ForEachSimdTarget([] {
    Random random(2);
    for (int level = 0; level < kLevelCount; ++level) {
      for (int round = 0; round < 20; ++round) {
        const Scene scene(random, kLevelShapes[level], round % 5 == 0);
        int32_t sums[Scene::kPredictions];
        SatdOfPredictions(scene.original, scene.predictions.data(), Scene::kPredictions,
                          scene.shape, sums);
        for (int i = 0; i < Scene::kPredictions; ++i)
          ASSERT_EQ(sums[i], PlainSatd(scene.Residual(i), scene.shape)) << "level " << level;
      }
    }
  });
}

TEST(SatdTest, OfQuadrantsOnEveryTarget) {
  ForEachSimdTarget([] {
    Random random(3);
    for (int round = 0; round < 20; ++round) {
      const Scene scene(random, kLevelShapes[kMacroblockLevel], round % 5 == 0);
      QuadrantSatd sums[Scene::kPredictions];
      SatdOfQuadrants(scene.original, scene.predictions.data(), Scene::kPredictions, sums);
      for (int i = 0; i < Scene::kPredictions; ++i) {
        const std::vector<int16_t> residual = scene.Residual(i);
        for (int q = 0; q < 4; ++q) {
          std::vector<int16_t> quadrant;
          for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 8; ++x)
              quadrant.push_back(residual[(q / 2 * 8 + y) * 16 + q % 2 * 8 + x]);
          ASSERT_EQ(sums[i][q], PlainSatd(quadrant, {3, 3})) << "quadrant " << q;
        }
      }
    }
  });
}

}  // namespace
}  // namespace mmp
