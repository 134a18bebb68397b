// From a residual to the costs at the root of its tree: numbering, matching and pruning together,
// against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/cuda/device.h"
#include "tests/cuda/residual_trees.cuh"

namespace mmp::cuda {
namespace {

class ResidualTreeTest : public DeviceTest {
 protected:
  template <bool kTensor>
  void Check(const std::vector<TreeResidual>& residuals, const SymbolCosts& symbol_costs,
             int slack_q4, int threads) {
    const SearchCosts costs(symbol_costs);
    DeviceTrees<kTensor> device(residuals, costs, threads);
    device.Prune(slack_q4);
    const std::vector<ResidualTree> trees = device.Read();
    const ReferenceCosts reference_costs(symbol_costs);
    for (size_t k = 0; k < residuals.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "residual " << k << ", level " << residuals[k].level);
      Compare(trees[k], residuals[k], reference_costs, slack_q4, costs.patterns);
      if (HasFatalFailure()) return;
    }
  }

 private:
  static void Compare(const ResidualTree& tree, const TreeResidual& residual,
                      const ReferenceCosts& device_costs, int slack_q4, const Patterns& patterns) {
    const std::vector<int16_t> values(residual.values,
                                      residual.values + kLevelShapes[residual.level].pixels());
    const ReferenceResidual reference(device_costs, residual.level, values, slack_q4);
    const RootCosts& expected = reference.costs();
    const int32_t costs[] = {tree.costs.pattern, tree.costs.vertical, tree.costs.horizontal};
    const int32_t expected_costs[] = {expected.pattern, expected.vertical, expected.horizontal};
    for (int flag = 0; flag < kResidualFlags; ++flag) {
      ASSERT_EQ(std::min(costs[flag], kImpossible), std::min(expected_costs[flag], kImpossible))
          << "decision " << flag;
      if (costs[flag] >= kImpossible) continue;
      ASSERT_EQ(ValuesOf(tree, flag, residual.level, patterns),
                reference.Values(static_cast<ResidualFlag>(flag)))
          << "decision " << flag;
    }
  }
};

TEST_F(ResidualTreeTest, EqualsTheReference) {
  for (const int lambda_q8 : {0, 1, 256, 2560, 76800, 16777216}) {
    for (const int slack_q4 : {0, 16, 20}) {
      SCOPED_TRACE(testing::Message() << "lambda " << lambda_q8 / 256.0 << ", slack " << slack_q4);
      Random random(static_cast<uint32_t>(lambda_q8 + slack_q4));
      CodecParameters parameters;
      parameters.dictionary_size = 150;
      const TileState tile = RandomTileState(random, parameters, 16, 16);
      SymbolCosts symbol_costs;
      symbol_costs.Update(tile, Lambda{lambda_q8});
      const std::vector<TreeResidual> residuals = RandomResiduals(random, 6);
      Check<false>(residuals, symbol_costs, slack_q4, 32);
      if (!HasFatalFailure() && ComputeCapability() >= 80)
        Check<true>(residuals, symbol_costs, slack_q4, 128);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace mmp::cuda
