// Matching by plain integers, for devices without tensor cores for it: see match.cuh.
#ifndef MMP_CUDA_KERNELS_MATCH_BY_INTEGERS_CUH_
#define MMP_CUDA_KERNELS_MATCH_BY_INTEGERS_CUH_

#include <cstdint>

#include "codec/dictionary/matcher.h"
#include "cuda/kernels/best_match.cuh"
#include "cuda/schedule/search_arguments.h"

namespace mmp::cuda {

inline constexpr int kPlainBlocks = 8;

// The matching layout here: the same pair of pixels of 32 consecutive patterns side by side.
MMP_HOST_DEVICE inline uint32_t PlainPlace(int log2_pixels, uint32_t index, uint32_t k) {
  return ((((index >> 5) << (log2_pixels - 1)) + (k >> 1)) * 32 + (index & 31)) * 2 + (k & 1);
}
MMP_HOST_DEVICE inline uint32_t PlainSize(int log2_pixels, uint32_t patterns) {
  return patterns << log2_pixels;
}

__device__ inline void MatchByIntegers(const BlockListView& list, const DictionaryView& dictionary,
                                       const int32_t* bias, int log2_pixels, MatchItem item) {
  const int lane = threadIdx.x & 31;
  const int pairs = 1 << (log2_pixels - 1);
  // A lane's keys all have the same place in their groups.
  const int key_bits = MatchKeyBits(log2_pixels);
  const int32_t factor = (2 * kDistortionScale) << key_bits;
  const short2* blocks[kPlainBlocks];
#pragma unroll
  for (int b = 0; b < kPlainBlocks; ++b)
    blocks[b] = reinterpret_cast<const short2*>(
        list.contents + list.first_content[item.level] +
        ((item.first_block + min(static_cast<uint32_t>(b), item.blocks - 1)) << log2_pixels));
  const short2* patterns =
      reinterpret_cast<const short2*>(dictionary.matching + dictionary.first_matching[item.level] +
                                      PlainSize(log2_pixels, item.first_pattern));
  BestMatch best[kPlainBlocks];
  for (uint32_t p = 0; p < item.patterns; p += 32, patterns += pairs * 32) {
    int32_t dot[kPlainBlocks] = {};
    for (int k = 0; k < pairs; ++k) {
      const short2 d = patterns[k * 32 + lane];
#pragma unroll
      for (int b = 0; b < kPlainBlocks; ++b) {
        const short2 r = blocks[b][k];
        dot[b] += r.x * d.x + r.y * d.y;
      }
    }
    const uint32_t index = item.first_pattern + p + lane;
    const int32_t base = bias[index];
#pragma unroll
    for (int b = 0; b < kPlainBlocks; ++b) best[b].Take(base - factor * dot[b], index);
  }
#pragma unroll
  for (int b = 0; b < kPlainBlocks; ++b) {
    best[b].cost >>= key_bits;
    for (int distance = 16; distance > 0; distance >>= 1) best[b].Merge(best[b].OfLane(distance));
    if (lane == 0 && b < item.blocks)
      StoreBest(list, item.level, item.first_block + b,
                list.norms[list.first_entry[item.level] + item.first_block + b], best[b]);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_MATCH_BY_INTEGERS_CUH_
