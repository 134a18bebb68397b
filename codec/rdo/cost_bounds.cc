#include "codec/rdo/cost_bounds.h"

namespace mmp {

void CostBounds::Update(const SymbolCosts& symbol_costs) {
  lossless_ = symbol_costs.lambda().lossless();
  for (int level = 0; level < kLevelCount; ++level) {
    const auto& flags = symbol_costs.ResidualFlagCosts(level);
    const auto& root_flags = symbol_costs.PartitionCosts(level);
    const int32_t zero = symbol_costs.Index(level)[0],
                  other = symbol_costs.CheapestOtherIndex(level);
    CheapestTrees& residual = residual_[level];
    CheapestTrees& leaf = leaf_[level];
    residual = {flags[kPattern] + zero, flags[kPattern] + other};
    leaf = {root_flags[kLeaf] + zero, root_flags[kLeaf] + other};
    int32_t& node = node_[level];
    node = kImpossible;
    for (const Split split : {Split::kVertical, Split::kHorizontal}) {
      const int s = static_cast<int>(split);
      const int half = HalfLevel(level, split);
      if (half < 0) continue;
      const CheapestTrees halves = {
          2 * residual_[half].zero,
          residual_[half].other + std::min(residual_[half].zero, residual_[half].other)};
      const int32_t flag = flags[kSplitVertical + s];
      const int32_t root_flag = root_flags[kSplitResidualVertical + s];
      residual.zero = std::min(residual.zero, flag + halves.zero);
      residual.other = std::min(residual.other, flag + halves.other);
      leaf.zero = std::min(leaf.zero, root_flag + halves.zero);
      leaf.other = std::min(leaf.other, root_flag + halves.other);
      node = std::min(node, root_flags[kSplitBothVertical + s] + 2 * node_[half]);
      split_margin_[level][s] = std::min(flag - flags[kPattern], root_flag - root_flags[kLeaf]);
    }
    node = std::min({node, leaf.zero, leaf.other});
  }
}

}  // namespace mmp
