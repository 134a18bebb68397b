// The rules against what their comments say, in wide numbers and at the extremes.
#include "codec/rdo/decision_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "codec/rdo/satd.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(DecisionRulesTest, LeastCostIsThatOfTheBetterKindOfTree) {
  EXPECT_EQ(LeastCost({100, 300}, 0, false), 100);
  EXPECT_EQ(LeastCost({100, 300}, 50, false), 150);
  EXPECT_EQ(LeastCost({100, 300}, 250, false), 300);
  EXPECT_EQ(LeastCost({400, 300}, 0, false), 300);
  // Lossless: zero patterns leave the energy as it is, which must be none.
  EXPECT_EQ(LeastCost({100, 300}, 0, true), 100);
  EXPECT_EQ(LeastCost({100, 300}, 1, true), 300);
  EXPECT_EQ(LeastCost({400, 300}, 0, true), 300);
}

TEST(DecisionRulesTest, SlackIsInSixteenthsOfTheLeastCost) {
  EXPECT_TRUE(IsGoodEnoughWhole(1000, 1000, 0));
  EXPECT_FALSE(IsGoodEnoughWhole(1001, 1000, 0));
  EXPECT_TRUE(IsGoodEnoughWhole(1250, 1000, 4));
  EXPECT_FALSE(IsGoodEnoughWhole(1251, 1000, 4));
  // Products beyond 32 bits.
  EXPECT_TRUE(IsGoodEnoughWhole(INT32_MAX, kImpossible, 64));
  EXPECT_FALSE(IsGoodEnoughWhole(kImpossible, kImpossible / 2 - 1, 16));
  // Splits may cost less than nothing more.
  EXPECT_FALSE(IsGoodEnoughWhole(0, -1, 16));
}

// Of equal costs the pattern comes before the vertical split, and that before the horizontal one.
TEST(DecisionRulesTest, ResidualDecisionsOfEqualCost) {
  const std::array<int32_t, kResidualFlags> flags = {5, 3, 4};
  const std::array<std::tuple<RootCosts, int32_t, ResidualFlag>, 5> cases = {{
      {{10, 12, 11}, 15, kPattern},
      {{11, 12, 11}, 15, kSplitVertical},
      {{11, 13, 11}, 15, kSplitHorizontal},
      {{10, kImpossible, kImpossible}, 15, kPattern},
      {{kImpossible, kImpossible, 1}, 5, kSplitHorizontal},
  }};
  for (const auto& [costs, cost, flag] : cases) {
    const ResidualDecision decision = DecideResidual(costs, flags.data());
    EXPECT_EQ(decision.cost, cost);
    EXPECT_EQ(decision.flag, flag);
  }
}

// Keys are ordered as cost, mode, partition are.
TEST(DecisionRulesTest, LeavesByCostThenModeThenPartition) {
  std::vector<Leaf> leaves;
  for (const int32_t cost : {0, 1, 65535, 65536, kImpossible, INT32_MAX})
    for (const int mode : {0, 1, 29, 30})
      for (const Partition partition : {kLeaf, kSplitResidualVertical, kSplitResidualHorizontal})
        leaves.push_back({cost, mode, partition});
  for (const Leaf& a : leaves) {
    EXPECT_LT(LeafKey(a), kNoLeaf);
    const Leaf back = LeafOfKey(LeafKey(a));
    EXPECT_EQ(std::tie(back.cost, back.mode, back.partition),
              std::tie(a.cost, a.mode, a.partition));
    for (const Leaf& b : leaves)
      EXPECT_EQ(LeafKey(a) < LeafKey(b),
                std::tie(a.cost, a.mode, a.partition) < std::tie(b.cost, b.mode, b.partition));
  }
}

