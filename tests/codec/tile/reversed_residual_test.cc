// Residuals that are coded with their sign reversed, as prediction is bright.
#include "codec/tile/reversed_residual.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "codec/base/levels.h"

namespace mmp {
namespace {

std::vector<int16_t> Reversed(const std::vector<uint8_t>& prediction,
                              std::vector<int16_t> residual) {
  ReverseWhereBright(prediction.data(), static_cast<int>(prediction.size()), residual.data());
  return residual;
}

TEST(ReversedResidual, FollowsTheMeanPrediction) {
  const std::vector<int16_t> residual = {3, -255, 0, 255}, reversed = {-3, 255, 0, -255};
  EXPECT_EQ(Reversed({127, 127, 127, 127}, residual), residual);
  EXPECT_EQ(Reversed({128, 128, 128, 128}, residual), reversed);
  // One below the mean of 128, and exactly it.
  EXPECT_EQ(Reversed({255, 0, 255, 1}, residual), residual);
  EXPECT_EQ(Reversed({255, 0, 255, 2}, residual), reversed);
}

TEST(ReversedResidual, IsItsOwnInverse) {
  const std::vector<int16_t> residual = {1, -2, 3, -4, 5, -6, 7, -8};
  for (const uint8_t level : {0, 127, 128, 255}) {
    const std::vector<uint8_t> prediction(residual.size(), level);
    EXPECT_EQ(Reversed(prediction, Reversed(prediction, residual)), residual);
  }
}

TEST(ReversedResidual, OfAWholeMacroblock) {
  std::vector<uint8_t> prediction(kMacroblockPixels, 255);
  EXPECT_EQ(Reversed(prediction, std::vector<int16_t>(kMacroblockPixels, 2)),
            std::vector<int16_t>(kMacroblockPixels, -2));
}

}  // namespace
}  // namespace mmp
