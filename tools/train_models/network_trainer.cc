#include "tools/train_models/network_trainer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "codec/bitstream/logistic.h"

namespace mmp {
namespace {

constexpr float kMost = 8;  // of a unit, and of a logit either way

float Logistic(float logit) { return 1 / (1 + std::exp(-logit)); }

float Bits(float logit, int bit) { return -std::log2(Logistic(bit != 0 ? logit : -logit)); }

// Quantised, with a comma behind it.
std::string Number(float weight) {
  constexpr float kUnit = 1 << FlagNetwork::kWeightBits;
  const long most = FlagNetwork::kMostWeight;
  return std::to_string(std::clamp(std::lround(weight * kUnit), -most, most)) + ",";
}

// In braces, `of(i)` being the text of element i with a comma behind it. So has what is returned.
template <typename Of>
std::string List(int count, Of of) {
  std::string text;
  for (int i = 0; i < count; ++i) text += of(i);
  return "{" + text + "},";
}

}  // namespace

void NetworkTrainer::Weight::Move(float gradient, float rate) {
  constexpr float kMemory = 0.9999f, kShare = 0.01f;
  square = square * kMemory + gradient * gradient * kShare;
  value += rate * gradient / std::sqrt(square + 1e-8f);
}

NetworkTrainer::NetworkTrainer() {
  const auto uniform = [&] { return static_cast<float>(random_() >> 8) / (1 << 24) - 0.5f; };
  for (auto& weights : hidden_)
    for (Weight& weight : weights) weight.value = 0.18f * uniform();
  for (auto& biases : hidden_bias_)
    for (Weight& bias : biases) bias.value = 0.05f;
  for (Weight& weight : output_) weight.value = 0.5f * uniform();
}

NetworkTrainer::Forward NetworkTrainer::Predict(const FlagSample& sample) const {
  Forward forward;
  constexpr float kUnit = 1 << kStretchBits;
  for (int i = 0; i < kFlagInputs; ++i)
    forward.inputs[i] = static_cast<float>(sample.inputs[i]) / kUnit;
  const auto dot = [&](const Weight(&weights)[kFlagInputs]) {
    float sums[8] = {};
    for (int i = 0; i < kFlagInputs; ++i) sums[i % 8] += weights[i].value * forward.inputs[i];
    return std::accumulate(sums, sums + 8, 0.0f);
  };
  float logit = bias_[sample.level].value + dot(direct_);
  for (int k = 0; k < kUnits; ++k) {
    forward.units[k] =
        std::clamp(dot(hidden_[k]) + hidden_bias_[sample.level][k].value, 0.0f, kMost);
    logit += output_[k].value * forward.units[k];
  }
  forward.logit = std::clamp(logit, -kMost, kMost);
  return forward;
}

void NetworkTrainer::Learn(const FlagSample& sample, const Forward& forward, float error,
                           float rate) {
  for (int k = 0; k < kUnits; ++k) {
    const float unit = forward.units[k];
    if (unit <= 0) continue;
    const float gradient = error * output_[k].value;
    output_[k].Move(error * unit, rate);
    if (unit >= kMost) continue;
    hidden_bias_[sample.level][k].Move(gradient, rate);
    for (int i = 0; i < kFlagInputs; ++i) hidden_[k][i].Move(gradient * forward.inputs[i], rate);
  }
  for (int i = 0; i < kFlagInputs; ++i) direct_[i].Move(error * forward.inputs[i], rate);
  bias_[sample.level].Move(error, rate);
}

double NetworkTrainer::Epoch(const std::vector<FlagSample>& samples, float rate) {
  std::vector<uint32_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0u);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[uint64_t{random_()} * i >> 32]);
  double bits = 0;
  for (const uint32_t number : order) {
    const FlagSample& sample = samples[number];
    const Forward forward = Predict(sample);
    bits += Bits(forward.logit, sample.bit);
    Learn(sample, forward, sample.bit - Logistic(forward.logit), rate);
  }
  return bits / static_cast<double>(std::max<size_t>(samples.size(), 1));
}

double NetworkTrainer::Cost(const std::vector<FlagSample>& samples) const {
  double bits = 0;
  for (const FlagSample& sample : samples) bits += Bits(Predict(sample).logit, sample.bit);
  return bits / static_cast<double>(std::max<size_t>(samples.size(), 1));
}

std::string NetworkTrainer::Text() const {
  const auto numbers = [](const auto& weights) {
    return List(static_cast<int>(std::size(weights)),
                [&](int i) { return Number(weights[i].value); });
  };
  const auto rows = [&](int count, auto row) {
    return List(count, [&](int i) { return row(i) + "\n"; }) + "\n";
  };
  // Two inputs side by side, as FlagNetwork has them.
  const auto pairs = [&](int pair) {
    return List(kUnits, [&](int u) {
      return List(2, [&](int i) { return Number(hidden_[u][2 * pair + i].value); });
    });
  };
  return "{" + rows(kFlagInputs / 2, pairs) +
         rows(kLevelCount, [&](int level) { return numbers(hidden_bias_[level]); }) +
         numbers(output_) + "\n" + numbers(direct_) + "\n" + numbers(bias_) + "},\n";
}

}  // namespace mmp
