// Random and extreme inputs that several kernels take.
#ifndef MMP_TOOLS_KERNELS_INPUTS_H_
#define MMP_TOOLS_KERNELS_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "tests/support/test_support.h"

namespace mmp::kernels {

// --- Residuals: values in [-255, 255] ---

enum class Residuals {
  kRandom,
  kSmall,
  kZero,
  kMost,
  kLeast,
  kAlternating,
  kExtreme,
  kNearExtreme
};
inline constexpr int kResidualKinds = 8;
const char* ResidualsName(Residuals kind);
void AppendResidual(Random& random, Residuals kind, int count, std::vector<int16_t>& values);

// --- Blocks amid reconstructed pixels ---

// What a block is predicted from: nothing, pixels above and on the left, two rows and columns of
// them.
enum class Needs { kNothing, kOne, kTwo };

struct Surroundings {
  CodingPosition position;
  std::string name;
};

// A block of `level` in the middle of a macroblock's coding, with edges of the image near or not.
// `number` chooses among drawn pictures, few values, the extreme values only and all the same.
Surroundings RandomSurroundings(Random& random, int level, Needs needs, int number);
// A block of `level` at the macroblock's corner with every pixel around there, smooth with noise.
Surroundings FullSurroundings(Random& random, int level);

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_INPUTS_H_
