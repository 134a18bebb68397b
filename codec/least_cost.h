// Lower bounds of what blocks can cost, from the rates and a residual's energy alone: what the
// search need not look at.
#ifndef MMP_CODEC_LEAST_COST_H_
#define MMP_CODEC_LEAST_COST_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/levels.h"
#include "codec/search_rates.h"

namespace mmp {

// A residual tree either has zero patterns only, and all the block's energy as distortion, or at
// least one leaf with another pattern.
class LeastCost {
 public:
  void Update(const SearchRates& rates);

  // Of a residual tree below the prediction tree, given kDistortionScale times the block's squared
  // norm.
  int32_t Residual(int level, int32_t scaled_norm) const {
    return Of(residual_[level], scaled_norm);
  }
  // The same, whatever the energy.
  int32_t Residual(int level) const {
    return std::min(residual_[level].zero, residual_[level].other);
  }
  // Of a residual tree whose root is a prediction leaf, with the flag, without the mode.
  int32_t PredictionLeaf(int level, int32_t scaled_norm) const {
    return Of(leaf_[level], scaled_norm);
  }
  // Of a residual tree of zero patterns without distortion, and of any other.
  int32_t ZeroResidual(int level) const { return residual_[level].zero; }
  int32_t OtherResidual(int level) const { return residual_[level].other; }
  // Of a prediction leaf with a pattern that is not zero.
  int32_t OtherPredictionLeaf(int level) const { return leaf_[level].other; }
  // Of a prediction node.
  int32_t PredictionNode(int level) const { return node_[level]; }
  // The block cannot gain by a split, whether it is a prediction leaf or not, if the best pattern
  // without flags costs at most this more than the halves cost at least.
  int32_t SplitMargin(int level, Split split) const {
    return split_margin_[level][static_cast<int>(split)];
  }

 private:
  struct Bound {
    int32_t zero;   // rate of the cheapest tree of zero patterns
    int32_t other;  // rate of the cheapest other tree
  };

  int32_t Of(const Bound& bound, int32_t scaled_norm) const {
    if (lossless_) return scaled_norm == 0 ? std::min(bound.zero, bound.other) : bound.other;
    return std::min(bound.zero + scaled_norm, bound.other);
  }

  bool lossless_ = false;
  std::array<Bound, kLevelCount> residual_;
  std::array<Bound, kLevelCount> leaf_;
  std::array<int32_t, kLevelCount> node_;
  std::array<std::array<int32_t, 2>, kLevelCount> split_margin_;
};

}  // namespace mmp

#endif  // MMP_CODEC_LEAST_COST_H_
