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

// sums[u] = the sum over i of the weight of input i in unit u, times that input.
void SumHidden(const FlagNetwork& network, const FlagInputs& inputs, int32_t* sums) {
  const hn::CappedTag<int32_t, FlagNetwork::kUnits> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const int lanes = static_cast<int>(hn::Lanes(d));
  static_assert(FlagNetwork::kUnits % kLanes == 0);
  for (int u = 0; u < FlagNetwork::kUnits; u += lanes) {
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
    hn::StoreU(hn::Add(even, odd), d, sums + u);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {
namespace {

HWY_EXPORT(SumHidden);

constexpr FlagNetwork kNetworks[kFlagDecisions] = {
#include "codec/tile/flag_weights.inc"
};

constexpr int kSumBits = kStretchBits + FlagNetwork::kWeightBits;  // of products with inputs
constexpr int kMostUnit = kMostLogit;

}  // namespace

int FlagNetwork::Logit(int level, const FlagInputs& inputs) const {
  constexpr int kToUnit = kSumBits - kLogitBits;
  int32_t sums[kUnits];
  HWY_DYNAMIC_DISPATCH(SumHidden)(*this, inputs, sums);
  int32_t past = 0;
  for (int i = 0; i < kFlagInputs; ++i) past += int32_t{direct[i]} * inputs[i];
  int32_t sum = (bias[level] * (1 << kLogitBits)) + past * (1 << kToUnit);
  for (int u = 0; u < kUnits; ++u)
    sum += output[u] * std::clamp((sums[u] >> kToUnit) + hidden_bias[level][u], 0, kMostUnit);
  return LimitLogit((sum + (1 << (kWeightBits - 1))) >> kWeightBits);
}

const FlagNetwork& NetworkOf(FlagDecision decision) {
  return kNetworks[static_cast<int>(decision)];
}

}  // namespace mmp
#endif  // HWY_ONCE
