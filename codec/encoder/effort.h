// How much an encoder tries: the ladder of efforts, and the presets on it.
#ifndef MMP_CODEC_ENCODER_EFFORT_H_
#define MMP_CODEC_ENCODER_EFFORT_H_

#include "codec/encoder/filter/filter_effort.h"
#include "codec/rdo/speed_features.h"
#include "mmp/mmp.h"

namespace mmp {

struct Effort {
  Preset preset;  // that lossy files of patterns name, and whose parameters they have
  SpeedFeatures speed_features;
  FilterEffort filter = {};
  // Block vectors are looked for only in drawings, where neighbours are often equal, and in print
  // that they save much of.
  bool doubts_repeats = false;
};

// What the options ask for, `preset` and `effort` of which must be valid (CheckOptions). The rest
// of the options is not looked at.
Effort EffortOf(const EncodeOptions& options);

// What files of the pixel coder name, which has the one effort up to that of preset fast and the
// other above.
Preset PixelPresetOf(const EncodeOptions& options);

// False if the options ask for a search that devices do not know.
bool SuitsDevices(const EncodeOptions& options);

// The speed features of a preset; kThesis leaves out nothing.
SpeedFeatures PresetSpeedFeatures(Preset preset);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_EFFORT_H_
