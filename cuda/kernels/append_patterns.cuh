// The dictionary on the device grows.
#ifndef MMP_CUDA_KERNELS_APPEND_PATTERNS_CUH_
#define MMP_CUDA_KERNELS_APPEND_PATTERNS_CUH_

#include <cuda_fp16.h>

#include <cstdint>

#include "cuda/kernels/match.cuh"
#include "cuda/kernels/warp.cuh"
#include "cuda/schedule/search_arguments.h"

namespace mmp::cuda {

// Writes the patterns that the device lacks, which all inputs share, into both layouts of the
// dictionary: the part of one of `threads` threads, all of whose warps are whole.
template <bool kTensor>
__device__ void AppendPatterns(const SearchArguments& a, int thread, int threads) {
  const MacroblockInput& input = *a.inputs;
  const int16_t* values =
      reinterpret_cast<const int16_t*>(reinterpret_cast<const char*>(&input) + input.values);
  // Of this lane's level.
  const int lane = thread & 31;
  const NewPatterns own = lane < kLevelCount ? input.new_patterns[lane] : NewPatterns{};
  for (uint32_t rest = __ballot_sync(kAllLanes, own.count > 0); rest != 0; rest &= rest - 1) {
    const int level = __ffs(static_cast<int>(rest)) - 1;
    const int count = __shfl_sync(kAllLanes, own.count, level);
    const int first = __shfl_sync(kAllLanes, own.first, level);
    const int first_value = __shfl_sync(kAllLanes, own.first_value, level);
    const LevelShape shape = ShapeOfLevel(level);
    const int log2_pixels = shape.log2_pixels();
    const int16_t* from = values + first_value;
    int16_t* rows = a.dictionary.rows + a.dictionary.first_row[level];
    uint16_t* matching = a.dictionary.matching + a.dictionary.first_matching[level];
    for (int k = thread; k < count << log2_pixels; k += threads) {
      const uint32_t index = first + (k >> log2_pixels), pixel = k & ((1 << log2_pixels) - 1);
      const int16_t value = from[k];
      rows[(index << log2_pixels) + pixel] = value;
      if constexpr (kTensor)
        matching[TensorPlace(log2_pixels, index, pixel)] = __half_as_ushort(__short2half_rn(value));
      else
        matching[PlainPlace(log2_pixels, index, pixel)] = static_cast<uint16_t>(value);
    }
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_APPEND_PATTERNS_CUH_
