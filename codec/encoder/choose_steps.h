// Which steps the patterns' samples of 8 bits have in a deep image.
#ifndef MMP_CODEC_ENCODER_CHOOSE_STEPS_H_
#define MMP_CODEC_ENCODER_CHOOSE_STEPS_H_

#include "codec/base/sample_map.h"
#include "mmp/image.h"

namespace mmp {

// The range of an image not of 8 bits. All steps are alike where that makes them fine enough for
// the multiplier, which is in squared errors of the image's samples; else those are coarser that
// few samples are near.
SampleRange ChooseSteps(const ImageView& image, double lambda);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_CHOOSE_STEPS_H_
