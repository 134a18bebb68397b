#include "codec/tile/flag_network.h"

#include <algorithm>

#include "codec/bitstream/logistic.h"

namespace mmp {
namespace {

constexpr FlagNetwork kNetworks[kFlagDecisions] = {
#include "codec/tile/flag_weights.inc"
};

constexpr int kInputBits = kStretchBits;
constexpr int kSumBits = kInputBits + FlagNetwork::kWeightBits;  // of products with inputs
constexpr int kMostUnit = (8 << kLogitBits) - 1;                 // of a hidden unit, as of a logit

// Compilers make vector instructions of it.
int32_t Dot(const int16_t (&weights)[kFlagInputs], const FlagInputs& inputs) {
  int32_t sum = 0;
  for (int i = 0; i < kFlagInputs; ++i) sum += int32_t{weights[i]} * inputs[i];
  return sum;
}

}  // namespace

int FlagNetwork::Logit(int level, const FlagInputs& inputs) const {
  constexpr int kToUnit = kSumBits - kLogitBits;
  int32_t sum = (bias[level] * (1 << kLogitBits)) + Dot(direct, inputs) * (1 << kToUnit);
  for (int k = 0; k < kUnits; ++k) {
    const int32_t unit = (Dot(hidden[k], inputs) >> kToUnit) + hidden_bias[level][k];
    sum += output[k] * std::clamp(unit, 0, kMostUnit);
  }
  constexpr int kShift = kWeightBits;
  return LimitLogit((sum + (1 << (kShift - 1))) >> kShift);
}

const FlagNetwork& NetworkOf(FlagDecision decision) {
  return kNetworks[static_cast<int>(decision)];
}

}  // namespace mmp
