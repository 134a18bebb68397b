// The solve of block least squares by 32 lanes in step: what SolveBlockLsp of block_lsp.h does,
// with its bits. A device runs it on the lanes of a warp; tests run the same text on 32 values side
// by side, so that a difference is found where there is no device.
//
// `Lanes` is what runs it:
//   Lanes::Double             a number in each lane, with the operators of numbers and Min and Max
//   lanes.Each(f)             the Double that is f(lane) in each lane
//   lanes.Of(v, lane)         what `lane` has of v, in all lanes
//   lanes.Put(lane, a, b)     a in that lane, b in the others
//   lanes.Store(v, place)     place(lane) = v in each lane; lanes that share a place have one value
//   lanes.Sync()              what was stored is there for all lanes
// A lane that is given by number is the same for all.
#ifndef MMP_CODEC_INTRA_BLOCK_LSP_BY_LANES_H_
#define MMP_CODEC_INTRA_BLOCK_LSP_BY_LANES_H_

#include <cstdint>

#include "codec/intra/block_lsp.h"
#include "common/host_device.h"

namespace mmp {

// What the lanes share: the rows of the equations, once they are eliminated.
struct BlockLspRows {
  double element[kBlockLspOrder][kBlockLspOrder + 1];
};

// The solution before it is quantised, weight k in lane k. `sum(t)`: term t of the normal equations
// without the ridge. A lane has a column of the equations, those from lane kBlockLspOrder on the
// right side; every element meets the operations of SolveLspWeights in their order. Loops are kept
// short: code that runs but once waits for its instructions.
template <typename Lanes, typename SumFn>
MMP_HOST_DEVICE inline typename Lanes::Double SolveBlockLspByLanes(const Lanes& lanes, SumFn sum,
                                                                   BlockLspRows& eliminated) {
  using Double = typename Lanes::Double;
  constexpr int kOrder = kBlockLspOrder;
  auto column = [](int lane) { return lane < kBlockLspOrder ? lane : kBlockLspOrder; };
  // The rows not yet eliminated, the next one first. Those beyond the last, and a column's below
  // the diagonal, have no meaning.
  Double rows[kOrder];
  MMP_DEVICE_UNROLL
  for (int r = 0; r < kOrder; ++r)
    rows[r] = lanes.Each([&](int lane) {
      const int t = BlockLspTerm(r, column(lane));
      return static_cast<double>(sum(t) + BlockLspRidgeOf(r, column(lane)));
    });
  Double own_inverse(0.0);
  MMP_DEVICE_KEEP_LOOP
  for (int k = 0; k < kOrder; ++k) {
    const Double first = rows[0];
    const Double inverse = Double(1.0) / lanes.Of(first, k);
    own_inverse = lanes.Put(k, inverse, own_inverse);
    lanes.Store(first, [&](int lane) -> double& { return eliminated.element[k][column(lane)]; });
    const Double scaled = first * inverse;
    MMP_DEVICE_UNROLL
    for (int r = 1; r < kOrder; ++r) rows[r - 1] = rows[r] - lanes.Of(scaled, k + r) * first;
  }
  lanes.Sync();
  Double own_weight(0.0);
  MMP_DEVICE_KEEP_LOOP
  for (int r = kOrder - 1; r >= 0; --r) {
    const Double row = lanes.Each([&](int lane) { return eliminated.element[r][column(lane)]; });
    const Double product = row * own_weight;
    Double value(eliminated.element[r][kOrder]);
    MMP_DEVICE_UNROLL
    for (int c = 1; c < kOrder; ++c) {
      if (r + c >= kOrder) break;
      value = value - lanes.Of(product, r + c);
    }
    own_weight = lanes.Put(r, value * lanes.Of(own_inverse, r), own_weight);
  }
  return own_weight;
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_BLOCK_LSP_BY_LANES_H_
