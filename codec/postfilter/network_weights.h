// The weights of the network filter's networks, and the files that they come in.
// Normative: docs/format.md, "Network filter".
#ifndef MMP_CODEC_POSTFILTER_NETWORK_WEIGHTS_H_
#define MMP_CODEC_POSTFILTER_NETWORK_WEIGHTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "mmp/status.h"

namespace mmp {

inline constexpr int kNetworkLevels = 22;       // of noise, numbered 1 to 22; 0: no network
inline constexpr int kNetworkInputs = 8;        // values of a position: 2x2 pixels, and as many
                                                // predictions
inline constexpr int kNetworkOutputs = 4;       // corrections of 2x2 pixels
inline constexpr int kNetworkMiddleLevel = 10;  // where slopes count nothing

struct NetworkShape {
  int channels;         // values of a position between layers, a multiple of 8
  int residual_blocks;  // of two layers each, whose result is added; at least 1

  constexpr int layers() const { return 2 * residual_blocks + 2; }

  friend bool operator==(const NetworkShape&, const NetworkShape&) = default;
};

// One that is alone, or of a pair: the first, and a second one, that of soft pictures, or a third,
// that of print and of what was a JPEG, for what the first does not suit; see NetworksOf.
enum class NetworkKind : uint8_t {
  kSmall,
  kLarge,
  kFirstSmall,
  kSecondSmall,
  kFirstDeep,
  kSecondDeep,
  kThirdDeep
};
inline constexpr int kNetworkKinds = 7;

constexpr bool IsSmall(NetworkKind kind) {
  return kind == NetworkKind::kSmall || kind == NetworkKind::kFirstSmall ||
         kind == NetworkKind::kSecondSmall;
}

constexpr NetworkShape ShapeOfNetwork(NetworkKind kind) {
  if (IsSmall(kind)) return {16, 6};
  return {24, kind == NetworkKind::kLarge ? 7 : 12};
}

// A convolution with 3x3 positions.
struct NetworkLayer {
  int inputs = 0, outputs = 0;  // values of a position
  // By output. What is added to the sum of products is the bias, and the slope for each level above
  // kNetworkMiddleLevel; the sum is then shifted to the right, by 1 to 24.
  std::vector<uint8_t> shifts = {};
  std::vector<int32_t> biases = {}, slopes = {};
  std::vector<int8_t> weights = {};  // [output][row][column][input]

  // What products are added to so that the shifted sum is the rounded output.
  int32_t Start(int output, int level) const {
    return biases[output] + slopes[output] * (level - kNetworkMiddleLevel) +
           (1 << (shifts[output] - 1));
  }
};

// The layers in the order in which they follow each other.
struct NetworkWeights {
  NetworkShape shape;
  std::vector<NetworkLayer> layers;
};

// Of a file as docs/format.md has it. Errors: kUnsupported if it is no such file, or of a network
// of a shape that no kind has; kCorrupt if it is damaged, or its sums could overflow.
Result<NetworkWeights> ParseNetwork(std::span<const uint8_t> file);
std::vector<uint8_t> WriteNetwork(const NetworkWeights& network);

// Those which files are decoded with, of the files whose names end in network_weights.bin in
// codec/postfilter.
const NetworkWeights& StandardNetwork(NetworkKind kind);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_WEIGHTS_H_
