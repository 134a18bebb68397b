// SATD by threads.
#ifndef MMP_CUDA_KERNELS_SATD_CUH_
#define MMP_CUDA_KERNELS_SATD_CUH_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/rdo/satd.h"

namespace mmp::cuda {

// Satd of a residual block as a sum of 2^log2_count parts: one of 4x4 pixels each, or where a side
// is shorter of up to four.
struct SatdParts {
  int log2_pixels, log2_width;
  bool has_squares;
  int log2_count;

  __device__ explicit SatdParts(BlockRect rect) {
    const LevelShape shape = ShapeOfLevel(rect.level);
    log2_pixels = shape.log2_pixels();
    log2_width = shape.log2_width;
    has_squares = shape.log2_height >= 2 && log2_width >= 2;
    log2_count = has_squares ? log2_pixels - 4 : max(log2_pixels - 2, 0);
  }
  __device__ int32_t Of(const int16_t* residual, int part) const {
    if (has_squares) {
      const int log2_across = log2_width - 2;
      const int y = part >> log2_across << 2, x = (part & ((1 << log2_across) - 1)) << 2;
      return Satd4x4(residual + (y << log2_width) + x, 1 << log2_width);
    }
    int32_t sum = 0;
    for (int k = 4 * part; k < min(4 * part + 4, 1 << log2_pixels); ++k) sum += abs(residual[k]);
    return sum;
  }
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SATD_CUH_
