// What a search may leave out to be fast.
#ifndef MMP_CODEC_RDO_SPEED_FEATURES_H_
#define MMP_CODEC_RDO_SPEED_FEATURES_H_

#include <algorithm>
#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/base/levels.h"
#include "codec/base/parameters.h"

namespace mmp {

// Which candidates a search may skip; none by default. Every rule depends on the block and the
// costs of symbols only, so that the result does not depend on the order of the search.
struct SpeedFeatures {
  // If not 0: residual trees are searched for only so many modes of a node, those of least SATD
  // plus rate.
  int modes_searched = 0;
  // Prediction nodes have at least this many pixels in their shorter side.
  int thinnest_prediction = 1;
  // A residual block is not split if its best pattern costs at most 1 + this / 16 times the lower
  // bound on the cost of the split.
  int residual_slack_q4 = 0;
  // A prediction node that is best coded whole, by one pattern, is not split if it costs less than
  // this / 16 times the cheapest tree with a pattern that is not zero.
  int prediction_slack_q4 = 0;
  // If not negative: residuals say how prediction nodes may be split. A node is split in a way only
  // if to split its residual alone that way, by the best mode for it, costs at most 1 + this / 64
  // times what it costs the other way; the first is for nodes of more than kMostSmallPixels pixels,
  // the second for others. Both are negative or neither.
  int guided_slack_q6 = -1;
  int guided_small_slack_q6 = -1;
  // If not 0: a macroblock is not coded whole if even the mode of least SATD leaves more than this
  // / 16 times the root of lambda a pixel.
  int whole_satd_q4 = 0;
  // If not negative: SATD says how such a macroblock may be split. It is split in a way only if the
  // least SATD that modes for the whole leave in the one half and in the other is together at most
  // 1 + this / 64 times what it is the other way.
  int halves_slack_q6 = -1;
  // If not 0: a prediction node is not split if it costs less than this / 16 times the cheapest
  // tree with a pattern that is not zero, however its residual is split.
  int tree_slack_q4 = 0;
  // Of the angles, kVertical and kHorizontal among them, every second one is tried, and those
  // beside the one of these that leaves the least SATD.
  bool halves_angles = false;
  // Templates are tried in nodes of 32 and 64 pixels only, block least squares in those of at least
  // 32: elsewhere they seldom gain what they take.
  bool spares_dear_modes = false;

  static constexpr int kMostSmallPixels = 64;

  bool AreGuided() const { return guided_slack_q6 >= 0; }

  // Searches on devices know all features but the last ones.
  bool SuitDevices() const {
    return !AreGuided() && whole_satd_q4 == 0 && halves_slack_q6 < 0 && tree_slack_q4 == 0 &&
           !halves_angles && !spares_dear_modes;
  }

  // Of a node's modes, as bit masks, those that are tried; kMostFrequent always is.
  uint32_t ModesTried(uint32_t modes, int pixels) const {
    if (!spares_dear_modes) return modes;
    uint32_t dear = 0;
    if (pixels != 32 && pixels != 64) dear |= 1u << kTemplate;
    if (pixels < 32) dear |= 1u << kBlockLeastSquares;
    return modes & ~dear;
  }

  // Whether a prediction node of so many pixels may be split in a way; `cost`: the least cost of a
  // leaf whose residual is split that way, `other`: the other way; kImpossible if there is none.
  bool AllowSplit(int pixels, int32_t cost, int32_t other) const {
    if (!AreGuided()) return true;
    const int slack_q6 = pixels > kMostSmallPixels ? guided_slack_q6 : guided_small_slack_q6;
    return cost <= other + (int64_t{other} * slack_q6 >> 6);
  }

  // The same for a macroblock that is not coded whole; `satd`: the least of its halves together.
  bool AllowSplitBySatd(int32_t satd, int32_t other) const {
    return halves_slack_q6 < 0 || satd <= other + (int64_t{other} * halves_slack_q6 >> 6);
  }

  // Whether a node that can be split is coded whole at all; `satd`: the least of its modes,
  // `root_lambda_q4`: see RootLambdaQ4.
  bool AllowWhole(int level, int32_t satd, int32_t root_lambda_q4) const {
    if (whole_satd_q4 == 0 || level != kMacroblockLevel) return true;
    return int64_t{satd} << 8 <= int64_t{whole_satd_q4} * root_lambda_q4 * kMacroblockPixels;
  }

  // A prediction leaf of one pattern that costs less than this is not split. `least_other` is the
  // cost of the cheapest tree with a pattern that is not zero.
  int32_t GoodEnough(int32_t least_other) const { return Times(least_other, prediction_slack_q4); }
  // Nor is any leaf that costs less than this.
  int32_t GoodEnoughTree(int32_t least_other) const { return Times(least_other, tree_slack_q4); }

  friend bool operator==(const SpeedFeatures&, const SpeedFeatures&) = default;

 private:
  static int32_t Times(int32_t cost, int slack_q4) {
    return static_cast<int32_t>(std::min<int64_t>(int64_t{cost} * slack_q4 >> 4, kImpossible));
  }
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SPEED_FEATURES_H_
