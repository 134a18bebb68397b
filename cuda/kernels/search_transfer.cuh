// A macroblock's search begins with the host's input and ends with its output.
#ifndef MMP_CUDA_KERNELS_SEARCH_TRANSFER_CUH_
#define MMP_CUDA_KERNELS_SEARCH_TRANSFER_CUH_

#include <cuda_pipeline.h>

#include <cstdint>

#include "cuda/kernels/append_patterns.cuh"
#include "cuda/kernels/search.cuh"

namespace mmp::cuda {

// All threads of a block: begin to copy multiples of 16 bytes into shared memory.
__device__ inline void CopyByBlock(void* to, const void* from, size_t bytes) {
  for (size_t k = 16 * threadIdx.x; k < bytes; k += size_t{16} * blockDim.x)
    __pipeline_memcpy_async(static_cast<char*>(to) + k, static_cast<const char*>(from) + k, 16);
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::BeginGroup() {
  static_assert(sizeof(Shared) % 16 == 0);
  if (AllInSharedMemory())
    CopyByBlock(shared_memory + sizeof(Shared), a_.lookup.data, a_.lookup.bytes);
  if (Thread() == 0) {
    shared_.macroblock = a_.first + Group();
    ModeTeam().Begin();
    TemplateTeam().Begin();
    LspTeam().Begin();
  }
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Begin() {
  static_assert(sizeof(BlockInput) % 16 == 0);
  CopyByBlock(&shared_.input, &Input().block, sizeof(BlockInput));
  __pipeline_commit();
  if (Thread() < kStages) shared_.cycles[Thread()] = 0;
  if (Thread() < kLevelCount) {
    shared_.plan.first_block[Thread()] = FirstEntry(Thread());
    shared_.plan.blocks[Thread()] = 0;
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  if (a_.appends) AppendPatterns<kTensor>(a_, Block() * kThreads + Thread(), a_.blocks * kThreads);
}

template <bool kCluster, bool kTensor>
__device__ bool Search<kCluster, kTensor>::TakeNext() {
  const bool may_have_next = kCluster && a_.macroblocks > a_.first + Groups();
  if (may_have_next) {
    if (Block() == 0 && Thread() == 0)
      Input().counters.next =
          a_.first + Groups() + atomicAdd(&a_.inputs[a_.first].counters.taken, 1);
    barrier_.Sync();
  }
  // What the first block reads in there is not written before the others have waited for it.
  if (Block() == 0) Finish();
  if (!may_have_next) return false;
  __syncthreads();
  if (Thread() == 0) shared_.macroblock = static_cast<int>(Input().counters.next);
  __syncthreads();
  return shared_.macroblock < a_.macroblocks;
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Finish() {
  for (int k = Thread(); k < kMacroblockPixels; k += kThreads) {
    const int y = k / kMacroblockSize, x = k % kMacroblockSize;
    uint32_t path = 0, length = 0;
    const int n = FindNode(0, y, x, path, length);
    const BlockRect rect = Rect(n);
    const int pixel = Node(n).first_pixel + (y - rect.y) * rect.width() + x - rect.x;
    Output().pixels[k] = {Choices()[pixel], PackPrediction(path, length, LeafModes()[n])};
  }
  const uint32_t* counters = reinterpret_cast<const uint32_t*>(&Input().counters);
  for (int k = Thread(); k < static_cast<int>(sizeof(SearchCounters) / 4); k += kThreads)
    reinterpret_cast<uint32_t*>(&Output().counters)[k] = counters[k];
  if (Thread() == 0)
    for (int stage = 0; stage < kStages; ++stage) Output().cycles[stage] = shared_.cycles[stage];
  __threadfence_system();
  __syncthreads();
  if (Thread() == 0) *static_cast<volatile uint32_t*>(&Output().stamp) = Input().stamp;
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_TRANSFER_CUH_
