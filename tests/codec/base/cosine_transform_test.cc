#include "codec/base/cosine_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

double Cosine(int frequency, int place) {
  if (frequency == 0) return std::sqrt(1.0 / kCosineSide);
  return std::cos((2 * place + 1) * frequency * std::numbers::pi / 16) / 2;
}

// The coefficient that a block has of a frequency, or the sample that coefficients make, in
// floating point.
double Forward(const CosineBlock& block, int u, int v) {
  double sum = 0;
  for (int y = 0; y < kCosineSide; ++y)
    for (int x = 0; x < kCosineSide; ++x)
      sum += Cosine(u, y) * Cosine(v, x) * block[y * kCosineSide + x];
  return sum;
}
double Inverse(const CosineBlock& block, int y, int x) {
  double sum = 0;
  for (int u = 0; u < kCosineSide; ++u)
    for (int v = 0; v < kCosineSide; ++v)
      sum += Cosine(u, y) * Cosine(v, x) * block[u * kCosineSide + v];
  return sum;
}

TEST(CosineTransformTest, IsNearThatOfRealNumbers) {
  Random random(1);
  for (const int most : {3, 40, 255}) {
    for (int round = 0; round < 50; ++round) {
      CosineBlock block;
      for (int32_t& sample : block) sample = random.Between(-most, most);
      const CosineBlock coefficients = ForwardCosines(block);
      for (int u = 0; u < kCosineSide; ++u)
        for (int v = 0; v < kCosineSide; ++v)
          ASSERT_NEAR(coefficients[u * kCosineSide + v] / 32.0, Forward(block, u, v), 0.15)
              << most << ": " << u << ", " << v;
    }
  }
}

TEST(CosineTransformTest, TheInverseIsNearThatOfRealNumbers) {
  Random random(2);
  for (const int most : {100, 1000, 4096}) {
    for (int round = 0; round < 50; ++round) {
      CosineBlock coefficients;
      for (int32_t& each : coefficients) each = random.Between(-most, most);
      const CosineBlock block = InverseCosines(coefficients);
      for (int y = 0; y < kCosineSide; ++y)
        for (int x = 0; x < kCosineSide; ++x)
          ASSERT_NEAR(block[y * kCosineSide + x], Inverse(coefficients, y, x) / 32, 0.75)
              << most << ": " << y << ", " << x;
    }
  }
}

TEST(CosineTransformTest, WhatIsKeptOfABlackBlockIsOfItsSign) {
  CosineBlock black;
  black.fill(-128);
  EXPECT_EQ(InShort(ForwardCosines(black)[0]), -32767);
  black.fill(127);
  EXPECT_NEAR(InShort(ForwardCosines(black)[0]), 32512, 8);
}

// The largest sums that there can be, for sanitizers, and the samples that make them.
TEST(CosineTransformTest, ExtremesFit) {
  for (int u = 0; u < kCosineSide; ++u) {
    for (int v = 0; v < kCosineSide; ++v) {
      CosineBlock samples, coefficients;
      for (int y = 0; y < kCosineSide; ++y)
        for (int x = 0; x < kCosineSide; ++x) {
          samples[y * kCosineSide + x] = Cosine(u, y) * Cosine(v, x) < 0 ? -255 : 255;
          coefficients[y * kCosineSide + x] = Cosine(y, u) * Cosine(x, v) < 0 ? -4096 : 4096;
        }
      EXPECT_NEAR(ForwardCosines(samples)[u * kCosineSide + v] / 32.0, Forward(samples, u, v), 0.3);
      EXPECT_NEAR(InverseCosines(coefficients)[u * kCosineSide + v],
                  Inverse(coefficients, u, v) / 32, 1);
    }
  }
}

TEST(CosineTransformTest, GivesBackWhatItWasGiven) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    CosineBlock block;
    for (int32_t& sample : block) sample = random.Between(-15, 15);
    ASSERT_EQ(InverseCosines(ForwardCosines(block)), block);
  }
}

}  // namespace
}  // namespace mmp
