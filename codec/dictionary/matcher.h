// Comparing residual blocks with the patterns of a level: the inner loop of the search and of the
// dictionary's redundancy test.
//
// SSE(r, d) = |r|^2 - 2 r.d + |d|^2, so the cheapest pattern for r is the one that minimises
// bias(d) - 2 r.d, where bias(d) = |d|^2 + the cost of d's index. Everything is in units of
// 1/kDistortionScale and exact in 32 bits: |r|, |d| <= 255 a pixel, at most 256 pixels.
#ifndef MMP_CODEC_DICTIONARY_MATCHER_H_
#define MMP_CODEC_DICTIONARY_MATCHER_H_

#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/dictionary/packed_patterns.h"
#include "codec/dictionary/sketch.h"

namespace mmp {

// minimum[b] = min over patterns d of bias[d] - 2 kDistortionScale block b . d. Blocks stand one
// behind the other, 2 pairs values in [-255, 255] each; bias has 32 groups entries, aligned to 64
// bytes, those of padding patterns being kNoMatch.
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
  int pixels = 0;
  int count = 0;
  const int16_t* values = nullptr;        // the patterns, one behind the other, row by row
  const int32_t* norms = nullptr;         // squared
  PackedPatterns sketches;                // in the same order, times -2
  const int32_t* sketch_norms = nullptr;  // squared; of whole groups, as `sketches`
};
struct SketchedBlock {
  const int16_t* values = nullptr;  // row by row, in [-255, 255]
  int32_t norm = 0;                 // squared
  Sketch sketch = {};
};

// A limit of squared distances.
struct NearLimit {
  explicit NearLimit(int64_t threshold)
      : distance(threshold), sketch_reach(SketchReach(threshold)) {}

  int64_t distance;
  int32_t sketch_reach;  // see SketchReach
};

// Whether a pattern's squared distance to a block is at most `limit.distance`. Computes distances
// only of patterns that the lower bound by sketches does not exclude.
bool HasNear(const SketchedPatterns& patterns, const SketchedBlock& block, const NearLimit& limit);

// The lowest index d for which bias[d] - 2 kDistortionScale block.d == value; -1 if there is none.
int FindMatch(const PackedPatterns& patterns, const int32_t* bias, const int16_t* block,
              int32_t value);

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_MATCHER_H_
