#include "codec/rdo/residual_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/pictures.h"

namespace mmp {
namespace {

constexpr int kNoCap = 256;

std::vector<int16_t> RandomResidual(Random& random, int amplitude) {
  std::vector<int16_t> residual(16);
  for (int16_t& v : residual) v = static_cast<int16_t>(random.Between(-amplitude, amplitude));
  return residual;
}

// The definition, in floating point: log2(1 + v / D) / 2 for each coefficient of variance v.
double PlainBits(const std::vector<int16_t>& residual, double lambda) {
  constexpr int kHadamard[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};
  const double distortion = lambda / (2 * std::log(2.0));
  double bits = 0;
  for (const auto& u : kHadamard) {
    for (const auto& v : kHadamard) {
      double coefficient = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) coefficient += u[i] * v[j] * residual[4 * i + j] / 4.0;
      bits += std::log2(1 + coefficient * coefficient / distortion) / 2;
    }
  }
  return bits;
}

TEST(ResidualCostTest, IsThatOfItsDefinition) {
  Random random(1);
  for (const int lambda : {1, 10, 60, 320, 5000}) {
    const ResidualCost cost({lambda << 8}, kNoCap);
    for (int k = 0; k < 200; ++k) {
      const auto residual = RandomResidual(random, 1 + random.Below(255));
      const double bits = PlainBits(residual, lambda);
      EXPECT_NEAR(cost.Of4x4(residual.data(), 4) / 4096.0, bits, 0.05 + bits / 20);
    }
  }
}

TEST(ResidualCostTest, NothingCostsNothing) {
  const int16_t zero[16] = {};
  for (const int lambda : {0, 1, 100})
    EXPECT_EQ(ResidualCost({lambda << 8}, kNoCap).Of4x4(zero, 4), 0);
}

TEST(ResidualCostTest, IsCapped) {
  Random random(2);
  const auto residual = RandomResidual(random, 255);
  EXPECT_GT(ResidualCost({}, kNoCap).Of4x4(residual.data(), 4), 40 << kRateShift);
  EXPECT_EQ(ResidualCost({}, 32).Of4x4(residual.data(), 4), 32 << kRateShift);
}

TEST(ResidualCostTest, ReadsRowsThatAreApart) {
  Random random(3);
  const auto residual = RandomResidual(random, 50);
  std::vector<int16_t> apart(64, 99);
  for (int k = 0; k < 16; ++k) apart[k / 4 * 16 + k % 4] = residual[k];
  const ResidualCost cost({20 << 8}, kNoCap);
  EXPECT_EQ(cost.Of4x4(apart.data(), 16), cost.Of4x4(residual.data(), 4));
}

}  // namespace
}  // namespace mmp
