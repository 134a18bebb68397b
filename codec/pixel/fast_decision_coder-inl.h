// Per-target include (Highway): binary decisions about a sample of effort 1. Those that say most
// are mixed of two distributions and two contexts, the others follow the distributions alone. With
// exact contexts all are mixed, and one of these is a further input.
#if defined(MMP_CODEC_PIXEL_FAST_DECISION_CODER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_FAST_DECISION_CODER_INL_H_
#undef MMP_CODEC_PIXEL_FAST_DECISION_CODER_INL_H_
#else
#define MMP_CODEC_PIXEL_FAST_DECISION_CODER_INL_H_
#endif

#include <algorithm>
#include <array>
#include <bitset>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/decision_coder-inl.h"
#include "codec/pixel/exact_contexts.h"
#include "codec/pixel/pixel_effort.h"
#include "codec/pixel/pixel_tables.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// As the general one, whose functions it has.
template <>
class DecisionCoder<1> {
 public:
  using Effort = PixelEffort<1>;

  DecisionCoder(const PixelTables& tables, BitPort& port, ExactContexts* exact, int values)
      : tables_(tables), port_(port), exact_(exact), floor_(kFloor / values) {
    label_weights_.fill({Effort::kFirstWeight, Effort::kFirstWeight, 0.0, 0.0});
    exact_weights_.fill(0.3);
  }

  void BeginSample(const SampleModel<1>& model) {
    model_ = &model;
    low_ = 0;
    high_ = model.cells;
    excluded_count_ = 0;
    below_low_ = {0.0, 0.0};
    below_high_ = {1.0, 1.0};
    for (int i = 0; i < kContexts; ++i) contexts_[i] = &Context(i, model.context[i]);
    ++samples_;
    rate_ = 0.002 + 0.02 / (1.0 + static_cast<double>(samples_) * (1.0 / 512.0));
  }

  int low() const { return low_; }
  int high() const { return high_; }

  double MeanInside(int cell) const { return MeanOfComponent(tables_, *model_, cell); }

  bool IsCandidate(int cell, int candidate, int index) {
    const Masses below = Below(candidate), beyond = Below(candidate + 1);
    Masses inside, outside;
    for (int k = 0; k < kComponents; ++k) {
      inside[k] = beyond[k] - below[k];
      outside[k] = 1.0 - inside[k];
      for (int e = 0; e < excluded_count_; ++e) outside[k] = outside[k] - excluded_mass_[e][k];
    }
    excluded_mass_[excluded_count_] = inside;
    excluded_[excluded_count_++] = candidate;
    const int label = kCandidateLabel + index;
    return Mix(cell == candidate, label, label, inside, outside) != 0;
  }

  bool IsUpper(int cell, int split, int label) {
    if (split <= low_) return true;
    if (split >= high_) return false;
    const Masses below = Below(split);
    Masses one, zero;
    for (int k = 0; k < kComponents; ++k) {
      one[k] = below_high_[k] - below[k];
      zero[k] = below[k] - below_low_[k];
    }
    int lower_cells = split - low_, upper_cells = high_ - split;
    for (int e = 0; e < excluded_count_; ++e) {
      if (excluded_[e] < low_ || excluded_[e] >= high_) continue;
      const bool upper = excluded_[e] >= split;
      --(upper ? upper_cells : lower_cells);
      Masses& mass = upper ? one : zero;
      for (int k = 0; k < kComponents; ++k) mass[k] = mass[k] - excluded_mass_[e][k];
    }
    bool upper = lower_cells <= 0;
    if (lower_cells > 0 && upper_cells > 0)
      upper = (exact_ != nullptr || IsMixed(label)
                   ? Mix(cell >= split, label, static_cast<uint32_t>(split) * 40u, one, zero)
                   : Share(cell >= split, one, zero)) != 0;
    if (upper) {
      low_ = split;
      below_low_ = below;
    } else {
      high_ = split;
      below_high_ = below;
    }
    return upper;
  }

 private:
  static constexpr int kComponents = Effort::kComponents;
  static constexpr int kContexts = Effort::kContexts;
  static constexpr int kInputs = kComponents + kContexts;
  static constexpr double kFloor = 1e-4;  // the share of a uniform distribution
  using Masses = std::array<double, kComponents>;
  using Weights = std::array<double, kInputs>;
  struct Adaptive {
    double probability;
    double count;
  };
  using ByLabel = std::array<Adaptive, kLabels>;
  static constexpr size_t kAllContexts = size_t{kContexts} * kContextSize;

  // The last level of the tree and halves say too little for weights to be worth their time.
  static bool IsMixed(int label) {
    return label < kUpperTailLabel / 2 || (label >= kUpperTailLabel && label < kHalfLabel);
  }
  static int LabelGroup(int label) { return label == 1 ? 0 : label < 4 ? 1 : label < 16 ? 2 : 3; }

