// The preview of an image.
#ifndef MMP_CODEC_ENCODER_MAKE_PREVIEW_H_
#define MMP_CODEC_ENCODER_MAKE_PREVIEW_H_

#include <cstdint>
#include <vector>

#include "mmp/image.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

// The image with a pixel for each square of 8x8, its mean; squares at the edges are cut there.
Image Shrunk(const ImageView& image);

// The preview's file, made by `threads` threads (0: one a core). Errors: those of Encode.
Result<std::vector<uint8_t>> MakePreview(const ImageView& image, int threads,
                                         const ProgressCallback& progress);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_MAKE_PREVIEW_H_
