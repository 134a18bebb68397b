// Warps of a block that work together and wait for each other.
#ifndef MMP_CUDA_KERNELS_TEAM_CUH_
#define MMP_CUDA_KERNELS_TEAM_CUH_

#include <cuda_awbarrier_primitives.h>

namespace mmp::cuda {

// Where a team's warps wait for each other, in shared memory. A named barrier that some warps of a
// block use would do as well, but then compute-sanitizer's racecheck errs: see
// docs/experiments.md, "racecheck and named barriers".
using TeamBarrier = __mbarrier_t;

// The `kWarps` warps from warp `kFirst` on.
template <int kFirst, int kWarps>
class Team {
 public:
  static constexpr int kThreads = 32 * kWarps;

  __device__ explicit Team(TeamBarrier& barrier) : barrier_(barrier) {}

  // This thread's number in the team.
  __device__ static int Thread() { return static_cast<int>(threadIdx.x) - 32 * kFirst; }
  // One thread, before a __syncthreads that comes before any Sync.
  __device__ void Begin() const {
    if constexpr (kWarps > 1) __mbarrier_init(&barrier_, kThreads);
  }
  // All threads of the team: what they wrote before is seen by all of them after it. Each arrives
  // itself, as racecheck does not see that a lane can do it for its warp.
  __device__ void Sync() const {
    __syncwarp();  // all that a team of one warp needs
    if constexpr (kWarps > 1) {
      const __mbarrier_token_t token = __mbarrier_arrive(&barrier_);
      while (!__mbarrier_test_wait(&barrier_, token)) {
      }
      __syncwarp();  // shuffles may follow; and nothing may be read before
    }
  }

 private:
  TeamBarrier& barrier_;
};

// Threads that divide work among themselves, wherever they are: this one takes items first,
// first + stride and so on.
struct Share {
  int first, stride;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_TEAM_CUH_
