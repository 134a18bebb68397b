// Marks functions that both the host compiler and nvcc compile from one body.
#ifndef MMP_COMMON_HOST_DEVICE_H_
#define MMP_COMMON_HOST_DEVICE_H_

#ifdef __CUDACC__
#define MMP_HOST_DEVICE __host__ __device__
#else
#define MMP_HOST_DEVICE
#endif

// Before a loop: unroll it in device code, where arrays that it indexes must stay in registers.
#ifdef __CUDACC__
#define MMP_DEVICE_UNROLL _Pragma("unroll")
#else
#define MMP_DEVICE_UNROLL
#endif

// Before a loop: keep it a loop in device code, where it would be too long otherwise.
#ifdef __CUDACC__
#define MMP_DEVICE_KEEP_LOOP _Pragma("unroll 1")
#else
#define MMP_DEVICE_KEEP_LOOP
#endif

#endif  // MMP_COMMON_HOST_DEVICE_H_
