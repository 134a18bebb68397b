// The weighted sum of counts that a mixed index model is made of, with SIMD.
#ifndef MMP_CODEC_BITSTREAM_MIX_COUNTS_H_
#define MMP_CODEC_BITSTREAM_MIX_COUNTS_H_

#include <array>
#include <cstdint>
#include <span>

namespace mmp {

inline constexpr int kMixedCounts = 3;

// mixture[i] = 1 + (factors[0] counts[0][i] + factors[1] counts[1][i] + ... >> shift), for i in
// [0, mixture.size()), all modulo 2^32. shift is in [0, 31].
void MixCounts(const std::array<const uint32_t*, kMixedCounts>& counts,
               const std::array<uint32_t, kMixedCounts>& factors, int shift,
               std::span<uint32_t> mixture);

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_MIX_COUNTS_H_
