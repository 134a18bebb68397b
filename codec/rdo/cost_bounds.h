// Lower bounds on the costs of blocks, from the rates and a residual's energy alone: candidates
// whose bound is too high are pruned from the search.
#ifndef MMP_CODEC_RDO_COST_BOUNDS_H_
#define MMP_CODEC_RDO_COST_BOUNDS_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/rdo/decision_rules.h"
#include "codec/rdo/symbol_costs.h"

namespace mmp {

class CostBounds {
 public:
  void Update(const SymbolCosts& symbol_costs);

  // Lower bound on the cost of a residual tree below the prediction tree, given kDistortionScale
  // times the block's squared norm.
  int32_t Residual(int level, int32_t scaled_norm) const {
    return LeastCost(residual_[level], scaled_norm, lossless_);
  }
  // The same for a block of any energy.
  int32_t Residual(int level) const {
    return std::min(residual_[level].zero, residual_[level].other);
  }
  // Lower bound for a residual tree whose root is a prediction leaf; includes the cost of the
  // partition, not that of the mode.
  int32_t PredictionLeaf(int level, int32_t scaled_norm) const {
    return LeastCost(leaf_[level], scaled_norm, lossless_);
  }
  // Lower bounds for residual trees without distortion.
  CheapestTrees CheapestResiduals(int level) const { return residual_[level]; }
  // Lower bound for a prediction leaf with a pattern that is not zero.
  int32_t OtherPredictionLeaf(int level) const { return leaf_[level].other; }
  // Lower bound for a prediction node.
  int32_t PredictionNode(int level) const { return node_[level]; }
  // A split cannot reduce the cost of a block, whether it is a prediction leaf or not, if its best
  // pattern without flags costs no more than the lower bounds of the halves plus this margin.
  int32_t SplitMargin(int level, Split split) const {
    return split_margin_[level][static_cast<int>(split)];
  }

 private:
  bool lossless_ = false;
  std::array<CheapestTrees, kLevelCount> residual_;
  std::array<CheapestTrees, kLevelCount> leaf_;
  std::array<int32_t, kLevelCount> node_;
  std::array<std::array<int32_t, 2>, kLevelCount> split_margin_;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_COST_BOUNDS_H_
