// A macroblock's search begins with the host's input and ends with its output.
#ifndef MMP_CUDA_KERNELS_SEARCH_TRANSFER_CUH_
#define MMP_CUDA_KERNELS_SEARCH_TRANSFER_CUH_

#include <cuda_pipeline.h>

#include <cstdint>

#include "cuda/kernels/append_patterns.cuh"
#include "cuda/kernels/search.cuh"

namespace mmp::cuda {

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Begin() {
  auto copy = [&](void* to, const void* from, size_t bytes) {
    for (size_t k = 16 * Thread(); k < bytes; k += 16 * kThreads)
      __pipeline_memcpy_async(static_cast<char*>(to) + k, static_cast<const char*>(from) + k, 16);
  };
  static_assert(sizeof(BlockInput) % 16 == 0 && sizeof(Shared) % 16 == 0);
  copy(&shared_.input, &input_.block, sizeof(BlockInput));
  if (AllInSharedMemory()) copy(shared_memory + sizeof(Shared), a_.lookup.data, a_.lookup.bytes);
  __pipeline_commit();
  if (Thread() == 0) {
    ModeTeam().Begin();
    LspTeam().Begin();
  }
  if (Thread() < kStages) shared_.cycles[Thread()] = 0;
  if (Thread() < kLevelCount) {
    shared_.plan.first_block[Thread()] = 0;
    shared_.plan.blocks[Thread()] = 0;
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  if (a_.appends) AppendPatterns<kTensor>(a_, Block() * kThreads + Thread(), a_.blocks * kThreads);
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Finish() {
  for (int k = Thread(); k < kMacroblockPixels; k += kThreads) {
    const int y = k / kMacroblockSize, x = k % kMacroblockSize;
    uint32_t path = 0, length = 0;
    const int n = FindNode(0, y, x, path, length);
    const BlockRect rect = Rect(n);
    const int pixel = Node(n).first_pixel + (y - rect.y) * rect.width() + x - rect.x;
    a_.output->pixels[k] = {a_.choices[pixel], PackPrediction(path, length, a_.leaf_mode[n])};
  }
  const uint32_t* counters = reinterpret_cast<const uint32_t*>(&input_.counters);
  for (int k = Thread(); k < static_cast<int>(sizeof(SearchCounters) / 4); k += kThreads)
    reinterpret_cast<uint32_t*>(&a_.output->counters)[k] = counters[k];
  if (Thread() == 0)
    for (int stage = 0; stage < kStages; ++stage) a_.output->cycles[stage] = shared_.cycles[stage];
  __threadfence_system();
  __syncthreads();
  if (Thread() == 0) *static_cast<volatile uint32_t*>(&a_.output->stamp) = input_.stamp;
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_TRANSFER_CUH_
