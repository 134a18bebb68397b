// The rules by which a search decides, one body for host and device: searchers that rule otherwise
// make other files.
//
// Wherever two ways to code a block cost the same, the one that is named first here wins.
#ifndef MMP_CODEC_RDO_DECISION_RULES_H_
#define MMP_CODEC_RDO_DECISION_RULES_H_

#include <cmath>
#include <cstdint>

#include "codec/base/fixed_log2.h"
#include "codec/base/lambda.h"
#include "codec/base/levels.h"
#include "codec/tile/syntax_elements.h"
#include "common/host_device.h"
#include "mmp/types.h"

namespace mmp {

// True if the search may split a prediction node of `level` so: the format allows it, and the
// halves' shorter side has at least `thinnest` pixels (SpeedFeatures::thinnest_prediction).
constexpr bool SearchMaySplit(int level, Split split, int prediction_level, int thinnest) {
  if (!PredictionMaySplit(level, split, prediction_level)) return false;
  const LevelShape half = kLevelShapes[HalfLevel(level, split)];
  return (half.height() < half.width() ? half.height() : half.width()) >= thinnest;
}

// What residual trees of a block cost at least, without distortion. A tree either has zero patterns
// only, and all the block's energy as distortion, or at least one leaf with another pattern.
struct CheapestTrees {
  int32_t zero;   // of zero patterns only
  int32_t other;  // all others
};

// The least that a tree of a block can cost, given kDistortionScale times the block's squared norm.
MMP_HOST_DEVICE constexpr int32_t LeastCost(CheapestTrees trees, int32_t scaled_norm,
                                            bool lossless) {
  const int32_t zero =
      lossless ? (scaled_norm == 0 ? trees.zero : trees.other) : trees.zero + scaled_norm;
  return zero < trees.other ? zero : trees.other;
}

// Blocks of so few pixels are split whatever their best pattern costs: what splitting them costs is
// looked up.
MMP_HOST_DEVICE constexpr bool IsAlwaysSplit(int log2_pixels) { return log2_pixels <= 1; }

// True if any other block is not to be split in some way, as its best pattern costs little enough;
// `least`: what the split costs at least, see CostBounds::SplitMargin; `slack_q4`: see
// SpeedFeatures::residual_slack_q4. With a slack of 0 the split can win nothing.
MMP_HOST_DEVICE constexpr bool IsGoodEnoughWhole(int32_t pattern_cost, int64_t least,
                                                 int slack_q4) {
  return pattern_cost <= least + (least * slack_q4 >> 4);
}

// Least costs of a residual tree by the decision at its root, the root's flag not included. A
// decision that cannot win whatever the flags cost is kImpossible.
struct RootCosts {
  int32_t pattern;
  int32_t vertical;
  int32_t horizontal;
};

// The decision at a block below the root of a residual tree.
struct ResidualDecision {
  int32_t cost;  // with the flag
  ResidualFlag flag;
};

// `flag_costs`: of the block's level, by flag.
MMP_HOST_DEVICE constexpr ResidualDecision DecideResidual(const RootCosts& costs,
                                                          const int32_t* flag_costs) {
  ResidualDecision best{costs.pattern + flag_costs[kPattern], kPattern};
  const int32_t vertical = costs.vertical + flag_costs[kSplitVertical];
  if (vertical < best.cost) best = {vertical, kSplitVertical};
  const int32_t horizontal = costs.horizontal + flag_costs[kSplitHorizontal];
  if (horizontal < best.cost) best = {horizontal, kSplitHorizontal};
  return best;
}

// A way to code a prediction node that is not split: by one mode, and a residual tree whose root
// decision the partition says.
struct Leaf {
  int32_t cost;
  int mode;
  Partition partition;  // no split of both trees
};

// The lower the key, the better the leaf: of equal costs the first mode, then the first partition.
// Above all keys of leaves is kNoLeaf.
inline constexpr uint64_t kNoLeaf = ~uint64_t{0};
MMP_HOST_DEVICE constexpr uint64_t LeafKey(const Leaf& leaf) {
  return static_cast<uint64_t>(static_cast<uint32_t>(leaf.cost)) << 16 |
         static_cast<uint32_t>(leaf.mode) << 8 | leaf.partition;
}
MMP_HOST_DEVICE constexpr Leaf LeafOfKey(uint64_t key) {
  return {static_cast<int32_t>(key >> 16), static_cast<int>(key >> 8 & 255),
          static_cast<Partition>(key & 255)};
}

// The key of the best leaf by one mode, whose residual tree costs `costs`; kNoLeaf if there is
// none. `partition_costs`: of the node's level, by partition.
MMP_HOST_DEVICE constexpr uint64_t BestLeafOfMode(int mode, int32_t mode_cost,
                                                  const int32_t* partition_costs,
                                                  const RootCosts& costs) {
  uint64_t best = kNoLeaf;
  auto consider = [&](Partition partition, int32_t tree_cost) {
    if (tree_cost >= kImpossible) return;
    const uint64_t key =
        LeafKey({mode_cost + partition_costs[partition] + tree_cost, mode, partition});
    if (key < best) best = key;
  };
  consider(kLeaf, costs.pattern);
  consider(kSplitResidualVertical, costs.vertical);
  consider(kSplitResidualHorizontal, costs.horizontal);
  return best;
}

// The decision at the root of a leaf's residual tree.
MMP_HOST_DEVICE constexpr ResidualFlag RootFlag(Partition partition) {
  return partition == kLeaf
             ? kPattern
             : static_cast<ResidualFlag>(partition - kSplitResidualVertical + kSplitVertical);
}
static_assert(RootFlag(kSplitResidualHorizontal) == kSplitHorizontal);

// True if a node is not split any further, as it is well coded by one pattern; `good_enough`: see
// SpeedFeatures::GoodEnough.
MMP_HOST_DEVICE constexpr bool EndsTheSearch(const Leaf& leaf, int32_t good_enough) {
  return leaf.partition == kLeaf && leaf.cost < good_enough;
}

// The root of lambda in 1/16: what a bit weighs against absolute differences.
inline int32_t RootLambdaQ4(Lambda lambda) {
  return static_cast<int32_t>(std::sqrt(static_cast<double>(lambda.q8)));
}
inline constexpr int32_t kMostRootLambdaQ4 = 4096;
static_assert(kMostRootLambdaQ4 * kMostRootLambdaQ4 == 256 * kMaxLambda);

// What a mode is likely to cost, to compare it with others: the SATD of what it leaves, and its
// rate, in 1/16 of an absolute difference.
MMP_HOST_DEVICE constexpr int32_t ModeEstimateQ4(int32_t satd, int32_t root_lambda_q4,
                                                 int32_t rate_q12) {
  return 16 * satd + (root_lambda_q4 * rate_q12 >> kRateShift);
}
// 32 bits are enough. A 4x4 transform's coefficients c of residuals r have sum c^2 = 16 sum r^2,
// so sum |c| / 2 is at most 2 sum of 255 over the 16 pixels. A rate is that of a count of 32 bits.
inline constexpr int64_t kMostSatd = 2 * 255 * kMacroblockPixels;
inline constexpr int64_t kMostModeRateQ12 = 32 << kRateShift;
static_assert(kMostRootLambdaQ4 * kMostModeRateQ12 <= INT32_MAX);
static_assert(16 * kMostSatd + (kMostRootLambdaQ4 * kMostModeRateQ12 >> kRateShift) <= INT32_MAX);

// True if the first of two modes is searched rather than the second.
struct ModeEstimate {
  int32_t q4;
  int mode;
};
MMP_HOST_DEVICE constexpr bool IsMorePromising(const ModeEstimate& a, const ModeEstimate& b) {
  return a.q4 < b.q4 || (a.q4 == b.q4 && a.mode < b.mode);
}

}  // namespace mmp

#endif  // MMP_CODEC_RDO_DECISION_RULES_H_
