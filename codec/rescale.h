// Patterns of one level made into patterns of another. Normative: docs/format.md, "Rescaling".
#ifndef MMP_CODEC_RESCALE_H_
#define MMP_CODEC_RESCALE_H_

#include <cstdint>

#include "codec/levels.h"
#include "common/host_device.h"

namespace mmp {

// Resamples a line of 2^log2_from values, `from_step` apart, to 2^log2_to values, `to_step` apart:
// by linear interpolation between pixel centres, or by the mean of the pixels that merge; rounded
// to nearest, halves up.
MMP_HOST_DEVICE inline void RescaleLine(const int16_t* from, int from_step, int log2_from,
                                        int16_t* to, int to_step, int log2_to) {
  const int from_count = 1 << log2_from, to_count = 1 << log2_to;
  if (log2_to <= log2_from) {
    const int shift = log2_from - log2_to;
    for (int i = 0; i < to_count; ++i) {
      int sum = 0;
      for (int k = 0; k < 1 << shift; ++k) sum += from[((i << shift) + k) * from_step];
      to[i * to_step] = static_cast<int16_t>((2 * sum + (1 << shift)) >> (shift + 1));
    }
    return;
  }
  // Centre of output i in input pixels: (2 i + 1) / 2^(shift + 1) - 1 / 2.
  const int shift = log2_to - log2_from;
  for (int i = 0; i < to_count; ++i) {
    const int position = 2 * i + 1 - (1 << shift);  // in 1 / 2^(shift + 1) input pixels
    const int whole = position >> (shift + 1);
    const int part = position - (whole << (shift + 1));
    const int a = from[(whole < 0 ? 0 : whole) * from_step];
    const int b = from[(whole + 1 < from_count ? whole + 1 : from_count - 1) * from_step];
    to[i * to_step] =
        static_cast<int16_t>((a * ((2 << shift) - part) + b * part + (1 << shift)) >> (shift + 1));
  }
}

// Rescales `from` (a pattern of from_level, row by row) to to_level: columns first, then rows.
MMP_HOST_DEVICE inline void RescalePattern(const int16_t* from, int from_level, int to_level,
                                           int16_t* to) {
  const LevelShape f = ShapeOfLevel(from_level), t = ShapeOfLevel(to_level);
  int16_t tall[kMacroblockPixels];  // t.height() x f.width()
  for (int j = 0; j < f.width(); ++j)
    RescaleLine(from + j, f.width(), f.log2_height, tall + j, f.width(), t.log2_height);
  for (int i = 0; i < t.height(); ++i)
    RescaleLine(tall + i * f.width(), 1, f.log2_width, to + i * t.width(), 1, t.log2_width);
}

}  // namespace mmp

#endif  // MMP_CODEC_RESCALE_H_
