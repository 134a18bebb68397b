// The samples of a rectangle as binary decisions, by the fastest code that the machine can run.
#ifndef MMP_CODEC_PIXEL_PIXEL_CODEC_H_
#define MMP_CODEC_PIXEL_PIXEL_CODEC_H_

#include <cstddef>
#include <cstdint>

#include "codec/base/progress.h"
#include "codec/pixel/bit_port.h"

namespace mmp {

struct PixelPlane {
  uint16_t* samples;  // rows of `width`, `stride` apart; each in [0, values)
  ptrdiff_t stride;
  int width, height;  // at least 1
  int values;         // in [2, 65536]
  int reach;          // a cell has 2 reach + 1 values; in [0, 65535]
  bool by_means;      // a cell stands for the mean that is expected of it, else for its middle
  bool exact;         // whether there are exact contexts
};

// Encoding: codes the samples and sets them to what a decoder makes of them. Decoding: sets them.
// Stops with false at the end of a row, after each of which it is asked, behind which `goes_on` is
// false.
bool CodePixelPlane(BitPort& port, const PixelPlane& plane, int effort, const GoesOn& goes_on);

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_PIXEL_CODEC_H_
