// How each preset is searched.
#ifndef MMP_CODEC_ENCODER_PRESET_SPEED_H_
#define MMP_CODEC_ENCODER_PRESET_SPEED_H_

#include "codec/rdo/speed_features.h"
#include "mmp/types.h"

namespace mmp {

// The speed features of a preset; kThesis leaves out nothing.
SpeedFeatures PresetSpeedFeatures(Preset preset);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_PRESET_SPEED_H_
