#include "codec/encoder/preset_speed.h"

namespace mmp {

SpeedFeatures PresetSpeedFeatures(Preset preset) {
  if (preset == Preset::kFast)
    return {.modes_searched = 3,
            .thinnest_prediction = 4,
            .residual_slack_q4 = 14,
            .prediction_slack_q4 = 384};
  if (preset == Preset::kBest) return {.modes_searched = 10};
  return {};
}

}  // namespace mmp
