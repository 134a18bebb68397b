#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/tile/flag_network.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <cstring>

#include "codec/base/pair_dot-inl.h"
#include "codec/bitstream/logistic.h"
#include "codec/tile/flag_network.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums of products with inputs have so many bits behind the point; logits and units have fewer.
constexpr int kSumBits = kStretchBits + FlagNetwork::kWeightBits;
constexpr int kToUnit = kSumBits - kLogitBits;
constexpr int kMostUnit = kMostLogit;

// The sum over i of weights[i] inputs[i].
HWY_INLINE int32_t Dot(const FlagInputs& weights, const FlagInputs& inputs) {
  const hn::CappedTag<int32_t, kFlagInputs / 2> d;
  const auto load = [&](const FlagInputs& values, int pair) {
    return hn::LoadU(d, reinterpret_cast<const int32_t*>(values.data()) + pair);
  };
  auto sum = hn::Zero(d);
  for (int pair = 0; pair < kFlagInputs / 2; pair += static_cast<int>(hn::Lanes(d)))
    sum = PairDotAdd(d, sum, load(weights, pair), load(inputs, pair));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// What the units add to the logit, with kWeightBits more behind the point.
HWY_INLINE int32_t SumUnits(const FlagNetwork& network, int level, const FlagInputs& inputs) {
  const hn::CappedTag<int32_t, FlagNetwork::kUnits> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const auto most = hn::Set(d, kMostUnit);
  auto total = hn::Zero(d);
  for (int u = 0; u < FlagNetwork::kUnits; u += static_cast<int>(hn::Lanes(d))) {
    auto even = hn::Zero(d), odd = hn::Zero(d);
    const auto add = [&](auto sum, int pair) {
      int32_t two;
      std::memcpy(&two, &inputs[2 * pair], sizeof two);
      const auto* weights = reinterpret_cast<const int32_t*>(network.hidden[pair][u]);
      return PairDotAdd(d, sum, hn::Set(d, two), hn::LoadU(d, weights));
    };
    for (int pair = 0; pair < kFlagInputs / 2; pair += 2) {
      even = add(even, pair);
      odd = add(odd, pair + 1);
    }
    const auto bias = hn::PromoteTo(d, hn::LoadU(d16, network.hidden_bias[level] + u));
    const auto unit = hn::Add(hn::ShiftRight<kToUnit>(hn::Add(even, odd)), bias);
    const auto limited = hn::Min(hn::Max(unit, hn::Zero(d)), most);
    const auto output = hn::PromoteTo(d, hn::LoadU(d16, network.output + u));
    total = hn::Add(total, hn::Mul(limited, output));
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
}

int Logit(const FlagNetwork& network, int level, const FlagInputs& inputs) {
  constexpr int kShift = FlagNetwork::kWeightBits;
  const int32_t past = Dot(network.direct, inputs) * (1 << kToUnit);
  const int32_t sum =
      network.bias[level] * (1 << kLogitBits) + past + SumUnits(network, level, inputs);
  return LimitLogit((sum + (1 << (kShift - 1))) >> kShift);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {
namespace {

HWY_EXPORT(Logit);

constexpr FlagNetwork kNetworks[kFlagDecisions] = {
#include "codec/tile/flag_weights.inc"
};

}  // namespace

int FlagNetwork::Logit(int level, const FlagInputs& inputs) const {
  return HWY_DYNAMIC_DISPATCH(Logit)(*this, level, inputs);
}

int FlagNetwork::PlainLogit(int level, const FlagInputs& inputs) const {
  int64_t sum = 256 * bias[level] + 128;
  for (int i = 0; i < kFlagInputs; ++i) sum += 16 * direct[i] * inputs[i];
  for (int u = 0; u < kUnits; ++u) {
    int64_t unit = 0;
    for (int i = 0; i < kFlagInputs; ++i) unit += hidden[i / 2][u][i % 2] * inputs[i];
    unit = (unit >> 4) + hidden_bias[level][u];
    sum += output[u] * std::clamp<int64_t>(unit, 0, 2047);
  }
  return static_cast<int>(std::clamp<int64_t>(sum >> 8, -2047, 2047));
}

const FlagNetwork& NetworkOf(FlagDecision decision) {
  return kNetworks[static_cast<int>(decision)];
}

}  // namespace mmp
#endif  // HWY_ONCE
