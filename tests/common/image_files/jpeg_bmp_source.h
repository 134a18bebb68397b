// JPEG and BMP files for tests.
#ifndef MMP_TESTS_COMMON_IMAGE_FILES_JPEG_BMP_SOURCE_H_
#define MMP_TESTS_COMMON_IMAGE_FILES_JPEG_BMP_SOURCE_H_

#include <cstdint>
#include <vector>

#include "tests/common/image_files/image_source.h"

namespace mmp {

// A file of one flat 8x8 block a component: all code lengths trivial, all quantizers 1.
Bytes MakeJpeg(const std::vector<uint8_t>& components, int width, int height);

// `file` with a segment behind its first marker.
Bytes WithSegment(const Bytes& file, uint8_t marker, const Bytes& data);

Bytes JpegExif(uint16_t orientation);

// `rows` as in the file: from bottom to top (from top to bottom if height < 0), padded to 4 bytes.
Bytes MakeBmp(int width, int height, int bits, const Bytes& palette, const Bytes& rows);

}  // namespace mmp

#endif  // MMP_TESTS_COMMON_IMAGE_FILES_JPEG_BMP_SOURCE_H_
