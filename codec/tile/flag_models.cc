#include "codec/tile/flag_models.h"

#include <algorithm>

#include "codec/bitstream/logistic.h"

namespace mmp {
namespace {

constexpr int kWeightBits = 16;
constexpr int kRateBits = 9;  // weights follow the error by a 2^9th of it
constexpr int kConstant = 1 << (kLogitBits - 1);
constexpr int kMostMixWeight = 1 << 19;
constexpr int kLeastProbability = 32;

}  // namespace

DecisionModel::DecisionModel(FlagDecision decision) : network_(&NetworkOf(decision)), weights_{} {
  weights_[0] = 1 << kWeightBits;
}

FlagInputs DecisionModel::Inputs(const FlagPlace& place) const {
  FlagInputs inputs;
  auto* next = std::copy(place.features.begin(), place.features.end(), inputs.begin());
  for (const AdaptiveBit& estimates :
       {by_level_[place.level], by_leaves_[place.level][place.leaf_context]}) {
    *next++ = static_cast<int16_t>(Stretch(estimates.slow()));
    *next++ = static_cast<int16_t>(Stretch(estimates.fast()));
  }
  return inputs;
}

DecisionModel::Prediction DecisionModel::Predict(const FlagPlace& place) const {
  const FlagInputs inputs = Inputs(place);
  Prediction prediction;
  prediction.logits[0] = network_->Logit(place.level, inputs);
  for (int k = 1; k < kMixed - 1; ++k)
    prediction.logits[k] = inputs[kFlagFeatures - 1 + k] * (1 << (kLogitBits - kStretchBits));
  prediction.logits[kMixed - 1] = kConstant;
  int64_t sum = 0;
  for (int k = 0; k < kMixed; ++k) sum += int64_t{weights_[k]} * prediction.logits[k];
  const int64_t mixed = std::clamp<int64_t>(sum >> kWeightBits, -kMostLogit, kMostLogit);
  prediction.probability = std::clamp(Squash(static_cast<int>(mixed)), kLeastProbability,
                                      kProbabilityUnit - kLeastProbability);
  return prediction;
}

void DecisionModel::Update(const FlagPlace& place, const Prediction& prediction, int bit) {
  constexpr int kShift = kLogitBits + kRateBits;
  const int error = (bit << kProbabilityBits) - prediction.probability;
  for (int k = 0; k < kMixed; ++k) {
    const int step = (error * prediction.logits[k] + (1 << (kShift - 1))) >> kShift;
    weights_[k] = std::clamp(weights_[k] + step, -kMostMixWeight, kMostMixWeight);
  }
  Count(place, bit);
}

void DecisionModel::Count(const FlagPlace& place, int bit) {
  by_level_[place.level].Update(bit);
  by_leaves_[place.level][place.leaf_context].Update(bit);
}

}  // namespace mmp
