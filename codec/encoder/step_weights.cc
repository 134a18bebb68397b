#include "codec/encoder/step_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/metrics.h"
#include "mmp/types.h"

namespace mmp {
namespace {

constexpr auto kMostQ8 = static_cast<uint64_t>(kMaxLambda * 256);

// Rounds to two significant bits.
uint64_t Rounded(uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - 2);
  return shift == 0 ? value : ((value + (uint64_t{1} << (shift - 1))) >> shift) << shift;
}

}  // namespace

StepWeights::StepWeights(const SampleMap& map, double mean_squared_step) : are_alike_(false) {
  for (int v = 0; v < 256; ++v) {
    const double step = map.TwoSteps(v) / 2.0;
    weights_[v] = static_cast<uint32_t>(std::lround(
        std::clamp(step * step / mean_squared_step, 1.0 / 64, 65535.0) * (1 << kShift)));
  }
}

Lambda StepWeights::LambdaOf(const MacroblockSamples& original, Lambda lambda) const {
  if (are_alike_ || lambda.lossless()) return lambda;
  uint64_t sum = 0;
  for (const uint8_t sample : original.samples) sum += weights_[sample];
  const uint64_t scaled = (static_cast<uint64_t>(lambda.q8) * kMacroblockPixels << kShift) / sum;
  return {static_cast<int32_t>(std::clamp<uint64_t>(Rounded(scaled), 1, kMostQ8))};
}

uint64_t StepWeights::SumSquaredError(const ImageView& original, const ImageView& other) const {
  if (are_alike_) return mmp::SumSquaredError(original, other);
  uint64_t sum = 0;
  for (int y = 0; y < original.height; ++y) {
    for (int x = 0; x < original.width; ++x) {
      const int error = original.Row(y)[x] - other.Row(y)[x];
      sum += uint64_t{weights_[original.Row(y)[x]]} * static_cast<uint64_t>(error * error);
    }
  }
  return sum >> kShift;
}

}  // namespace mmp
