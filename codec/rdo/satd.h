// Sum of absolute transformed differences: a quick estimate of what a residual costs to code.
#ifndef MMP_CODEC_RDO_SATD_H_
#define MMP_CODEC_RDO_SATD_H_

#include <array>
#include <cstdint>
#include <cstdlib>

#include "codec/base/levels.h"
#include "common/host_device.h"

namespace mmp {

// The Hadamard transform of 4x4 values whose rows are `stride` apart, not normalised.
MMP_HOST_DEVICE inline void Hadamard4x4(const int16_t* values, int stride, int (&transform)[4][4]) {
  int t[4][4];
  for (int i = 0; i < 4; ++i) {
    const int16_t* row = values + i * stride;
    const int a = row[0] + row[1], b = row[0] - row[1];
    const int c = row[2] + row[3], d = row[2] - row[3];
    t[i][0] = a + c;
    t[i][1] = b + d;
    t[i][2] = a - c;
    t[i][3] = b - d;
  }
  for (int j = 0; j < 4; ++j) {
    const int a = t[0][j] + t[1][j], b = t[0][j] - t[1][j];
    const int c = t[2][j] + t[3][j], d = t[2][j] - t[3][j];
    transform[0][j] = a + c;
    transform[1][j] = b + d;
    transform[2][j] = a - c;
    transform[3][j] = b - d;
  }
}

// SATD of such values: the sum of the absolute values of their transform, halved.
MMP_HOST_DEVICE inline int32_t Satd4x4(const int16_t* residual, int stride) {
  int transform[4][4];
  Hadamard4x4(residual, stride, transform);
  int32_t sum = 0;
  for (const auto& row : transform)
    for (const int c : row) sum += std::abs(c);
  return sum >> 1;
}

// SATD of a residual block, residual[i * width + j]: the sum over its 4x4 blocks; the sum of
// absolute values where a side is under 4.
MMP_HOST_DEVICE inline int32_t Satd(const int16_t* residual, LevelShape shape) {
  const int h = shape.height(), w = shape.width();
  int32_t sum = 0;
  if (h < 4 || w < 4) {
    for (int k = 0; k < h * w; ++k) sum += std::abs(residual[k]);
    return sum;
  }
  for (int y = 0; y < h; y += 4)
    for (int x = 0; x < w; x += 4) sum += Satd4x4(residual + y * w + x, w);
  return sum;
}

// What a prediction, prediction[i * width + j], leaves of the original samples, whose rows are
// kMacroblockSize apart: residual[i * width + j].
inline void ResidualOf(const uint8_t* original, const uint8_t* prediction, LevelShape shape,
                       int16_t* residual) {
  const int h = shape.height(), w = shape.width();
  for (int i = 0; i < h; ++i)
    for (int j = 0; j < w; ++j)
      residual[i * w + j] =
          static_cast<int16_t>(original[i * kMacroblockSize + j] - prediction[i * w + j]);
}

// SATD of that.
inline int32_t Satd(const uint8_t* original, const uint8_t* prediction, LevelShape shape) {
  int16_t residual[kMacroblockPixels];
  ResidualOf(original, prediction, shape, residual);
  return Satd(residual, shape);
}

// SATD of the quarters of a macroblock: top left, top right, bottom left, bottom right.
using QuadrantSatd = std::array<int32_t, 4>;

inline QuadrantSatd SatdOfQuadrants(const uint8_t* original, const uint8_t* prediction) {
  constexpr int kHalf = kMacroblockSize / 2;
  int16_t residual[kMacroblockPixels];
  ResidualOf(original, prediction, kLevelShapes[kMacroblockLevel], residual);
  QuadrantSatd sums{};
  for (int y = 0; y < kMacroblockSize; y += 4)
    for (int x = 0; x < kMacroblockSize; x += 4)
      sums[y / kHalf * 2 + x / kHalf] +=
          Satd4x4(residual + y * kMacroblockSize + x, kMacroblockSize);
  return sums;
}

// sums[i] = Satd of prediction i of `count`, one behind the other; the same of macroblocks, by
// quarters. By the fastest instructions of this machine.
void SatdOfPredictions(const uint8_t* original, const uint8_t* predictions, int count,
                       LevelShape shape, int32_t* sums);
void SatdOfQuadrants(const uint8_t* original, const uint8_t* predictions, int count,
                     QuadrantSatd* sums);

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SATD_H_
