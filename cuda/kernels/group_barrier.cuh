// The barrier of a group: the blocks that search one macroblock together. All of them must be on
// the device at the same time, as a cluster or by a cooperative launch.
#ifndef MMP_CUDA_KERNELS_GROUP_BARRIER_CUH_
#define MMP_CUDA_KERNELS_GROUP_BARRIER_CUH_

#include <cooperative_groups.h>

#include <cstdint>
#include <cuda/atomic>

namespace mmp::cuda {

// All threads of a block call Sync the same number of times. What any of them wrote before is seen
// by all after it.
template <bool kCluster>
class GroupBarrier {
 public:
  // `arrivals` is 0 at the kernel's start.
  __device__ GroupBarrier(uint32_t* arrivals, uint32_t blocks)
      : arrivals_(arrivals), blocks_(blocks) {}

  __device__ void Sync() {
    if constexpr (kCluster) {
#if __CUDA_ARCH__ >= 900
      cooperative_groups::this_cluster().sync();
#endif
    } else {
      __syncthreads();
      if (threadIdx.x == 0 && blocks_ > 1) {
        target_ += blocks_;
        ::cuda::atomic_ref<uint32_t, ::cuda::thread_scope_device> arrivals(*arrivals_);
        arrivals.fetch_add(1, ::cuda::memory_order_release);
        while (arrivals.load(::cuda::memory_order_acquire) < target_) {
        }
      }
      __syncthreads();
    }
  }

 private:
  uint32_t* arrivals_;
  uint32_t blocks_;
  uint32_t target_ = 0;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_GROUP_BARRIER_CUH_
