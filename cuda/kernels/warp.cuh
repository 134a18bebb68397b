// Reductions over a warp. All lanes take part.
#ifndef MMP_CUDA_KERNELS_WARP_CUH_
#define MMP_CUDA_KERNELS_WARP_CUH_

#include <cstdint>

namespace mmp::cuda {

inline constexpr uint32_t kAllLanes = ~0u;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ inline int32_t WarpSum(int32_t value) { return __reduce_add_sync(kAllLanes, value); }
__device__ inline int32_t WarpMax(int32_t value) { return __reduce_max_sync(kAllLanes, value); }
__device__ inline int32_t WarpMin(int32_t value) { return __reduce_min_sync(kAllLanes, value); }
#else
__device__ inline int32_t WarpSum(int32_t value) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}
__device__ inline int32_t WarpMax(int32_t value) {
  for (int step = 16; step > 0; step >>= 1)
    value = max(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}
__device__ inline int32_t WarpMin(int32_t value) { return -WarpMax(-value); }
#endif
// The sum of this lane's value and those of the lanes before it.
__device__ inline int32_t WarpPrefixSum(int32_t value) {
  const int lane = threadIdx.x % 32;
  for (int step = 1; step < 32; step <<= 1) {
    const int32_t before = __shfl_up_sync(kAllLanes, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_WARP_CUH_
