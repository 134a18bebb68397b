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

// What the lanes share: the rows of the equations, once they are eliminated. Behind the right side
// is what has no meaning, so that all rows can be read alike.
struct BlockLspRows {
  double element[kBlockLspOrder][2 * kBlockLspOrder];
};

// The solution before it is quantised, weight k in lane k. `sum(t)`: term t of the normal equations
// without the ridge. A lane has a column of the equations, those from lane kBlockLspOrder on the
// right side; every element meets the operations of SolveLspWeights in their order.
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
  // Lane k inverts the pivot of row k, which it has before the others have their elements of that
  // row. They divide by 1, which is quick.
  Double pivot = lanes.Put(0, rows[0], Double(1.0));
  Double own_inverse(0.0);
  MMP_DEVICE_KEEP_LOOP
  for (int k = 0; k < kOrder; ++k) {
    const Double first = rows[0];
    lanes.Store(first, [&](int lane) -> double& { return eliminated.element[k][column(lane)]; });
    lanes.Sync();
    Double firsts[kOrder];  // of lane k + r
    MMP_DEVICE_UNROLL
    for (int r = 1; r < kOrder; ++r) firsts[r] = Double(eliminated.element[k][k + r]);
    const Double of_pivot = Double(1.0) / pivot;
    own_inverse = lanes.Put(k, of_pivot, own_inverse);
    const Double inverse = lanes.Of(of_pivot, k);
    pivot = lanes.Put(k + 1, rows[1] - first * inverse * first, Double(1.0));
    MMP_DEVICE_UNROLL
    for (int r = 1; r < kOrder; ++r) rows[r - 1] = rows[r] - firsts[r] * inverse * first;
  }
  // From the last row up.
  Double weights[kOrder], own_weight(0.0);
  MMP_DEVICE_UNROLL
  for (int r = kOrder - 1; r >= 0; --r) {
    Double value(eliminated.element[r][kOrder]);
    MMP_DEVICE_UNROLL
    for (int c = r + 1; c < kOrder; ++c)
      value = value - Double(eliminated.element[r][c]) * weights[c];
    weights[r] = value * lanes.Of(own_inverse, r);
    own_weight = lanes.Put(r, weights[r], own_weight);
  }
  return own_weight;
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_BLOCK_LSP_BY_LANES_H_
