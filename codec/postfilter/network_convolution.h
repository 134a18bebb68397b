// The convolutions of the network filter, with SIMD.
#ifndef MMP_CODEC_POSTFILTER_NETWORK_CONVOLUTION_H_
#define MMP_CODEC_POSTFILTER_NETWORK_CONVOLUTION_H_

#include <array>
#include <cstdint>

#include "codec/postfilter/network_arithmetic.h"
#include "codec/postfilter/network_weights.h"
#include "common/aligned_vector.h"

namespace mmp {

// Rows are folded in the middle: a column is a position counted from the left, and the same one
// counted from the right, whose layers' weights are mirrored. So one pair of 16-bit values of both
// is what a vector is filled with, and 24 channels fill vectors of 16 lanes. A column has its
// values by pairs: two of the left position, the same two of the right one, the next two of the
// left.
struct FoldedRow {
  static constexpr int kHalves = 2;

  // Of value `value` of a column's left (0) or right (1) position, behind its first.
  static constexpr int Index(int value, int half) {
    return (value / 2 * kHalves + half) * 2 + value % 2;
  }
};

// A layer at a level of noise, in the order in which it is computed.
struct PackedLayer {
  // Outputs are filled up with zeros to a multiple of this, which fills the longest vectors.
  static constexpr int kOutputGroup = 8;
  static constexpr int kMostLanes = kOutputGroup * FoldedRow::kHalves;

  PackedLayer(const NetworkLayer& layer, int level);

  // One for each output of each half.
  int lanes() const { return outputs * FoldedRow::kHalves; }

  int inputs, outputs;             // values of a position; the outputs with those filled up
  AlignedVector<int16_t> weights;  // [row][pair of the three columns' inputs][output][half][2]
  AlignedVector<int32_t> starts;   // by output and half: what products are added to
  AlignedVector<int32_t> shifts;   // by output and half: to the right, after that
};

// Folded rows, one column behind the other.
struct ConvolvedRow {
  // The row above, the row itself, the row below: each from the column before the first on, for
  // columns + 2 columns of 2 * `inputs` values.
  std::array<const int16_t*, 3> from;
  int columns;
  OutputRule rule;
  const int16_t* added;  // for kAdded: columns of 2 * `outputs` values
  int16_t* to;           // columns of 2 * `outputs` values
};

// Computes a row of a layer.
void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_CONVOLUTION_H_
