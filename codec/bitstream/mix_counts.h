// The weighted sum of counts that a mixed index model is made of, with SIMD.
#ifndef MMP_CODEC_BITSTREAM_MIX_COUNTS_H_
#define MMP_CODEC_BITSTREAM_MIX_COUNTS_H_

#include <cstdint>

namespace mmp {

inline constexpr int kMixedCounts = 3;

// mixture[i] = 1 + (factors[0] counts[0][i] + factors[1] counts[1][i] + ... >> shift), for i in
// [0, size), all modulo 2^32. Returns the sum of the mixture. shift is in [0, 31].
uint32_t MixCounts(const uint32_t* const (&counts)[kMixedCounts],
                   const uint32_t (&factors)[kMixedCounts], int shift, int size, uint32_t* mixture);

inline constexpr int kMixedBlock = 128;

// sums[b] = the sum of mixture[i], which is as above, for i in [kMixedBlock b, kMixedBlock (b + 1))
// and [0, size). Returns the sum of the mixture.
uint32_t SumMixedBlocks(const uint32_t* const (&counts)[kMixedCounts],
                        const uint32_t (&factors)[kMixedCounts], int shift, int size,
                        uint32_t* sums);

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_MIX_COUNTS_H_
