// What a TIFF file says of its samples, checked.
#ifndef MMP_COMMON_IMAGE_FILES_TIFF_LAYOUT_H_
#define MMP_COMMON_IMAGE_FILES_TIFF_LAYOUT_H_

#include <cstdint>
#include <string>

#include "common/image_files/image_parsers.h"
#include "common/image_files/tiff_file.h"
#include "mmp/status.h"

namespace mmp {

// The samples lie in chunks: strips as wide as the image, or tiles, which may reach beyond it.
struct TiffLayout {
  uint32_t width = 0, height = 0;  // pixels
  int bits = 0;                    // a sample, 1 to 16
  int samples = 0;                 // a pixel, at most kMostSamples
  int colors = 0;                  // the first of them: 1 (gray, index) or 3 (red, green, blue)
  int alpha = 0;                   // the number of the sample that is alpha; 0: there is none
  Alpha alpha_kind = Alpha::kStraight;
  bool has_palette = false;
  bool white_is_zero = false;
  bool is_signed = false;  // samples are numbers in two's complement, of gray without alpha
  bool planar = false;     // each sample of a pixel in chunks of its own
  bool tiled = false;
  uint32_t chunk_width = 0, chunk_height = 0;  // pixels; the last strip may be shorter
  int depth = 8;                               // of the image that the file becomes

  static constexpr int kMostSamples = 5;

  int planes() const { return planar ? samples : 1; }
  uint64_t row_bytes() const {  // of a chunk
    return (uint64_t{chunk_width} * static_cast<uint64_t>((planar ? 1 : samples) * bits) + 7) / 8;
  }
  uint64_t chunk_bytes() const { return row_bytes() * chunk_height; }
  // Of all samples of the image, but for what fills up bytes.
  uint64_t raw_bytes() const {
    return uint64_t{width} * height * static_cast<uint64_t>(samples * bits) / 8;
  }
};

// Of the directory that the file was opened at; of JPEG samples, makes libtiff convert them to red,
// green and blue. Errors: as ParseImage.
Result<TiffLayout> ReadTiffLayout(const TiffFile& file, uint64_t file_bytes,
                                  const std::string& name, const ReadImageOptions& options);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_TIFF_LAYOUT_H_
