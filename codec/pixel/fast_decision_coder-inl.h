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
#include <cstdint>

#include "codec/pixel/adaptive_contexts-inl.h"
#include "codec/pixel/bit_port.h"
#include "codec/pixel/cell_range-inl.h"
#include "codec/pixel/decision_coder-inl.h"
#include "codec/pixel/exact_contexts.h"
#include "codec/pixel/pixel_effort.h"
#include "codec/pixel/pixel_tables.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// Has the functions of the general one.
template <>
class DecisionCoder<1> {
 public:
  using Effort = PixelEffort<1>;

  DecisionCoder(const PixelTables& tables, BitPort& port, ExactContexts* exact, int values)
      : tables_(tables), port_(port), exact_(exact), cells_(tables, values) {
    label_weights_.fill({Effort::kFirstWeight, Effort::kFirstWeight, 0.0, 0.0});
    exact_weights_.fill(0.3);
  }

  void BeginSample(const SampleModel<1>& model) {
    cells_.Begin(model);
    contexts_.Begin(model.context);
    ++samples_;
    rate_ = 0.002 + 0.02 / (1.0 + static_cast<double>(samples_) * (1.0 / 512.0));
  }

  int low() const { return cells_.low(); }
  int high() const { return cells_.high(); }
  double MeanInside(int cell) const { return cells_.MeanInside(cell); }

  bool IsCandidate(int cell, int candidate, int index) {
    const int label = kCandidateLabel + index;
    return cells_.IsCandidate(candidate, [&](const Masses& one, const Masses& zero) {
      return Mix(cell == candidate, label, label, one, zero);
    });
  }
  bool IsUpper(int cell, int split, int label) {
    return cells_.IsUpper(split, [&](const Masses& one, const Masses& zero) {
      return exact_ != nullptr || IsMixed(label)
                 ? Mix(cell >= split, label, static_cast<uint32_t>(split) * 40u, one, zero)
                 : Share(cell >= split, one, zero);
    });
  }

 private:
  static constexpr int kComponents = Effort::kComponents;
  static constexpr int kContexts = Effort::kContexts;
  static constexpr int kInputs = kComponents + kContexts;
  using Masses = CellRange<1>::Masses;
  using Weights = std::array<double, kInputs>;

  // The last level of the tree and halves say too little for weights to be worth their time.
  static bool IsMixed(int label) {
    return label < kUpperTailLabel / 2 || (label >= kUpperTailLabel && label < kHalfLabel);
  }

  // A decision by what the components say on the mean, the first one counting twice.
  int Share(int bit, const Masses& one, const Masses& zero) {
    const double ones = std::max(one[0] * 2.0 + one[1], 1e-12);
    const double zeros = std::max(zero[0] * 2.0 + zero[1], 1e-12);
    return CodeBit(port_, bit, ones / (ones + zeros));
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
      const double seen = contexts_.Probability(i, label);
      input[kComponents + i] = Stretch(seen, 1.0 - seen);
    }
    Weights& by_label = label_weights_[label];
    Weights& by_class = class_weights_[cells_.model().deviation_class * 4 + LabelGroup(label)];
    std::array<double, kInputs> part;
    for (int i = 0; i < kInputs; ++i) part[i] = (by_label[i] + by_class[i]) * input[i];
    double mixed = (part[0] + part[1]) + (part[2] + part[3]);
    double exact_input = 0.0;
    if (exact_ != nullptr) {
      exact_->Decide(tables_, key, &exact_input);
      mixed = mixed + exact_weights_[label] * exact_input;
    }
    const double probability = TableLogistic(tables_, std::min(std::max(mixed, -15.0), 15.0));
    bit = CodeBit(port_, bit, probability);

    const double target = bit ? 1.0 : 0.0;
    const double error = (target - probability) * rate_;
    for (int i = 0; i < kInputs; ++i) {
      by_label[i] = by_label[i] + error * input[i];
      by_class[i] = by_class[i] + error * input[i];
    }
    contexts_.Learn(label, target);
    if (exact_ != nullptr) {
      exact_weights_[label] = exact_weights_[label] + error * exact_input;
      exact_->LearnDecision(bit);
    }
    return bit;
  }

  const PixelTables& tables_;
  BitPort& port_;
  ExactContexts* const exact_;  // null if there are none
  CellRange<1> cells_;
  AdaptiveContexts<kContexts> contexts_;
  int64_t samples_ = -1;  // before the current one
  double rate_ = 0.0;     // at which weights learn
  alignas(64) std::array<Weights, kLabels> label_weights_{};
  alignas(64) std::array<Weights, 16 * 4> class_weights_{};
  std::array<double, kLabels> exact_weights_;
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_FAST_DECISION_CODER_INL_H_
