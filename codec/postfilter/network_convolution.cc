#include "codec/postfilter/network_convolution.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/postfilter/network_convolution.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include "codec/base/pair_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // its vectors cannot hold both halves

// Lanes from number `first` on, kMostLanes of them.
void ConvolveLanes(const PackedLayer& layer, const ConvolvedRow& row, int column, int first) {
  constexpr int kHalves = FoldedRow::kHalves, kLanes = PackedLayer::kMostLanes;
  const int lanes = layer.lanes(), values = layer.inputs * kHalves;
  int32_t sum[kLanes];
  std::copy_n(&layer.starts[first], kLanes, sum);
  const int16_t* weights = &layer.weights[2 * first];
  for (const int16_t* from_row : row.from) {
    const int16_t* from = from_row + static_cast<size_t>(column) * values;
    for (int k = 0; k < 3 * values; k += 2 * kHalves, weights += 2 * lanes)
      for (int i = 0; i < kLanes; i += kHalves)
        for (int half = 0; half < kHalves; ++half)
          sum[i + half] += weights[2 * (i + half)] * from[k + 2 * half] +
                           weights[2 * (i + half) + 1] * from[k + 2 * half + 1];
  }
  for (int i = 0; i < kLanes; ++i) {
    const int lane = first + i;
    const size_t at =
        static_cast<size_t>(column) * lanes + FoldedRow::Index(lane / kHalves, lane % kHalves);
    const int added = row.rule == OutputRule::kAdded ? row.added[at] : 0;
    row.to[at] = OutputOf(sum[i], layer.shifts[lane], row.rule, added);
  }
}

void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row) {
  for (int column = 0; column < row.columns; ++column)
    for (int lane = 0; lane < layer.lanes(); lane += PackedLayer::kMostLanes)
      ConvolveLanes(layer, row, column, lane);
}

#else

using D32 = hn::CappedTag<int32_t, PackedLayer::kMostLanes>;
using V32 = hn::Vec<D32>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D32()));

// How many accumulators there are: enough to keep the multipliers busy and few enough for 32 or 16
// registers. They are of four vectors of outputs at a time, if that comes out even, or else of
// three.
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
constexpr int kAccumulators = 24;
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr int kAccumulators = 21;
#else
constexpr int kAccumulators = 12;
#endif
// How many columns are computed at once.
constexpr int TileColumns(int vectors) { return std::min(kAccumulators / vectors, 16); }

// Two values of a column's left position and two of its right one, over and over.
HWY_INLINE V32 LoadPairs(const int16_t* values) {
  const hn::Repartition<int64_t, D32> d;
  int64_t pairs;
  std::memcpy(&pairs, values, sizeof(pairs));
  return hn::BitCast(D32(), hn::Set(d, pairs));
}

// From left, right, left, right to pairs of each.
template <class D16>
HWY_INLINE hn::Vec<D16> InPairs(D16 d, hn::Vec<D16> values) {
  const hn::Repartition<uint8_t, D16> d8;
  alignas(16) static constexpr uint8_t kOrder[16] = {0, 1, 4,  5,  2,  3,  6,  7,
                                                     8, 9, 12, 13, 10, 11, 14, 15};
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, values), hn::LoadDup128(d8, kOrder)));
}

