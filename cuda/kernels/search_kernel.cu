#include "cuda/kernels/append_patterns.cuh"
#include "cuda/kernels/match.cuh"
#include "cuda/kernels/search.cuh"
#include "cuda/kernels/search_kernel.h"
#include "cuda/kernels/search_leaves.cuh"
#include "cuda/kernels/search_nodes.cuh"
#include "cuda/kernels/search_predict.cuh"
#include "cuda/kernels/search_transfer.cuh"

namespace mmp::cuda {
namespace {

template <bool kCluster, bool kTensor>
__global__ void __launch_bounds__(Search<kCluster, kTensor>::kShape.threads,
                                  Search<kCluster, kTensor>::kShape.blocks_per_multiprocessor)
    SearchMacroblocks(const __grid_constant__ SearchArguments arguments) {
#ifdef __CUDA_ARCH__
  // Only variants whose clusters and tensor cores the architecture has are compiled for it: see
  // CodeCapability.
  if constexpr ((!kCluster || __CUDA_ARCH__ >= 900) && (!kTensor || kHaveTensorCores))
    Search<kCluster, kTensor>(arguments).Run();
  else
    __trap();
#endif
}

constexpr int kAppendBlocks = 64, kAppendThreads = 256;

template <bool kTensor>
__global__ void __launch_bounds__(kAppendThreads)
    Append(const __grid_constant__ SearchArguments arguments) {
  AppendPatterns<kTensor>(arguments, static_cast<int>(blockIdx.x * kAppendThreads + threadIdx.x),
                          kAppendBlocks * kAppendThreads);
}

using Kernel = void (*)(SearchArguments);

Kernel KernelOf(const SearchConfig& config) {
  if (config.cluster)
    return config.tensor_cores ? SearchMacroblocks<true, true> : SearchMacroblocks<true, false>;
  return config.tensor_cores ? SearchMacroblocks<false, true> : SearchMacroblocks<false, false>;
}

}  // namespace

cudaError_t CodeCapability(int* capability) {
  cudaFuncAttributes attributes = {};
  const cudaError_t error = cudaFuncGetAttributes(
      &attributes, reinterpret_cast<const void*>(SearchMacroblocks<false, false>));
  *capability = attributes.ptxVersion;
  return error;
}

size_t SearchSharedBytes() { return sizeof(Shared); }

size_t SearchSharedBytes(const LookupView& lookup) {
  return sizeof(Shared) + lookup.bytes + NodeBytes(lookup);
}

cudaError_t PrepareSearch(const SearchConfig& config, int device) {
  const void* kernel = reinterpret_cast<const void*>(KernelOf(config));
  // All that the device has, whatever this search needs: the limit is the kernel's, not the
  // search's, and others that need more may be running.
  int most_shared = 0;
  cudaFuncAttributes attributes = {};
  cudaError_t error =
      cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 most_shared - static_cast<int>(attributes.sharedSizeBytes));
  if (error == cudaSuccess && config.cluster && config.blocks > kPortableCluster)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  return error;
}

cudaError_t CountSearchGroups(const SearchConfig& config, size_t shared_bytes, int* groups) {
  const void* kernel = reinterpret_cast<const void*>(KernelOf(config));
  if (config.cluster) {
    GroupAttributes attributes;
    const cudaLaunchConfig_t launch =
        GroupLaunch(config.cluster, config.blocks, 1, shared_bytes, nullptr, attributes);
    return cudaOccupancyMaxActiveClusters(groups, kernel, &launch);
  }
  int blocks = 0, device = 0, multiprocessors = 0;
  cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, kGridShape.threads, shared_bytes);
  if (error == cudaSuccess) error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  *groups = blocks * multiprocessors / config.blocks;
  return error;
}

cudaError_t LaunchSearch(const SearchConfig& config, int groups, const SearchArguments& arguments,
                         size_t shared_bytes, cudaStream_t stream) {
  GroupAttributes attributes;
  const cudaLaunchConfig_t launch =
      GroupLaunch(config.cluster, config.blocks, groups, shared_bytes, stream, attributes);
  return cudaLaunchKernelEx(&launch, KernelOf(config), arguments);
}

cudaError_t LaunchAppend(const SearchConfig& config, const SearchArguments& arguments,
                         cudaStream_t stream) {
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(kAppendBlocks);
  launch.blockDim = dim3(kAppendThreads);
  launch.stream = stream;
  Kernel kernel = Append<false>;
  if (config.tensor_cores) kernel = Append<true>;
  return cudaLaunchKernelEx(&launch, kernel, arguments);
}

uint32_t MatchingSize(bool tensor_cores, int level, int patterns) {
  const LevelShape shape = ShapeOfLevel(level);
  const int log2_pixels = shape.log2_pixels();
  return tensor_cores ? TensorSize(log2_pixels, patterns) : PlainSize(log2_pixels, patterns);
}

}  // namespace mmp::cuda
