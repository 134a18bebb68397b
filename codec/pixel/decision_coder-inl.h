// Per-target include (Highway): binary decisions about a sample. The probability of each is mixed
// of what several distributions and several contexts say.
#if defined(MMP_CODEC_PIXEL_DECISION_CODER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_DECISION_CODER_INL_H_
#undef MMP_CODEC_PIXEL_DECISION_CODER_INL_H_
#else
#define MMP_CODEC_PIXEL_DECISION_CODER_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/pixel/adaptive_contexts-inl.h"
#include "codec/pixel/bit_port.h"
#include "codec/pixel/cell_range-inl.h"
#include "codec/pixel/exact_contexts.h"
#include "codec/pixel/pixel_effort.h"
#include "codec/pixel/pixel_tables.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// Labels that share weights.
inline int LabelGroup(int label) { return label == 1 ? 0 : label < 4 ? 1 : label < 16 ? 2 : 3; }

template <int kEffort>
class DecisionCoder {
 public:
  using Effort = PixelEffort<kEffort>;

  // `values`: how many different values samples have. `exact`: null if there are no exact contexts.
  DecisionCoder(const PixelTables& tables, BitPort& port, ExactContexts* exact, int values)
      : tables_(tables), port_(port), exact_(exact), cells_(tables, values) {
    for (auto& by_label : label_weights_) {
      for (int i = 0; i < Effort::kComponents; ++i) by_label[i] = Effort::kFirstWeight;
      if (exact_ != nullptr)
        for (int i = 0; i < kExactContexts; ++i) by_label[kFirstExact + i] = 0.3;
    }
    Curve curve;
    for (int i = 0; i < kRefinedSteps; ++i)
      curve[i] = TableLogistic(tables, static_cast<double>(i) - 12.0);
    refined_.fill(curve);
  }

  void BeginSample(const SampleModel<kEffort>& model) {
    cells_.Begin(model);
    contexts_.Begin(model.context);
    ++samples_;
  }

  int low() const { return cells_.low(); }
  int high() const { return cells_.high(); }
  double MeanInside(int cell) const { return cells_.MeanInside(cell); }

  // As those of CellRange; `cell` is the sample's, where it is known. `index`: which candidate it
  // is.
  bool IsCandidate(int cell, int candidate, int index) {
    const int label = kCandidateLabel + index;
    return cells_.IsCandidate(candidate, [&](const Masses& one, const Masses& zero) {
      return Decide(cell == candidate, label, label, 1, one, zero);
    });
  }
  bool IsUpper(int cell, int split, int label) {
    return cells_.IsUpper(split, [&](const Masses& one, const Masses& zero) {
      return Decide(cell >= split, label, static_cast<uint32_t>(split) * 40u, 0, one, zero);
    });
  }

 private:
  using Masses = typename CellRange<kEffort>::Masses;
  static constexpr int kFirstContext = Effort::kComponents;
  static constexpr int kBias = kFirstContext + Effort::kContexts;
  static constexpr int kFirstExact = kBias + 1;
  static constexpr int kInputs = (kFirstExact + kExactContexts + 7) / 8 * 8;
  static constexpr int kRefinedSteps = 25;
  using Weights = std::array<double, kInputs>;
  using Curve = std::array<double, kRefinedSteps>;
  int Decide(int bit, int label, uint32_t key, int asks_candidate, const Masses& one,
             const Masses& zero) {
    const int deviation_class = cells_.model().deviation_class;
    alignas(64) Weights input{};
    for (int k = 0; k < Effort::kComponents; ++k) {
      const double stretched = TableLog2(tables_, std::max(one[k], 1e-12)) -
                               TableLog2(tables_, std::max(zero[k], 1e-12));
      input[k] = std::min(std::max(stretched, -12.0), 12.0);
    }
    for (int i = 0; i < Effort::kContexts; ++i) {
      const double seen = contexts_.Probability(i, label);
      input[kFirstContext + i] = TableLog2(tables_, seen) - TableLog2(tables_, 1.0 - seen);
    }
    input[kBias] = 0.3;
    if (exact_ != nullptr) exact_->Decide(tables_, key, &input[kFirstExact]);

    Weights* const sets[3] = {
        &label_weights_[label], &class_weights_[deviation_class * 4 + LabelGroup(label)],
        &exact_weights_[((exact_ != nullptr ? exact_->WeightSet() : 0) * 2 + asks_candidate) * 4 +
                        LabelGroup(label)]};
    std::array<double, 8> lanes{};
    for (int i = 0; i < kInputs; i += 8)
      for (int l = 0; l < 8; ++l)
        lanes[l] =
            lanes[l] + (((*sets[0])[i + l] + (*sets[1])[i + l]) + (*sets[2])[i + l]) * input[i + l];
    double mixed = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                   ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    mixed = std::min(std::max(mixed, -15.0), 15.0);
    const double probability = TableLogistic(tables_, mixed);

    const double position = std::min(std::max(mixed, -12.0), 11.99) + 12.0;
    const int step = static_cast<int>(position);
    const double part = position - static_cast<double>(step);
    double* const refined = &refined_[label * 16 + deviation_class][step];
    const double last = probability * 0.8 + (refined[0] * (1.0 - part) + refined[1] * part) * 0.2;
    bit = CodeBit(port_, bit, last);

    const double target = bit ? 1.0 : 0.0;
    const double rate = 0.0007 + 0.006 / (1.0 + static_cast<double>(samples_) * (1.0 / 512.0));
    const double error = (target - probability) * rate;
    for (Weights* weights : sets)
      for (int i = 0; i < kInputs; ++i) (*weights)[i] = (*weights)[i] + error * input[i];
    refined[0] = refined[0] + (target - refined[0]) * (0.02 * (1.0 - part));
    refined[1] = refined[1] + (target - refined[1]) * (0.02 * part);
    contexts_.Learn(label, target);
    if (exact_ != nullptr) exact_->LearnDecision(bit);
    return bit;
  }

  const PixelTables& tables_;
  BitPort& port_;
  ExactContexts* const exact_;
  CellRange<kEffort> cells_;
  AdaptiveContexts<Effort::kContexts> contexts_;
  int64_t samples_ = -1;  // before the current one
  alignas(64) std::array<Weights, kLabels> label_weights_{};
  alignas(64) std::array<Weights, 16 * 4> class_weights_{};
  alignas(64) std::array<Weights, 31 * 2 * 4> exact_weights_{};
  std::array<Curve, size_t{kLabels} * 16> refined_;
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_DECISION_CODER_INL_H_
