// PNG files for tests, written by libpng.
#ifndef MMP_TESTS_COMMON_IMAGE_FILES_PNG_SOURCE_H_
#define MMP_TESTS_COMMON_IMAGE_FILES_PNG_SOURCE_H_

#include <png.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/common/image_files/image_source.h"

namespace mmp {

struct PngSource {
  int width = 0;
  int height = 0;
  int color_type = PNG_COLOR_TYPE_GRAY;
  int bits = 8;
  bool interlaced = false;
  std::vector<uint16_t> samples = {};  // row by row, interleaved
  std::vector<png_color> palette = {};
  Bytes palette_alpha = {};
  const png_color_16* transparent = nullptr;
};

// Of the color type: samples a pixel.
int Channels(int color_type);

// The file, or no more of it than its header.
Bytes MakePng(const PngSource& source, bool header_only = false);

// Random samples of all values.
PngSource RandomPng(int width, int height, int color_type, int bits, bool interlaced);

// `file` with another chunk before the first one called `before`.
Bytes WithChunk(const Bytes& file, const std::string& type, const Bytes& data,
                const std::string& before = "IDAT");

}  // namespace mmp

#endif  // MMP_TESTS_COMMON_IMAGE_FILES_PNG_SOURCE_H_
