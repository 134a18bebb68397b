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

int Logit(const FlagNetwork& network, int level, const FlagInputs& inputs) {
  constexpr int kShift = FlagNetwork::kWeightBits;
  const hn::CappedTag<int32_t, FlagNetwork::kUnits> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto pair_at = [&](int pair) {
    int32_t two;
    std::memcpy(&two, &inputs[2 * pair], sizeof two);
    return hn::Set(d, two);
  };
  const auto load_pairs = [&](const int16_t* pairs) {
    return hn::LoadU(d, reinterpret_cast<const int32_t*>(pairs));
  };

  // The logit with kShift more bits behind the point: what goes past the units, and they.
  auto total = hn::Zero(d);
  for (int pair = 0; pair < kFlagInputs / 2; pair += lanes)
    total =
        PairDotAdd(d, total, load_pairs(&network.direct[2 * pair]), load_pairs(&inputs[2 * pair]));
  total = hn::ShiftLeft<kToUnit>(total);
  const auto add = [&](auto sum, int pair, int u) {
    return PairDotAdd(d, sum, pair_at(pair), load_pairs(network.hidden[pair][u]));
  };
  // The units from `u` on, of which `sum` is.
  const auto add_units = [&](auto sum, int u) {
    const auto bias = hn::PromoteTo(d, hn::LoadU(d16, network.hidden_bias[level] + u));
    const auto unit = hn::Add(hn::ShiftRight<kToUnit>(sum), bias);
    const auto limited = hn::Min(hn::Max(unit, hn::Zero(d)), hn::Set(d, kMostUnit));
    const auto output = hn::PromoteTo(d, hn::LoadU(d16, network.output + u));
    total = hn::Add(total, hn::Mul(limited, output));
  };
  // Four sums at a time, none of which waits for another: of two vectors of units, at `u` and `v`,
  // by the same two pairs, which are loaded once for both; or of all units by four pairs.
  constexpr bool kOneVector = hn::MaxLanes(d) == FlagNetwork::kUnits;
  constexpr int kPairsApart = kOneVector ? 2 : 0;
  const int apart = kOneVector ? 0 : lanes;
  for (int u = 0; u < FlagNetwork::kUnits; u += lanes + apart) {
    const int v = u + apart;
    auto first = hn::Zero(d), second = first, third = first, fourth = first;
    for (int pair = 0; pair < kFlagInputs / 2; pair += 2 + kPairsApart) {
      first = add(first, pair, u);
      second = add(second, pair + 1, u);
      third = add(third, pair + kPairsApart, v);
      fourth = add(fourth, pair + kPairsApart + 1, v);
    }
    const auto sum_u = hn::Add(first, second), sum_v = hn::Add(third, fourth);
    if constexpr (kOneVector) {
      add_units(hn::Add(sum_u, sum_v), u);
    } else {
      add_units(sum_u, u);
      add_units(sum_v, v);
    }
  }
  const int32_t sum =
      network.bias[level] * (1 << kLogitBits) + hn::GetLane(hn::SumOfLanes(d, total));
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
