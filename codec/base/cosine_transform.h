// The cosine transform of blocks of 8x8 pixels, as JPEG has it, in integers.
// Normative: docs/format.md, "JPEG lattice".
#ifndef MMP_CODEC_BASE_COSINE_TRANSFORM_H_
#define MMP_CODEC_BASE_COSINE_TRANSFORM_H_

#include <algorithm>
#include <array>
#include <cstdint>

namespace mmp {

inline constexpr int kCosineSide = 8;  // of a block
inline constexpr int kCosinePixels = kCosineSide * kCosineSide;
// Row by row. Of samples in [-255, 255], and of coefficients of the orthonormal transform with
// kCosineFraction bits behind the point, the vertical frequency being that of the row.
using CosineBlock = std::array<int32_t, kCosinePixels>;
inline constexpr int kCosineFraction = 5;

// As an encoder keeps a coefficient: that of a block of zeros, less 128, is a little below -32768.
constexpr int16_t InShort(int32_t coefficient) {
  return static_cast<int16_t>(std::clamp(coefficient, -32767, 32767));
}

// Of frequency u at sample x, of eight, times 2^14: sqrt(1/8) if u is 0, else
// cos((2 x + 1) u pi / 16) / 2.
int32_t CosineOf(int u, int x);

CosineBlock ForwardCosines(const CosineBlock& samples);
// Rounded to whole samples. No coefficient may be above 4096 in magnitude.
CosineBlock InverseCosines(const CosineBlock& coefficients);

}  // namespace mmp

#endif  // MMP_CODEC_BASE_COSINE_TRANSFORM_H_
