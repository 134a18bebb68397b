// SATD by a warp.
#ifndef MMP_CUDA_KERNELS_SATD_CUH_
#define MMP_CUDA_KERNELS_SATD_CUH_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/rdo/satd.h"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

// One warp: Satd of a residual block, to all lanes. A lane a 4x4 block, or where a side is shorter
// a pixel.
__device__ inline int32_t SatdByWarp(const int16_t* residual, BlockRect rect) {
  const int lane = threadIdx.x & 31, w = rect.width();
  int32_t sum = 0;
  if (rect.height() < 4 || w < 4) {
    for (int k = lane; k < rect.pixels(); k += 32) sum += abs(residual[k]);
  } else {
    for (int k = lane; k < rect.pixels() / 16; k += 32) {
      const int across = w / 4, y = k / across * 4, x = k % across * 4;
      sum += Satd4x4(residual + y * w + x, w);
    }
  }
  return WarpSum(sum);
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SATD_CUH_
