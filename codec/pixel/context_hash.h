// Hashes of what precedes a sample, by which histories are found. Normative: docs/format-pixel.md,
// "Exact contexts".
#ifndef MMP_CODEC_PIXEL_CONTEXT_HASH_H_
#define MMP_CODEC_PIXEL_CONTEXT_HASH_H_

#include <cstdint>

namespace mmp {

inline uint32_t AddToHash(uint32_t hash, uint32_t value) {
  hash = (hash ^ value) * 0x2c1b3c6du;
  return hash ^ hash >> 15;
}

// Of the decision that `key` names, in a context of this hash.
inline uint32_t HashOfDecision(uint32_t context, uint32_t key) {
  uint32_t hash = context + key * 0x9e3779b1u;
  hash ^= hash >> 15;
  hash *= 0x85ebca6bu;
  return hash ^ hash >> 13;
}

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_CONTEXT_HASH_H_
