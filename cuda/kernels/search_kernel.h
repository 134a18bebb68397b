// The kernel that searches macroblocks, and how it is launched.
#ifndef MMP_CUDA_KERNELS_SEARCH_KERNEL_H_
#define MMP_CUDA_KERNELS_SEARCH_KERNEL_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/group_launch.h"
#include "cuda/schedule/search_arguments.h"

namespace mmp::cuda {

// A group of thread blocks that works on a macroblock.
struct SearchConfig {
  int blocks = 1;  // of the group
  bool cluster =
      false;  // a thread block cluster (compute capability 9.0 or more) or a cooperative grid
  bool tensor_cores = false;  // or plain integers
};

// Blocks of a cluster that every device with clusters has room for.
inline constexpr int kPortableCluster = 8;

// Ten times the compute capability that the code which the present device runs was compiled for.
// Fails if there is none for it.
cudaError_t CodeCapability(int* capability);

// Shared memory of a block in bytes: the least, and with all that can be kept there.
size_t SearchSharedBytes();
size_t SearchSharedBytes(const LookupView& lookup);

// Prepares the kernel for launches on the present device, `device`.
cudaError_t PrepareSearch(const SearchConfig& config, int device);

// Groups that fit on the present device at a time; 0 if none does.
cudaError_t CountSearchGroups(const SearchConfig& config, size_t shared_bytes, int* groups);

// Searches the macroblocks in arguments.inputs by so many groups, at most as many as macroblocks; a
// grid is one group, for one macroblock. Returns at once.
cudaError_t LaunchSearch(const SearchConfig& config, int groups, const SearchArguments& arguments,
                         size_t shared_bytes, cudaStream_t stream);

// Adds the new patterns of arguments.inputs to the dictionary; returns at once.
cudaError_t LaunchAppend(const SearchConfig& config, const SearchArguments& arguments,
                         cudaStream_t stream);

// The 16-bit elements that a level's matching layout takes.
uint32_t MatchingSize(bool tensor_cores, int level, int patterns);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_KERNEL_H_
