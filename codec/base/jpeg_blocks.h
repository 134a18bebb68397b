// What JPEG's blocks of 8x8 samples are quantized by, and how they are decoded.
// Normative: docs/format.md, "JPEG lattice", and docs/format-jpeg.md, "Samples".
#ifndef MMP_CODEC_BASE_JPEG_BLOCKS_H_
#define MMP_CODEC_BASE_JPEG_BLOCKS_H_

#include <array>
#include <cstdint>

#include "codec/base/cosine_transform.h"

namespace mmp {

inline constexpr int kLargestJpegStep = 255;
// What the tables of libjpeg are for; above that it means the same.
inline constexpr int kBestJpegQuality = 100;

// The place of the frequency that is number i in JPEG's order: row by row.
inline constexpr std::array<uint8_t, kCosinePixels> kJpegOrder = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Where the first whole block is that a picture has of a JPEG file.
struct JpegGrid {
  int row, column;  // in [0, 7]

  friend bool operator==(const JpegGrid&, const JpegGrid&) = default;
};

// Steps of frequencies, row by row, in [1, kLargestJpegStep].
using JpegSteps = std::array<uint8_t, kCosinePixels>;
// The step of frequency i, in JPEG's order, is told from this, given the step that was told last:
// that of libjpeg's table of this quality, in [1, 127], or of quality 0 the last one.
int ToldJpegStep(int quality, int i, int last);
inline constexpr int kFirstJpegStep = 16;  // before any is told

// Coefficients, row by row, as multiples of the steps.
using JpegMultiples = std::array<int16_t, kCosinePixels>;
inline constexpr int kMostJpegMultiple = 2047;
// The samples of a block, before they are limited to [0, 255], as libjpeg has them.
using JpegBlock = std::array<int32_t, kCosinePixels>;
JpegBlock DecodeJpegBlock(const JpegMultiples& multiples, const JpegSteps& steps);

}  // namespace mmp

#endif  // MMP_CODEC_BASE_JPEG_BLOCKS_H_
