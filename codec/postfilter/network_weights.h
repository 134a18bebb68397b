// The weights of the network filter, and the file that they come in.
// Normative: docs/format.md, "Network filter".
#ifndef MMP_CODEC_POSTFILTER_NETWORK_WEIGHTS_H_
#define MMP_CODEC_POSTFILTER_NETWORK_WEIGHTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "mmp/status.h"

namespace mmp {

inline constexpr int kNetworkLevels = 22;         // of noise, numbered 1 to 22; 0: no network
inline constexpr int kNetworkInputs = 8;          // values of a position: 2x2 pixels, and as many
                                                  // predictions
inline constexpr int kNetworkOutputs = 4;         // corrections of 2x2 pixels
inline constexpr int kNetworkChannels = 24;       // values of a position between layers
inline constexpr int kNetworkResidualBlocks = 7;  // of two layers each, whose result is added
inline constexpr int kNetworkLayers = 2 * kNetworkResidualBlocks + 2;
inline constexpr int kNetworkMiddleLevel = 10;  // where slopes count nothing

// A convolution with 3x3 positions.
struct NetworkLayer {
  int inputs = 0, outputs = 0;  // values of a position
  // By output. What is added to the sum of products is the bias, and the slope for each level above
  // kNetworkMiddleLevel; the sum is then shifted to the right, by 1 to 24.
  std::vector<uint8_t> shifts = {};
  std::vector<int32_t> biases = {}, slopes = {};
  std::vector<int8_t> weights = {};  // [output][row][column][input]
};

// The layers in the order in which they follow each other, kNetworkLayers of them.
struct NetworkWeights {
  std::vector<NetworkLayer> layers;
};

// Of a file as docs/format.md has it. Errors: kUnsupported if it is no such file, or of a network
// of another size; kCorrupt if it is damaged, or its sums could overflow.
Result<NetworkWeights> ParseNetwork(std::span<const uint8_t> file);
std::vector<uint8_t> WriteNetwork(const NetworkWeights& network);

// Those of codec/postfilter/network_weights.bin, which files are decoded with.
const NetworkWeights& StandardNetwork();

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_WEIGHTS_H_
