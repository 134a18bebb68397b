// What kind of picture an image is, as far as the encoder asks.
#ifndef MMP_CODEC_ENCODER_IMAGE_KIND_H_
#define MMP_CODEC_ENCODER_IMAGE_KIND_H_

#include "mmp/image.h"

namespace mmp {

// A quarter of the samples is equal to the one on their left, as in screens of text and scanned
// pages: what has been learnt of such images is worth most, and soon used.
bool IsRepeating(const ImageView& image);

// A twentieth of the samples, of 8 bits, is far from the one on their left, as in print, and in few
// photographs.
bool IsSteep(const ImageView& image);

// Samples, of 8 bits, have second differences little larger than the first, as where a picture is
// out of focus or has been enlarged.
bool IsSoft(const ImageView& image);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_IMAGE_KIND_H_
