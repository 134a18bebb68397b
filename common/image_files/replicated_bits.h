// Samples of few bits in the larger ones that PNG has (PNG specification, "Sample depth
// rescaling").
#ifndef MMP_COMMON_IMAGE_FILES_REPLICATED_BITS_H_
#define MMP_COMMON_IMAGE_FILES_REPLICATED_BITS_H_

#include <cassert>
#include <cstdint>

namespace mmp {

// `value`, of `depth` bits, as the highest of `bits` bits, with its own bits repeated below: 0
// stays 0, and the largest value becomes the largest. 1 <= depth <= bits <= 16.
inline uint32_t ReplicatedBits(uint32_t value, int depth, int bits) {
  assert(depth >= 1 && depth <= bits && bits <= 16);
  uint32_t replicated = 0;
  for (int shift = bits - depth;; shift -= depth) {
    if (shift <= 0) return replicated | value >> -shift;
    replicated |= value << shift;
  }
}

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_REPLICATED_BITS_H_
