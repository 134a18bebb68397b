// Sizes on which nothing depends but how many registers a kernel takes: as large as the compiler
// allows for each device without spilling.
#ifndef MMP_CUDA_KERNELS_REGISTERS_CUH_
#define MMP_CUDA_KERNELS_REGISTERS_CUH_

// As __CUDA_ARCH__. Tests set that of a device which they do not run on.
#ifndef MMP_REGISTERS_FOR
#ifdef __CUDA_ARCH__
#define MMP_REGISTERS_FOR __CUDA_ARCH__
#else
#define MMP_REGISTERS_FOR 0
#endif
#endif

namespace mmp::cuda {

// Matching by tensor cores keeps a tile's blocks in registers if they take at most so many products
// of 16 pixels.
inline constexpr int kMostKeptProducts = MMP_REGISTERS_FOR >= 1000 ? 4 : 8;

// Matches that a thread loads side by side to prune a residual tree.
inline constexpr int kPruningLoads = MMP_REGISTERS_FOR >= 1200 ? 2 : 4;

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_REGISTERS_CUH_
