#include "codec/postfilter/network_convolution.h"

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

using D32 = hn::CappedTag<int32_t, PackedLayer::kMostLanes>;
using V32 = hn::Vec<D32>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D32()));

// How many vectors of outputs are computed at once, at most, and how many accumulators there are:
// enough to keep the multipliers busy and few enough for 32 or 16 registers.
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
constexpr int kMostTileVectors = 2, kAccumulators = 16;
#elif HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr int kMostTileVectors = 2, kAccumulators = 12;
#else
constexpr int kMostTileVectors = 3, kAccumulators = 12;
#endif
// Of how many positions.
constexpr int TilePositions(int vectors) { return kAccumulators / vectors; }

HWY_INLINE int32_t LoadPair(const int16_t* values) {
  int32_t pair;
  std::memcpy(&pair, values, sizeof(pair));
  return pair;
}

// Of as many outputs as `d` has lanes.
template <class D>
HWY_INLINE void StoreOutputs(D d, const ConvolvedRow& row, size_t at, hn::Vec<D> value) {
  if (row.rule == OutputRule::kRelu) value = hn::Max(value, hn::Zero(d));
  if (row.rule == OutputRule::kAdded) value = hn::SaturatedAdd(value, hn::LoadU(d, row.added + at));
  hn::StoreU(value, d, row.to + at);
}

// Positions from number `x` on, outputs from number `output` on. kInputs: of a position, if that is
// known here, as then one register is enough to find the values of all positions; else 0.
template <int kInputs, int kPositions, int kVectors>
HWY_INLINE void ConvolveTile(const PackedLayer& layer, const ConvolvedRow& row, int x, int output) {
  const D32 d;
  const hn::Rebind<int16_t, D32> d16;
  const int inputs = kInputs > 0 ? kInputs : layer.inputs, pairs = 3 * inputs / 2;
  V32 sum[kPositions][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const V32 start = hn::LoadU(d, layer.starts.data() + output + v * kLanes);
    for (int p = 0; p < kPositions; ++p) sum[p][v] = start;
  }
  const int32_t* weights = reinterpret_cast<const int32_t*>(layer.weights.data()) + output;
  for (const int16_t* from_row : row.from) {
    const int16_t* from = from_row + static_cast<size_t>(x) * inputs;
    for (int k = 0; k < pairs; ++k, weights += layer.packed_outputs) {
      V32 weight[kVectors];
      for (int v = 0; v < kVectors; ++v) weight[v] = hn::LoadU(d, weights + v * kLanes);
      for (int p = 0; p < kPositions; ++p) {
        const V32 values = hn::Set(d, LoadPair(from + p * inputs + 2 * k));
        for (int v = 0; v < kVectors; ++v) sum[p][v] = PairDotAdd(d, sum[p][v], values, weight[v]);
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    const int first = output + v * kLanes;
    const V32 shift = hn::LoadU(d, layer.shifts.data() + first);
    for (int p = 0; p < kPositions; ++p) {
      const size_t at = static_cast<size_t>(x + p) * layer.outputs + first;
      const auto value = hn::DemoteTo(d16, hn::Shr(sum[p][v], shift));
      if constexpr (kLanes > PackedLayer::kOutputGroup) {
        if (first + kLanes > layer.outputs) {  // what is behind belongs to the next position
          const hn::Half<decltype(d16)> half;
          StoreOutputs(half, row, at, hn::LowerHalf(half, value));
          continue;
        }
      }
      StoreOutputs(d16, row, at, value);
    }
  }
}

template <int kInputs, int kVectors>
HWY_INLINE void ConvolveOutputs(const PackedLayer& layer, const ConvolvedRow& row, int output) {
  constexpr int kPositions = TilePositions(kVectors);
  int x = 0;
  for (; x + kPositions <= row.width; x += kPositions)
    ConvolveTile<kInputs, kPositions, kVectors>(layer, row, x, output);
  if (x == row.width) return;
  if (row.width >= kPositions)  // some once more
    return ConvolveTile<kInputs, kPositions, kVectors>(layer, row, row.width - kPositions, output);
  for (; x < row.width; ++x) ConvolveTile<kInputs, 1, kVectors>(layer, row, x, output);
}

template <int kInputs>
void ConvolveInputs(const PackedLayer& layer, const ConvolvedRow& row) {
  const int vectors = (layer.outputs + kLanes - 1) / kLanes;
  int vector = 0;
  for (; vector + kMostTileVectors <= vectors; vector += kMostTileVectors)
    ConvolveOutputs<kInputs, kMostTileVectors>(layer, row, vector * kLanes);
  if (vectors - vector == 2) ConvolveOutputs<kInputs, 2>(layer, row, vector * kLanes);
  if (vectors - vector == 1) ConvolveOutputs<kInputs, 1>(layer, row, vector * kLanes);
}

void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row) {
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  // Elsewhere it takes longer.
  switch (layer.inputs) {
    case kNetworkInputs:
      return ConvolveInputs<kNetworkInputs>(layer, row);
    case ShapeOfNetwork(NetworkSize::kSmall).channels:
      return ConvolveInputs<ShapeOfNetwork(NetworkSize::kSmall).channels>(layer, row);
    case ShapeOfNetwork(NetworkSize::kLarge).channels:
      return ConvolveInputs<ShapeOfNetwork(NetworkSize::kLarge).channels>(layer, row);
  }
#endif
  ConvolveInputs<0>(layer, row);
}

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
      packed_outputs(RoundUp(layer.outputs, kMostLanes)),
      weights(static_cast<size_t>(9) * inputs * packed_outputs),
      starts(packed_outputs),
      shifts(packed_outputs) {
  for (int output = 0; output < layer.outputs; ++output) {
    shifts[output] = layer.shifts[output];
    starts[output] = layer.biases[output] + layer.slopes[output] * (level - kNetworkMiddleLevel) +
                     (1 << (layer.shifts[output] - 1));  // rounds
    const int8_t* from = &layer.weights[static_cast<size_t>(output) * 9 * inputs];
    for (int k = 0; k < 9 * inputs; ++k)
      weights[2 * (static_cast<size_t>(k / 2) * packed_outputs + output) + k % 2] =
          static_cast<int16_t>(+from[k]);
  }
}

HWY_EXPORT(ConvolveRow);

void ConvolveRow(const PackedLayer& layer, const ConvolvedRow& row) {
  HWY_DYNAMIC_DISPATCH(ConvolveRow)(layer, row);
}

}  // namespace mmp
#endif  // HWY_ONCE
