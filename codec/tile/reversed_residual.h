// Where prediction is bright, the residual is coded with its sign reversed (tool
// kReversedResiduals), so that what leads to middle gray has the same sign everywhere.
// Normative: docs/format.md, "Macroblock".
#ifndef MMP_CODEC_TILE_REVERSED_RESIDUAL_H_
#define MMP_CODEC_TILE_REVERSED_RESIDUAL_H_

#include <cstdint>
#include <numeric>

#include "common/host_device.h"

namespace mmp {

// Whether a leaf of so many pixels is bright; `sum`: of the prediction of all of them.
MMP_HOST_DEVICE constexpr bool IsBright(int sum, int pixels) { return sum >= 128 * pixels; }

// From a leaf's residual to that which is coded, and back, both of `pixels` values.
inline void ReverseWhereBright(const uint8_t* prediction, int pixels, int16_t* residual) {
  if (!IsBright(std::reduce(prediction, prediction + pixels, 0), pixels)) return;
  for (int k = 0; k < pixels; ++k) residual[k] = static_cast<int16_t>(-residual[k]);
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_REVERSED_RESIDUAL_H_
