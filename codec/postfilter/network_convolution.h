// The convolutions of the network filter, with SIMD.
#ifndef MMP_CODEC_POSTFILTER_NETWORK_CONVOLUTION_H_
#define MMP_CODEC_POSTFILTER_NETWORK_CONVOLUTION_H_

#include <array>
#include <cstdint>

#include "codec/postfilter/network_weights.h"
#include "common/aligned_vector.h"

namespace mmp {

// A layer at a level of noise, in the order in which it is computed.
struct PackedLayer {
  // Outputs are filled up with zeros to a multiple of this; their weights to as many as are
  // computed at once by the longest vectors.
  static constexpr int kOutputGroup = 8;
  static constexpr int kMostLanes = 16;

  PackedLayer(const NetworkLayer& layer, int level);

  int inputs, outputs;             // values of a position; the outputs with those filled up
  int packed_outputs;              // of which there are weights
  AlignedVector<int16_t> weights;  // [row][pair of the three columns' inputs][output][2]
  AlignedVector<int32_t> starts;   // by output: what products are added to
  AlignedVector<int32_t> shifts;   // by output: to the right, after that
};

// What becomes of an output r, which is limited to 16 bits before.
enum class OutputRule : uint8_t {
  kPlain,  // it is the result
  kRelu,   // 0 takes the place of what is negative
  kAdded,  // it is added to a value of an earlier layer, limited to 16 bits
};

// Rows of positions, the values of each one behind the other.
struct ConvolvedRow {
  // The row above, the row itself, the row below: each from the position before the first on, for
  // width + 2 positions of `inputs` values.
  std::array<const int16_t*, 3> from;
  int width;  // positions
  OutputRule rule;
  const int16_t* added;  // for kAdded: width positions of `outputs` values
  int16_t* to;           // width positions of `outputs` values
};

// Computes a row of a layer.
void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_CONVOLUTION_H_
