// Whether a picture was a JPEG file, and where the blocks of that are.
#ifndef MMP_CODEC_ENCODER_JPEG_JPEG_GRID_H_
#define MMP_CODEC_ENCODER_JPEG_JPEG_GRID_H_

#include <optional>

#include "codec/base/jpeg_blocks.h"
#include "mmp/image.h"

namespace mmp {

// That of a picture, of 8 bits, that was a JPEG file: in one grid of blocks the highest frequencies
// are nought more often than in others. What was scaled or turned since, and what was a file of
// hardly any loss, has none. Looks at 256 places at most, however large the image.
std::optional<JpegGrid> FindJpegGrid(const ImageView& image);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_JPEG_JPEG_GRID_H_
