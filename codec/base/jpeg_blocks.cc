#include "codec/base/jpeg_blocks.h"

#include <algorithm>

namespace mmp {
namespace {

// The table for luminance in annex K of ITU-T T.81, row by row.
constexpr std::array<uint8_t, kCosinePixels> kLuminanceSteps = {
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
    14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
    18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

// What libjpeg's accurate integer transform comes to: eight samples of eight frequencies, of which
// even and odd ones make four sums each, times 2^13 sqrt(8).
constexpr int kSums = kCosineSide / 2;
constexpr int64_t kEven[kSums][kSums] = {{8192, 10703, 8192, 4433},
                                         {8192, 4433, -8192, -10704},
                                         {8192, -4433, -8192, 10704},
                                         {8192, -10703, 8192, -4433}};
constexpr int64_t kOdd[kSums][kSums] = {{11363, 9633, 6437, 2260},
                                        {9633, -2259, -11362, -6436},
                                        {6437, -11362, 2261, 9633},
                                        {2260, -6436, 9633, -11363}};

// Eight values, `stride` apart.
template <int kShift>
void Inverse(int32_t* values, int stride) {
  int32_t in[kCosineSide];
  for (int u = 0; u < kCosineSide; ++u) in[u] = values[u * stride];
  for (int x = 0; x < kSums; ++x) {
    int64_t even = int64_t{1} << (kShift - 1), odd = 0;
    for (int k = 0; k < kSums; ++k) {
      even += kEven[x][k] * in[2 * k];
      odd += kOdd[x][k] * in[2 * k + 1];
    }
    values[x * stride] = static_cast<int32_t>((even + odd) >> kShift);
    values[(kCosineSide - 1 - x) * stride] = static_cast<int32_t>((even - odd) >> kShift);
  }
}

}  // namespace

int ToldJpegStep(int quality, int i, int last) {
  if (quality == 0) return last;
  quality = std::min(quality, kBestJpegQuality);
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return std::clamp((kLuminanceSteps[kJpegOrder[i]] * percent + 50) / 100, 1, kLargestJpegStep);
}

JpegBlock DecodeJpegBlock(const JpegMultiples& multiples, const JpegSteps& steps) {
  constexpr int kSharedBits = 2;  // that the first transform keeps for the second
  JpegBlock block;
  for (int i = 0; i < kCosinePixels; ++i) block[i] = multiples[i] * steps[i];
  for (int x = 0; x < kCosineSide; ++x) Inverse<13 - kSharedBits>(&block[x], kCosineSide);
  for (int y = 0; y < kCosineSide; ++y) Inverse<13 + kSharedBits + 3>(&block[y * kCosineSide], 1);
  for (int32_t& sample : block) sample += 128;
  return block;
}

}  // namespace mmp
