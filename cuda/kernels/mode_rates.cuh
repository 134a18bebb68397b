// What modes cost: SymbolModel::RatesQ12 from a model's counts.
#ifndef MMP_CUDA_KERNELS_MODE_RATES_CUH_
#define MMP_CUDA_KERNELS_MODE_RATES_CUH_

#include <cstdint>

#include "codec/base/parameters.h"
#include "cuda/kernels/warp.cuh"
#include "cuda/schedule/exchange.h"

namespace mmp::cuda {

// One warp: the sum of these modes' counts. Where they are allowed, a mode's rate is Log2Q12 of
// that less Log2Q12 of its own count.
__device__ inline uint32_t CountModesByWarp(const ModeCount (&counts)[kPredictionModes],
                                            uint32_t modes) {
  const int lane = threadIdx.x & 31;
  return WarpSum((modes >> lane & 1) != 0 ? counts[lane].count : 0);
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_MODE_RATES_CUH_