  // Most contexts never occur in a small picture: their memory is not touched.
  ByLabel& Context(int kind, int context) {
    assert(context >= 0 && context < kContextSize);
    const size_t number = static_cast<size_t>(kind) * kContextSize + static_cast<size_t>(context);
    if (!has_occurred_[number]) {
      has_occurred_[number] = true;
      by_context_[number].fill({0.5, 0.0});
    }
    return by_context_[number];
  }

  // The share of each component below the lower edge of `cell`.
  Masses Below(int cell) const {
    const double edge = model_->base + static_cast<double>(cell) * model_->step;
    const double floor = static_cast<double>(cell) * floor_;
    Masses below;
    for (int k = 0; k < kComponents; ++k)
      below[k] = ShareBelow(tables_, *model_, edge, k) * (1.0 - kFloor) + floor;
    return below;
  }

  int Code(int bit, double probability) {
    return port_.Bit(bit, static_cast<uint32_t>(std::min(
                              std::max(static_cast<int>(probability * 65536.0), 1), 65535)));
  }

  // A decision by what the components say on the mean, the first one counting twice.
  int Share(int bit, const Masses& one, const Masses& zero) {
    const double ones = std::max(one[0] * 2.0 + one[1], 1e-12);
    const double zeros = std::max(zero[0] * 2.0 + zero[1], 1e-12);
    return Code(bit, ones / (ones + zeros));
  }

  double Stretch(double one, double zero) const {
    return TableLog2(tables_, one) - TableLog2(tables_, zero);
  }

  // `key`: what exact contexts know the decision by.
  int Mix(int bit, int label, uint32_t key, const Masses& one, const Masses& zero) {
    std::array<double, kInputs> input;
    for (int k = 0; k < kComponents; ++k)
      input[k] = std::min(
          std::max(Stretch(std::max(one[k], 1e-12), std::max(zero[k], 1e-12)), -12.0), 12.0);
    for (int i = 0; i < kContexts; ++i) {
      const double seen = (*contexts_[i])[label].probability;
      input[kComponents + i] = Stretch(seen, 1.0 - seen);
    }
    Weights& by_label = label_weights_[label];
    Weights& by_class = class_weights_[model_->deviation_class * 4 + LabelGroup(label)];
    std::array<double, kInputs> part;
    for (int i = 0; i < kInputs; ++i) part[i] = (by_label[i] + by_class[i]) * input[i];
    double mixed = (part[0] + part[1]) + (part[2] + part[3]);
    double exact_input = 0.0;
    if (exact_ != nullptr) {
      exact_->Decide(tables_, key, &exact_input);
      mixed = mixed + exact_weights_[label] * exact_input;
    }
    const double probability = TableLogistic(tables_, std::min(std::max(mixed, -15.0), 15.0));
    bit = Code(bit, probability);

    const double target = bit ? 1.0 : 0.0;
    const double error = (target - probability) * rate_;
    for (int i = 0; i < kInputs; ++i) {
      by_label[i] = by_label[i] + error * input[i];
      by_class[i] = by_class[i] + error * input[i];
    }
    for (ByLabel* context : contexts_) Adapt((*context)[label], target);
    if (exact_ != nullptr) {
      exact_weights_[label] = exact_weights_[label] + error * exact_input;
      exact_->LearnDecision(bit);
    }
    return bit;
  }

  static void Adapt(Adaptive& context, double target) {
    const double probability =
        context.probability + (target - context.probability) / (context.count + 1.6);
    context.probability = std::min(std::max(probability, 1.0 / 4096.0), 4095.0 / 4096.0);
    if (context.count < 250.0) context.count = context.count + 1.0;
  }

  const PixelTables& tables_;
  BitPort& port_;
  ExactContexts* const exact_;  // null if there are none
  const double floor_;
  const SampleModel<1>* model_ = nullptr;
  int64_t samples_ = -1;  // before the current one
  double rate_ = 0.0;     // at which weights learn
  int low_ = 0, high_ = 0;
  int excluded_count_ = 0;
  std::array<int, kMostCandidates> excluded_{};
  std::array<Masses, kMostCandidates> excluded_mass_{};
  Masses below_low_{}, below_high_{};
  alignas(64) std::array<Weights, kLabels> label_weights_{};
  alignas(64) std::array<Weights, 16 * 4> class_weights_{};
  std::array<double, kLabels> exact_weights_;
  const std::unique_ptr<ByLabel[]> by_context_ =
      std::make_unique_for_overwrite<ByLabel[]>(kAllContexts);  // those that have occurred
  std::bitset<kAllContexts> has_occurred_;
  std::array<ByLabel*, kContexts> contexts_{};  // of the sample
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_FAST_DECISION_CODER_INL_H_
