// Some warps of a block that work together and wait for each other.
#ifndef MMP_CUDA_TEAM_CUH_
#define MMP_CUDA_TEAM_CUH_

namespace mmp::cuda {

struct Team {
  int thread;   // this thread's number in the team
  int threads;  // a multiple of 32
  int barrier;  // one of the block's 16 named barriers, of no other team's; 0 is __syncthreads'

  // All threads of the team: what they wrote before is seen by all of them after it.
  __device__ void Sync() const {
    __syncwarp();  // a warp must arrive as one
    if (threads > 32) asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
  }
  __device__ int warp() const { return thread / 32; }
  __device__ int warps() const { return threads / 32; }
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_TEAM_CUH_
