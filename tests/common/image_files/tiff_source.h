// TIFF files for tests, written by libtiff.
#ifndef MMP_TESTS_COMMON_IMAGE_FILES_TIFF_SOURCE_H_
#define MMP_TESTS_COMMON_IMAGE_FILES_TIFF_SOURCE_H_

#include <tiffio.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mmp {

struct TiffSource {
  int width = 1, height = 1;
  int bits = 8;
  int samples = 1;  // a pixel
  uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  uint16_t compression = COMPRESSION_NONE;
  int tile_side = 0;  // 0: strips
  int strip_rows = 1000;
  bool planar = false;
  bool big_endian = false;
  bool big_tiff = false;
  uint16_t predictor = 1;  // of LZW, Deflate and Zstandard
  uint16_t sample_format = SAMPLEFORMAT_UINT;
  uint16_t orientation = 0;               // 0: none
  std::vector<uint16_t> extra = {};       // what further samples are
  std::vector<uint16_t> palette[3] = {};  // red, green, blue
  uint32_t subfile_type = 0;
  bool has_profile = false;           // of colors, ICC
  std::vector<uint16_t> values = {};  // row by row, interleaved
};

// Random samples of all values.
TiffSource RandomTiff(TiffSource source);

// A file with a page for each source; byte order and form are those of the first. Fails the test,
// and returns nothing, if libtiff does not write it.
std::vector<uint8_t> MakeTiff(const std::vector<TiffSource>& pages);

}  // namespace mmp

#endif  // MMP_TESTS_COMMON_IMAGE_FILES_TIFF_SOURCE_H_
