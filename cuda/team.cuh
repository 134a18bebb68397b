// Warps of a block that work together and wait for each other.
#ifndef MMP_CUDA_TEAM_CUH_
#define MMP_CUDA_TEAM_CUH_

namespace mmp::cuda {

// The `kWarps` warps from warp `kFirst` on. If there are several they use named barrier
// kFirst + 1, of the 16 that a block has; 0 is __syncthreads'.
template <int kFirst, int kWarps>
struct Team {
  static constexpr int kThreads = 32 * kWarps;

  // This thread's number in the team.
  __device__ static int Thread() { return static_cast<int>(threadIdx.x) - 32 * kFirst; }
  // All threads of the team: what they wrote before is seen by all of them after it.
  __device__ static void Sync() {
    __syncwarp();  // a warp must arrive as one
    if constexpr (kWarps > 1)
      asm volatile("bar.sync %0, %1;" ::"n"(kFirst + 1), "n"(kThreads) : "memory");
  }
};

// Threads that divide work among themselves, wherever they are: this one takes items first,
// first + stride and so on.
struct Share {
  int first, stride;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_TEAM_CUH_
