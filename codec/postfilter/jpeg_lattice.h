// What was a JPEG file has coefficients that are multiples of the steps it was quantized by: points
// of a lattice, near which those of the reconstruction lie. A tile says the steps, and how much
// each frequency is pulled to the nearest multiple. Normative: docs/format.md, "JPEG lattice".
#ifndef MMP_CODEC_POSTFILTER_JPEG_LATTICE_H_
#define MMP_CODEC_POSTFILTER_JPEG_LATTICE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codec/postfilter/cosine_transform.h"
#include "common/task_pool.h"

namespace mmp {

inline constexpr int kLargestJpegStep = 255;
inline constexpr int kJpegPulls = 13;  // the first leaves a frequency as it is
// A coefficient whose nearest multiple is not nought is pulled by so many pulls more.
inline constexpr int kPullsMoreOffNought = 2;
// What the tables of libjpeg are for; above that it means the same. 0: see JpegLattice::base.
inline constexpr int kBestJpegQuality = 100;

// The place of the frequency that is number i in JPEG's order: row by row.
inline constexpr std::array<uint8_t, kCosinePixels> kJpegOrder = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct JpegLattice {
  struct Frequency {
    uint8_t pull = 0;
    uint8_t step = 0;  // in [1, kLargestJpegStep] where there is a pull

    friend bool operator==(const Frequency&, const Frequency&) = default;
  };
  bool is_used = false;
  // Where the first whole block of the tile begins, in [0, 7].
  int row = 0, column = 0;
  // The quality, in [0, 127], that steps are told from; of 0 each is told from the one before.
  int quality = 0;
  std::array<Frequency, kCosinePixels> frequencies = {};  // in JPEG's order

  friend bool operator==(const JpegLattice&, const JpegLattice&) = default;
};

// What the step of frequency i, in JPEG's order, is told from, given the step that was told last.
int ToldJpegStep(int quality, int i, int last);
inline constexpr int kFirstJpegStep = 16;  // before any is told

// Which multiple of a step a coefficient of at least 0 is nearest to, the greater of two, and how
// far from it in 512ths of the step.
struct JpegPlace {
  int multiple;
  int distance;   // in [0, 256]
  bool is_below;  // rather than above it
};
inline JpegPlace PlaceOnLattice(int32_t coefficient, int step) {
  const int32_t unit = step << kCosineFraction;
  const int32_t multiple = (2 * coefficient + unit) / (2 * unit);
  const int32_t offset = coefficient - multiple * unit;
  return {multiple, (offset < 0 ? -offset : offset) * 512 / unit, offset < 0};
}
// By how much a pull takes a coefficient nearer to the multiple it is nearest to, from there.
int32_t PullOf(int pull, const JpegPlace& place, int step);

// The blocks of 8x8 pixels, as JPEG has them, that lie in a plane of width x height pixels, whose
// rows are `stride` apart.
void ApplyJpegLattice(const JpegLattice& lattice, int width, int height, int stride,
                      std::vector<uint8_t>& plane, TaskPool& pool = TaskPool::Alone());

// The coefficients of a block of samples, of 8 bits, around middle gray.
CosineBlock JpegCoefficients(const uint8_t* samples, int stride);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_JPEG_LATTICE_H_