// Columns from number `x` on, lanes from number `lane` on, which are outputs of both halves.
// kInputs: of a position, if that is known here, as then one register is enough to find the values
// of all columns; else 0.
template <int kInputs, int kColumns, int kVectors>
HWY_INLINE void ConvolveTile(const PackedLayer& layer, const ConvolvedRow& row, int x, int lane) {
  const D32 d;
  const hn::Rebind<int16_t, D32> d16;
  const int inputs = kInputs > 0 ? kInputs : layer.inputs, pairs = 3 * inputs / 2;
  const int lanes = layer.lanes();
  V32 sum[kColumns][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const V32 start = hn::LoadU(d, layer.starts.data() + lane + v * kLanes);
    for (int p = 0; p < kColumns; ++p) sum[p][v] = start;
  }
  const int32_t* weights = reinterpret_cast<const int32_t*>(layer.weights.data()) + lane;
  for (const int16_t* from_row : row.from) {
    const int16_t* from = from_row + static_cast<size_t>(x) * inputs * FoldedRow::kHalves;
    for (int k = 0; k < pairs; ++k, weights += lanes) {
      V32 weight[kVectors];
      for (int v = 0; v < kVectors; ++v) weight[v] = hn::LoadU(d, weights + v * kLanes);
      for (int p = 0; p < kColumns; ++p) {
        const V32 values = LoadPairs(from + (p * inputs + 2 * k) * FoldedRow::kHalves);
        for (int v = 0; v < kVectors; ++v) sum[p][v] = PairDotAdd(d, sum[p][v], values, weight[v]);
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    const int first = lane + v * kLanes;
    const V32 shift = hn::LoadU(d, layer.shifts.data() + first);
    for (int p = 0; p < kColumns; ++p) {
      const size_t at = static_cast<size_t>(x + p) * lanes + first;
      auto value = InPairs(d16, hn::DemoteTo(d16, hn::Shr(sum[p][v], shift)));
      if (row.rule == OutputRule::kRelu) value = hn::Max(value, hn::Zero(d16));
      if (row.rule == OutputRule::kAdded)
        value = hn::SaturatedAdd(value, hn::LoadU(d16, row.added + at));
      hn::StoreU(value, d16, row.to + at);
    }
  }
}

template <int kInputs, int kVectors>
HWY_INLINE void ConvolveLanes(const PackedLayer& layer, const ConvolvedRow& row, int lane) {
  constexpr int kColumns = TileColumns(kVectors);
  int x = 0;
  for (; x + kColumns <= row.columns; x += kColumns)
    ConvolveTile<kInputs, kColumns, kVectors>(layer, row, x, lane);
  if (x == row.columns) return;
  if (row.columns >= kColumns)  // some once more
    return ConvolveTile<kInputs, kColumns, kVectors>(layer, row, row.columns - kColumns, lane);
  for (; x < row.columns; ++x) ConvolveTile<kInputs, 1, kVectors>(layer, row, x, lane);
}

template <int kInputs>
void ConvolveInputs(const PackedLayer& layer, const ConvolvedRow& row) {
  const int vectors = layer.lanes() / kLanes;
  int vector = 0;
  if (vectors % 4 == 0)
    for (; vector < vectors; vector += 4) ConvolveLanes<kInputs, 4>(layer, row, vector * kLanes);
  for (; vector + 3 <= vectors; vector += 3) ConvolveLanes<kInputs, 3>(layer, row, vector * kLanes);
  if (vectors - vector == 2) ConvolveLanes<kInputs, 2>(layer, row, vector * kLanes);
  if (vectors - vector == 1) ConvolveLanes<kInputs, 1>(layer, row, vector * kLanes);
}

void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row) {
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  // Elsewhere it takes longer.
  switch (layer.inputs) {
    case kNetworkInputs:
      return ConvolveInputs<kNetworkInputs>(layer, row);
    case ShapeOfNetwork(NetworkKind::kSmall).channels:
      return ConvolveInputs<ShapeOfNetwork(NetworkKind::kSmall).channels>(layer, row);
    case ShapeOfNetwork(NetworkKind::kLarge).channels:
      return ConvolveInputs<ShapeOfNetwork(NetworkKind::kLarge).channels>(layer, row);
  }
#endif
  ConvolveInputs<0>(layer, row);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

namespace {

int RoundUp(int value, int unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

PackedLayer::PackedLayer(const NetworkLayer& layer, int level)
    : inputs(layer.inputs),
      outputs(RoundUp(layer.outputs, kOutputGroup)),
      weights(static_cast<size_t>(9) * inputs * lanes()),
      starts(lanes()),
      shifts(lanes()) {
  constexpr int kHalves = FoldedRow::kHalves;
  for (int output = 0; output < layer.outputs; ++output) {
    for (int half = 0; half < kHalves; ++half) {
      const int lane = output * kHalves + half;
      shifts[lane] = layer.shifts[output];
      starts[lane] = layer.Start(output, level);
      int16_t* to = &weights[2 * lane];
      for (int tap = 0; tap < 9; ++tap) {
        const int of_half = half == 0 ? tap : tap + 2 - 2 * (tap % 3);
        const int8_t* from = &layer.weights[(size_t{9} * output + of_half) * inputs];
        for (int k = 0; k < inputs; k += 2, to += 2 * lanes()) {
          to[0] = static_cast<int16_t>(+from[k]);
          to[1] = static_cast<int16_t>(+from[k + 1]);
        }
      }
    }
  }
}

HWY_EXPORT(ConvolveRow);

void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row) {
  HWY_DYNAMIC_DISPATCH(ConvolveRow)(layer, row);
}

}  // namespace mmp
#endif  // HWY_ONCE
