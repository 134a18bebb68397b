// What a picture that was a JPEG file was coded as.
#ifndef MMP_CODEC_ENCODER_JPEG_FIND_JPEG_PICTURE_H_
#define MMP_CODEC_ENCODER_JPEG_FIND_JPEG_PICTURE_H_

#include "codec/base/jpeg_blocks.h"
#include "codec/pixel/jpeg_picture.h"
#include "mmp/image.h"

namespace mmp {

// The steps, and the multiples of each block that decode to about the image's samples, which have 8
// bits: to exactly these, if it was decoded from such a file and is as it was. Of blocks that reach
// beyond the image, some of those that there are.
JpegPicture FindJpegPicture(const ImageView& image, JpegGrid grid);

// How far the samples of whole blocks are from what the picture decodes to: the shares of those
// that are off by more than 0, 1 and 2.
struct JpegErrors {
  double share[3];
};
JpegErrors ErrorsOf(const JpegPicture& picture, const ImageView& image);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_JPEG_FIND_JPEG_PICTURE_H_
