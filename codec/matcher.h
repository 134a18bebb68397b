// Comparing residual blocks with the patterns of a level: the inner loop of the search and of the
// dictionary's redundancy test.
//
// SSE(r, d) = |r|^2 - 2 r.d + |d|^2, so the cheapest pattern for r is the one that minimises
// bias(d) - 2 r.d, where bias(d) = |d|^2 + the cost of d's index. Everything is in units of
// 1/kDistortionScale and exact in 32 bits: |r|, |d| <= 255 a pixel, at most 256 pixels.
#ifndef MMP_CODEC_MATCHER_H_
#define MMP_CODEC_MATCHER_H_

#include <cstdint>

#include "codec/sketch.h"

namespace mmp {

inline constexpr int kDistortionScale = 32;  // units of J in one unit of squared error
inline constexpr int kPatternGroup = 32;     // patterns stored side by side

// The patterns of a level, packed for matching: group g holds patterns 32 g .. 32 g + 31; its word
// [pair][pattern] has pixels 2 pair and 2 pair + 1 of a pattern, times -2 kDistortionScale, as two
// int16_t in memory order. Patterns of one pixel have a zero second pixel.
struct PackedPatterns {
  const int16_t* data = nullptr;  // [groups][pairs][32][2], aligned to 64 bytes
  int pairs = 0;
  int groups = 0;

  const int16_t* Group(int g) const {
    return data + static_cast<long>(g) * pairs * kPatternGroup * 2;
  }
};

// minimum[b] = min over patterns d of bias[d] - 2 kDistortionScale block b . d. Blocks stand one
// behind the other, 2 pairs values in [-255, 255] each; bias has 32 groups entries, aligned to 64
// bytes, those of padding patterns being kNoMatch.
inline constexpr int32_t kNoMatch = 0x3fffffff;
void MatchBlocks(const PackedPatterns& patterns, const int32_t* bias, const int16_t* blocks,
                 int count, int32_t* minimum);

// kDistortionScale times the squared norm of a block; added to what MatchBlocks finds, it gives J.
inline int32_t ScaledNorm(const int16_t* values, int count) {
  int32_t sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k] * values[k];
  return kDistortionScale * sum;
}

// Patterns of at least two pixels and their sketches, for the redundancy test.
struct SketchedPatterns {
  PackedPatterns packed;
  const int32_t* norms = nullptr;         // as `bias` of MatchBlocks: kDistortionScale |d|^2
  PackedPatterns sketches;                // in the same order and layout, times -2
  const int32_t* sketch_norms = nullptr;  // squared; kNoMatch of padding patterns
};
struct SketchedBlock {
  const int16_t* values = nullptr;  // 2 pairs, in [-255, 255]
  int32_t norm = 0;                 // squared
  Sketch sketch = {};
};

// Whether a pattern's squared distance to a block is at most `threshold`. Compares with those only
// whose sketches are near enough. There must be a pattern of zeros.
bool HasNear(const SketchedPatterns& patterns, const SketchedBlock& block, int64_t threshold);

// The lowest index d for which bias[d] - 2 kDistortionScale block.d == value; -1 if there is none.
int FindMatch(const PackedPatterns& patterns, const int32_t* bias, const int16_t* block,
              int32_t value);

}  // namespace mmp

#endif  // MMP_CODEC_MATCHER_H_
