// How groups of thread blocks, each of which works on one macroblock at a time, are launched.
#ifndef MMP_CUDA_KERNELS_GROUP_LAUNCH_H_
#define MMP_CUDA_KERNELS_GROUP_LAUNCH_H_

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmp::cuda {

// Threads of a block, and blocks that a multiprocessor has registers for. A few searches at a time
// are fastest with many warps for each node; many searches with many nodes at a time.
struct BlockShape {
  int threads, blocks_per_multiprocessor;
};
inline constexpr BlockShape kClusterShape = {256, 2};
inline constexpr BlockShape kGridShape = {384, 1};

using GroupAttributes = std::array<cudaLaunchAttribute, 2>;

// The launch of `groups` groups of `blocks` blocks that are all on the device at the same time:
// thread block clusters or one cooperative grid, see GroupBarrier. A group is a row of the grid.
// `attributes` must outlive it.
inline cudaLaunchConfig_t GroupLaunch(bool cluster, uint32_t blocks, uint32_t groups,
                                      size_t shared_bytes, cudaStream_t stream,
                                      GroupAttributes& attributes) {
  attributes = {};
  if (cluster) {
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {blocks, 1, 1};
    // Blocks may go wherever there is room, also two of a cluster on one multiprocessor.
    attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
  } else {
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
  }
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(blocks, groups);
  launch.blockDim = dim3(cluster ? kClusterShape.threads : kGridShape.threads);
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = stream;
  launch.attrs = attributes.data();
  launch.numAttrs = cluster ? 2 : 1;
  return launch;
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_GROUP_LAUNCH_H_
