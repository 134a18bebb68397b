// What a block looks like from afar, to tell from most others that they are far from it.
#ifndef MMP_CODEC_SKETCH_H_
#define MMP_CODEC_SKETCH_H_

#include <array>
#include <cstdint>

#include "codec/levels.h"

namespace mmp {

// A block's coefficients for three orthonormal vectors (a constant, one half less the other, the
// same for other halves) and the norm of what they leave, times kSketchScale, rounded. Two blocks
// are at least as far apart as their sketches are, less what rounding adds.
using Sketch = std::array<int16_t, 4>;
inline constexpr int kSketchScale = 4;

// Of a block of at least two pixels, row by row, in [-255, 255]. `norm`: its squared norm.
Sketch SketchOf(const int16_t* values, LevelShape shape, int32_t norm);

inline int32_t SquaredNorm(const Sketch& sketch) {
  int32_t sum = 0;
  for (const int32_t value : sketch) sum += value * value;
  return sum;
}

// What the squared distance of two blocks' sketches is below if that of the blocks is at most
// `threshold`, which is not negative.
int32_t SketchReach(int64_t threshold);

}  // namespace mmp

#endif  // MMP_CODEC_SKETCH_H_
