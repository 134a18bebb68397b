// Layers of the network filter, and what they make of values, as plainly as docs/format.md says it.
#ifndef MMP_TOOLS_KERNELS_NETWORK_LAYERS_H_
#define MMP_TOOLS_KERNELS_NETWORK_LAYERS_H_

#include <algorithm>
#include <cstdint>

#include "codec/postfilter/network_arithmetic.h"
#include "tests/support/pictures.h"

namespace mmp::kernels {

enum class LayerValues { kNoise, kSmall, kLeast, kAlternating, kCount };

// A layer's values: of any kind, or so that sums are the greatest that there can be.
inline NetworkLayer RandomLayer(Random& random, int inputs, int outputs, LayerValues kind) {
  constexpr int kMostBias = (1 << 28) - 1, kMostSlope = kMostBias / 12;
  NetworkLayer layer = {.inputs = inputs, .outputs = outputs};
  const bool is_extreme = kind == LayerValues::kLeast || kind == LayerValues::kAlternating;
  for (int output = 0; output < outputs; ++output) {
    const int sign = random.OneIn(2) ? 1 : -1;
    layer.shifts.push_back(static_cast<uint8_t>(random.Between(1, 24)));
    layer.biases.push_back(is_extreme ? sign * kMostBias : random.Between(-100000, 100000));
    layer.slopes.push_back(is_extreme ? sign * kMostSlope : random.Between(-1000, 1000));
    for (int k = 0; k < 9 * inputs; ++k) {
      const int weight = kind == LayerValues::kLeast ? (sign > 0 ? -128 : 127)
                         : is_extreme                ? (k % 2 == 0 ? -128 : 127)
                                                     : random.Between(-128, 127);
      layer.weights.push_back(static_cast<int8_t>(weight));
    }
  }
  return layer;
}

// Value number k of what a layer is computed of.
inline int16_t RandomLayerValue(Random& random, LayerValues kind, int k) {
  switch (kind) {
    case LayerValues::kNoise:
      return static_cast<int16_t>(random.Between(-32768, 32767));
    case LayerValues::kSmall:
      return static_cast<int16_t>(random.Between(-100, 100));
    case LayerValues::kLeast:
      return -32768;
    default:
      return k % 2 == 0 ? -32768 : 32767;
  }
}

// An output of the layer at a level of noise. input(row, column, k): value k of one of the 3x3
// positions.
template <typename Input>
int16_t PlainOutput(const NetworkLayer& layer, int level, int output, OutputRule rule,
                    int16_t added, const Input& input) {
  int64_t sum = layer.biases[output] + int64_t{layer.slopes[output]} * (level - 10);
  const int8_t* weight = &layer.weights[static_cast<size_t>(output) * 9 * layer.inputs];
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      for (int k = 0; k < layer.inputs; ++k) sum += *weight++ * input(row, column, k);
  const int shift = layer.shifts[output];
  int64_t value = std::clamp<int64_t>((sum + (int64_t{1} << (shift - 1))) >> shift, -32768, 32767);
  if (rule == OutputRule::kRelu) value = std::max<int64_t>(value, 0);
  if (rule == OutputRule::kAdded) value = std::clamp<int64_t>(value + added, -32768, 32767);
  return static_cast<int16_t>(value);
}

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_NETWORK_LAYERS_H_
