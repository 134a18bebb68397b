// What modes cost: SymbolModel::RatesQ12 from a model's counts.
#ifndef MMP_CUDA_MODE_RATES_CUH_
#define MMP_CUDA_MODE_RATES_CUH_

#include <cstdint>

#include "codec/parameters.h"
#include "cuda/exchange.h"
#include "cuda/tables.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// One warp: Log2Q12 of the sum of these modes' counts. A mode's rate where these are allowed is
// that less the Log2Q12 of its own count.
__device__ inline int32_t Log2OfModesByWarp(const ModeCount (&counts)[kPredictionModes],
                                            uint32_t modes) {
  const int lane = threadIdx.x & 31;
  const int32_t total = WarpSum((modes >> lane & 1) != 0 ? counts[lane].count : 0);
  return log2_table.q12[total];
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_MODE_RATES_CUH_
