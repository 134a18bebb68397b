#include "codec/rdo/cost_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// The best a residual tree can cost, by the reference.
struct Best {
  int64_t tree;  // below the prediction tree, with its flag
  int64_t leaf;  // as a prediction leaf's, with its flag
};

Best BestOf(const SymbolCosts& symbol_costs, int level, const RootCosts& costs) {
  const auto& flags = symbol_costs.ResidualFlagCosts(level);
  const auto& root_flags = symbol_costs.PartitionCosts(level);
  const int64_t by_flag[] = {costs.pattern, costs.vertical, costs.horizontal};
  Best best{INT64_MAX, INT64_MAX};
  for (int flag = 0; flag < 3; ++flag) {
    if ((AllowedResidualFlags(level) >> flag & 1) == 0) continue;
    best.tree = std::min(best.tree, by_flag[flag] + flags[flag]);
    const int root = flag == kPattern ? kLeaf : kSplitResidualVertical + flag - kSplitVertical;
    best.leaf = std::min(best.leaf, by_flag[flag] + root_flags[root]);
  }
  return best;
}

class CostBoundsTest : public testing::TestWithParam<double> {};

// No block of any content costs less than the bounds say.
TEST_P(CostBoundsTest, IsALowerBound) {
  Random random(1);
  TileState tile = RandomTileState(random, {}, 16, 16);
  SymbolCosts symbol_costs;
  symbol_costs.Update(tile, Lambda{static_cast<int32_t>(GetParam() * 256)});
  const ReferenceCosts reference_costs(symbol_costs);
  CostBounds least;
  least.Update(symbol_costs);
  for (int level = 0; level < kLevelCount; ++level) {
    SCOPED_TRACE(level);
    for (int round = 0; round < 30; ++round) {
      std::vector<int16_t> values(kLevelShapes[level].pixels());
      const int spread = round == 0 ? 0 : 1 << random.Below(8);
      for (int16_t& v : values)
        v = static_cast<int16_t>(random.OneIn(2) ? 0 : random.Between(-spread, spread));
      const int32_t norm = ScaledNorm(values.data(), static_cast<int>(values.size()));
      const Best best =
          BestOf(symbol_costs, level, ReferenceResidual(reference_costs, level, values).costs());
      ASSERT_LE(least.Residual(level, norm), best.tree);
      ASSERT_LE(least.Residual(level), best.tree);
      ASSERT_LE(least.PredictionLeaf(level, norm), best.leaf);
      ASSERT_LE(least.PredictionNode(level), best.leaf);
    }
  }
}

// A bound that is far too low would bound nothing: for blocks of zeros it is what they cost.
TEST_P(CostBoundsTest, IsReachedByZeros) {
  TileState tile({}, 16, 16);
  SymbolCosts symbol_costs;
  symbol_costs.Update(tile, Lambda{static_cast<int32_t>(GetParam() * 256)});
  const ReferenceCosts reference_costs(symbol_costs);
  CostBounds least;
  least.Update(symbol_costs);
  for (int level = 0; level < kLevelCount; ++level) {
    const std::vector<int16_t> zeros(kLevelShapes[level].pixels());
    const Best best =
        BestOf(symbol_costs, level, ReferenceResidual(reference_costs, level, zeros).costs());
    EXPECT_EQ(least.Residual(level, 0), best.tree) << level;
    EXPECT_EQ(least.PredictionLeaf(level, 0), best.leaf) << level;
  }
}

INSTANTIATE_TEST_SUITE_P(Lambdas, CostBoundsTest, testing::Values(0, 1, 10, 300, 65536));

}  // namespace
}  // namespace mmp
