// The plain twin of SATD, for host and device alike.
#ifndef MMP_TOOLS_KERNELS_PLAIN_SATD_H_
#define MMP_TOOLS_KERNELS_PLAIN_SATD_H_

#include <cstdint>

#include "codec/base/levels.h"

namespace mmp::kernels {

// Of each 4x4 pixels, half the sum of the absolute values of H R H, H being the Hadamard matrix; of
// a block with a side under 4, the sum of absolute values.
int32_t PlainSatd(const int16_t* residual, LevelShape shape);

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_PLAIN_SATD_H_
