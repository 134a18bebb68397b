#include "codec/rdo/copy_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codec/base/lambda.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/file_header.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

constexpr Lambda kLambda = {20 << 8};

CodecParameters InOrder(MacroblockOrder order) {
  CodecParameters parameters = PresetParameters(Preset::kBest);
  parameters.order = order;
  return parameters;
}
const CodecParameters kRaster = InOrder(MacroblockOrder::kRaster);
const CodecParameters kFronts = InOrder(MacroblockOrder::kWavefront);

CellCosts All(int32_t cost) {
  CellCosts costs;
  costs.fill(cost);
  return costs;
}

TEST(ImproveTest, TakesAQuarterAsAWhole) {
  CellCosts costs = All(100);
  // The top left one: worse in one cell, better in the others.
  CellCosts copy = All(kImpossible);
  copy[0] = 150;
  copy[1] = copy[4] = copy[5] = 10;
  EXPECT_EQ(Improve(copy, costs), 400 - 180);
  EXPECT_EQ(costs[0], 150);
  EXPECT_EQ(costs[5], 10);
  EXPECT_EQ(costs[2], 100);
  EXPECT_EQ(SumOf(costs), 1600 - 400 + 180);
}

TEST(ImproveTest, TakesEqualCellsAlone) {
  CellCosts costs = All(100);
  CellCosts copy = All(kImpossible);
  copy[15] = 0;  // of the bottom right quarter
  copy[2] = 0;   // of the top right one, which costs more as a whole
  copy[3] = copy[6] = copy[7] = 140;
  EXPECT_EQ(Improve(copy, costs), 200);
  EXPECT_EQ(costs[15], 0);
  EXPECT_EQ(costs[14], 100);
  EXPECT_EQ(costs[2], 0);
  EXPECT_EQ(costs[3], 100);
}

TEST(ImproveTest, LeavesWhatIsNoWorse) {
  CellCosts costs = All(100);
  EXPECT_EQ(Improve(All(100), costs), 0);
  EXPECT_EQ(Improve(All(kImpossible), costs), 0);
  EXPECT_EQ(costs, All(100));
}

TEST(CopyCostsTest, WhatIsPredictedWellCostsLittle) {
  const Image flat = Draw(Picture::kFlat, 48, 48, 1), noise = Draw(Picture::kNoise, 48, 48, 1);
  EXPECT_EQ(SumOf(CopyCosts(flat.View(), kRaster, kLambda).Predicted({16, 16})), 0);
  EXPECT_GT(SumOf(CopyCosts(noise.View(), kRaster, kLambda).Predicted({16, 16})),
            500 << kRateShift);
}

// Of what is behind the macroblock, and of its front, nothing is known.
TEST(CopyCostsTest, PredictionDependsOnEarlierFrontsAlone) {
  constexpr MacroblockPlace kPlace = {16, 16};
  for (const CodecParameters* parameters : {&kRaster, &kFronts}) {
    const Image image = Draw(Picture::kTexture, 64, 48, 1);
    Image changed = image;
    const bool raster = parameters == &kRaster;
    for (int y = 0; y < 48; ++y) {
      for (int x = 0; x < 64; ++x) {
        const bool known =
            raster ? y < 16 || (y < 32 && x < 16) : FrontOf(y, x) < FrontOf(kPlace.y, kPlace.x);
        const bool own = y / 16 == 1 && x / 16 == 1;
        if (!known && !own) changed.Row(y)[x] ^= 0x55;
      }
    }
    EXPECT_EQ(CopyCosts(image.View(), *parameters, kLambda).Predicted(kPlace),
              CopyCosts(changed.View(), *parameters, kLambda).Predicted(kPlace));
  }
}

TEST(CopyCostsTest, CopiesCostWhatIsLeft) {
  Image image = Draw(Picture::kNoise, 64, 48, 1);
  for (int y = 16; y < 32; ++y)
    for (int x = 16; x < 32; ++x) image.Row(y)[x] = image.Row(y - 16)[x];
  image.Row(20)[24] ^= 1;  // in cell 6
  CellCosts costs;
  ASSERT_TRUE(CopyCosts(image.View(), kRaster, kLambda).Copied({-16, 0}, {16, 16}, costs));
  for (int cell = 0; cell < 16; ++cell) EXPECT_EQ(costs[cell] == 0, cell != 6) << cell;
  EXPECT_LT(costs[6], 1 << kRateShift);
  ASSERT_TRUE(CopyCosts(image.View(), kFronts, kLambda).Copied({-16, 0}, {16, 16}, costs));
  EXPECT_EQ(costs[6], kImpossible);
  EXPECT_EQ(costs[7], 0);
}

TEST(CopyCostsTest, CopiesNothingThatIsNotThere) {
  const Image image = Draw(Picture::kFlat, 64, 48, 1);
  const CopyCosts in_raster(image.View(), kRaster, kLambda),
      in_fronts(image.View(), kFronts, kLambda);
  CellCosts costs;
  // Itself, the macroblock on the right, beyond each edge; the one above on the right, which is of
  // the same front.
  for (const BlockVector vector : {BlockVector{0, 0}, {0, 16}, {-40, 0}, {0, -40}, {-16, 60}})
    EXPECT_FALSE(in_raster.Copied(vector, {16, 16}, costs));
  EXPECT_TRUE(in_raster.Copied({-16, 32}, {16, 16}, costs));
  EXPECT_FALSE(in_fronts.Copied({-16, 32}, {16, 16}, costs));
  // Half of it lies in the macroblock itself.
  ASSERT_TRUE(in_raster.Copied({0, -8}, {16, 16}, costs));
  EXPECT_EQ(std::ranges::count(costs, 0), 8);
  EXPECT_EQ(std::ranges::count(costs, kImpossible), 8);
}

}  // namespace
}  // namespace mmp