TEST(DecisionRulesTest, BestLeafOfAMode) {
  const std::array<int32_t, kPartitions> flags = {9, kImpossible, kImpossible, 4, 4};
  EXPECT_EQ(BestLeafOfMode(7, 100, flags.data(), {20, 25, 25}), LeafKey({129, 7, kLeaf}));
  EXPECT_EQ(BestLeafOfMode(7, 100, flags.data(), {21, 25, 25}),
            LeafKey({129, 7, kSplitResidualVertical}));
  EXPECT_EQ(BestLeafOfMode(7, 100, flags.data(), {21, 25, 24}),
            LeafKey({128, 7, kSplitResidualHorizontal}));
  EXPECT_EQ(BestLeafOfMode(7, 100, flags.data(), {kImpossible, kImpossible, kImpossible}), kNoLeaf);
}

TEST(DecisionRulesTest, OnlyALeafOfOnePatternEndsTheSearch) {
  EXPECT_TRUE(EndsTheSearch({99, 0, kLeaf}, 100));
  EXPECT_FALSE(EndsTheSearch({100, 0, kLeaf}, 100));
  EXPECT_FALSE(EndsTheSearch({99, 0, kSplitResidualVertical}, 100));
}

// The estimate in 32 bits is that in 64 up to what its operands can be.
TEST(DecisionRulesTest, ModeEstimatesFitTheirBits) {
  const int32_t most_root = RootLambdaQ4(Lambda{static_cast<int32_t>(256 * kMaxLambda)});
  EXPECT_EQ(most_root, kMostRootLambdaQ4);
  for (const int64_t satd : {int64_t{0}, int64_t{1}, kMostSatd})
    for (const int64_t root : {int64_t{0}, int64_t{1}, int64_t{most_root}})
      for (const int64_t rate : {int64_t{0}, int64_t{1}, kMostModeRateQ12})
        EXPECT_EQ(ModeEstimateQ4(static_cast<int32_t>(satd), static_cast<int32_t>(root),
                                 static_cast<int32_t>(rate)),
                  16 * satd + (root * rate >> kRateShift));
}

// No residual has a larger SATD than the bound says, the worst that a search finds included: each
// sign is turned as long as that makes it larger.
TEST(DecisionRulesTest, SatdStaysBelowItsBound) {
  Random random(1);
  const LevelShape shape = kLevelShapes[kMacroblockLevel];
  int32_t most = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<int16_t> residual(shape.pixels());
    for (int16_t& v : residual) v = random.OneIn(2) ? 255 : -255;
    int32_t satd = Satd(residual.data(), shape);
    for (bool better = true; better;) {
      better = false;
      for (int16_t& v : residual) {
        v = static_cast<int16_t>(-v);
        const int32_t turned = Satd(residual.data(), shape);
        better |= turned > satd;
        if (turned > satd)
          satd = turned;
        else
          v = static_cast<int16_t>(-v);
      }
    }
    most = std::max(most, satd);
  }
  EXPECT_LE(most, kMostSatd);
  EXPECT_GE(most, kMostSatd * 9 / 10);  // the bound is no idle one
}

TEST(DecisionRulesTest, EqualEstimatesGoByMode) {
  EXPECT_TRUE(IsMorePromising({5, 2}, {6, 1}));
  EXPECT_TRUE(IsMorePromising({5, 1}, {5, 2}));
  EXPECT_FALSE(IsMorePromising({5, 2}, {5, 2}));
  EXPECT_FALSE(IsMorePromising({5, 2}, {5, 1}));
}

// Thinner halves than asked for are not searched; other splits are those of the format.
TEST(DecisionRulesTest, MaySplit) {
  for (int level = 0; level < kLevelCount; ++level) {
    const LevelShape shape = kLevelShapes[level];
    const int across = std::min(shape.height(), shape.width() / 2);
    const int down = std::min(shape.height() / 2, shape.width());
    for (const int lowest : {0, 8, 20}) {
      for (const int thinnest : {1, 2, 4, 16}) {
        EXPECT_EQ(SearchMaySplit(level, Split::kVertical, lowest, thinnest),
                  PredictionMaySplit(level, Split::kVertical, lowest) && across >= thinnest);
        EXPECT_EQ(SearchMaySplit(level, Split::kHorizontal, lowest, thinnest),
                  PredictionMaySplit(level, Split::kHorizontal, lowest) && down >= thinnest);
      }
    }
  }
}

}  // namespace
}  // namespace mmp
