// Networks whose weights are random, for tests.
#ifndef MMP_TESTS_CODEC_POSTFILTER_RANDOM_NETWORK_H_
#define MMP_TESTS_CODEC_POSTFILTER_RANDOM_NETWORK_H_

#include <cstdint>

#include "codec/postfilter/network_weights.h"
#include "tests/support/pictures.h"

namespace mmp {

// Values of layers are about as large as those of the inputs; or, if they are to be extreme, all
// weights and biases are as large as can be.
inline NetworkWeights RandomNetwork(Random& random, NetworkKind kind, bool is_extreme) {
  constexpr int kMostBias = (1 << 28) - 1, kMostSlope = kMostBias / 12;
  NetworkWeights network = {ShapeOfNetwork(kind), {}};
  const int layers = network.shape.layers(), channels = network.shape.channels;
  for (int number = 0; number < layers; ++number) {
    NetworkLayer& layer = network.layers.emplace_back();
    layer.inputs = number == 0 ? kNetworkInputs : channels;
    layer.outputs = number == layers - 1 ? kNetworkOutputs : channels;
    for (int output = 0; output < layer.outputs; ++output) {
      const int sign = random.OneIn(2) ? 1 : -1;
      layer.shifts.push_back(static_cast<uint8_t>(is_extreme ? random.Between(1, 24) : 9));
      layer.biases.push_back(is_extreme ? sign * kMostBias : random.Between(-20000, 20000));
      layer.slopes.push_back(is_extreme ? sign * kMostSlope : random.Between(-1000, 1000));
    }
    for (int k = 0; k < 9 * layer.inputs * layer.outputs; ++k)
      layer.weights.push_back(static_cast<int8_t>(is_extreme ? (random.OneIn(2) ? -128 : 127)
                                                             : random.Between(-30, 30)));
  }
  return network;
}

}  // namespace mmp

#endif  // MMP_TESTS_CODEC_POSTFILTER_RANDOM_NETWORK_H_
