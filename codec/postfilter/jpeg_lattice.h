// What was a JPEG file has coefficients that are multiples of the steps it was quantized by: points
// of a lattice, near which those of the reconstruction lie. A tile says the steps, and how much
// each frequency is pulled to the nearest multiple. Normative: docs/format.md, "JPEG lattice".
#ifndef MMP_CODEC_POSTFILTER_JPEG_LATTICE_H_
#define MMP_CODEC_POSTFILTER_JPEG_LATTICE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codec/base/cosine_transform.h"
#include "codec/base/jpeg_blocks.h"
#include "common/task_pool.h"

namespace mmp {

inline constexpr int kJpegPulls = 13;  // the first leaves a frequency as it is
// A coefficient whose nearest multiple is not nought is pulled by so many pulls more.
inline constexpr int kPullsMoreOffNought = 2;
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
