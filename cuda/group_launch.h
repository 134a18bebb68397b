// How a group of thread blocks that works on one macroblock is launched.
#ifndef MMP_CUDA_GROUP_LAUNCH_H_
#define MMP_CUDA_GROUP_LAUNCH_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace mmp::cuda {

// Threads of a block, and blocks that a multiprocessor has registers for. One search at a time is
// fastest with many warps for each node; many searches with many nodes at a time.
struct BlockShape {
  int threads, blocks_per_multiprocessor;
};
inline constexpr BlockShape kClusterShape = {256, 2};
inline constexpr BlockShape kGridShape = {384, 1};

// The launch of `blocks` blocks that are all on the device at the same time: a thread block cluster
// or a cooperative grid, see GroupBarrier. `attribute` must outlive it.
inline cudaLaunchConfig_t GroupLaunch(bool cluster, uint32_t blocks, size_t shared_bytes,
                                      cudaStream_t stream, cudaLaunchAttribute& attribute) {
  attribute = {};
  if (cluster) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {blocks, 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(cluster ? kClusterShape.threads : kGridShape.threads);
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = stream;
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  return launch;
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_GROUP_LAUNCH_H_
