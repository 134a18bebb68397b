// Whether an image and options can be encoded at all.
#ifndef MMP_CODEC_ENCODER_CHECK_OPTIONS_H_
#define MMP_CODEC_ENCODER_CHECK_OPTIONS_H_

#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

// kInvalidArgument, with what is wrong, if the image has no samples, or more or less than can be,
// or some beyond its depth.
Status CheckImage(const ImageView& image);

// kInvalidArgument, with its name and range, if an option is out of range, or not possible for
// images of this depth.
Status CheckOptions(const EncodeOptions& options, int depth);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_CHECK_OPTIONS_H_
