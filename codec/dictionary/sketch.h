// Sketches of blocks: a few coefficients that give a lower bound on the distance of two blocks, by
// which most blocks are found to be far from another without comparing their pixels.
#ifndef MMP_CODEC_DICTIONARY_SKETCH_H_
#define MMP_CODEC_DICTIONARY_SKETCH_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"

namespace mmp {

// A block's coefficients for three orthonormal basis vectors (a constant; one half minus the other;
// the same for the halves in the other direction) and the norm of the remainder, times
// kSketchScale, rounded. But for rounding, the distance of two sketches is a lower bound on that of
// the blocks.
using Sketch = std::array<int16_t, 4>;
inline constexpr int kSketchScale = 4;

// The sketch of a block of at least two pixels, row by row, in [-255, 255]. `norm`: its squared
// norm.
Sketch SketchOf(const int16_t* values, LevelShape shape, int32_t norm);

// Of `count` values in [-255, 255], at most those of a macroblock.
int32_t SquaredNorm(const int16_t* values, int count);

inline int32_t SquaredNorm(const Sketch& sketch) {
  int32_t sum = 0;
  for (const int32_t value : sketch) sum += value * value;
  return sum;
}

// If the squared distance of two blocks is at most `threshold`, which is not negative, that of
// their sketches is below this bound, which allows for rounding.
int32_t SketchReach(int64_t threshold);

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_SKETCH_H_
