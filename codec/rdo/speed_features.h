// What a search may leave out to be fast.
#ifndef MMP_CODEC_RDO_SPEED_FEATURES_H_
#define MMP_CODEC_RDO_SPEED_FEATURES_H_

#include <algorithm>
#include <cstdint>

#include "codec/base/lambda.h"

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
  // times what it costs the other way.
  int guided_slack_q6 = -1;

  bool AreGuided() const { return guided_slack_q6 >= 0; }

  // Searches on devices know all features but the last.
  bool SuitDevices() const { return !AreGuided(); }

  // Whether a prediction node may be split in a way; `cost`: the least cost of a leaf whose
  // residual is split that way, `other`: the other way; kImpossible if there is none.
  bool AllowSplit(int32_t cost, int32_t other) const {
    return !AreGuided() || cost <= other + (int64_t{other} * guided_slack_q6 >> 6);
  }

  // A prediction leaf of one pattern that costs less than this is not split. `least_other` is the
  // cost of the cheapest tree with a pattern that is not zero.
  int32_t GoodEnough(int32_t least_other) const {
    return static_cast<int32_t>(
        std::min<int64_t>(int64_t{least_other} * prediction_slack_q4 >> 4, kImpossible));
  }

  friend bool operator==(const SpeedFeatures&, const SpeedFeatures&) = default;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SPEED_FEATURES_H_
