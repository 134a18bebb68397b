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
#include <bitset>
#include <cassert>
#include <cstddef>
#include <memory>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/exact_contexts.h"
#include "codec/pixel/pixel_effort.h"
#include "codec/pixel/pixel_tables.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// What is known of a sample before it is coded. Cell i of its values is [base + i step, base +
// (i + 1) step).
template <int kEffort>
struct SampleModel {
  using Effort = PixelEffort<kEffort>;
  std::array<double, Effort::kComponents> centre;
  std::array<double, Effort::kComponents> inverse_scale;  // 1 / mean deviation
  std::array<int, Effort::kContexts> context;             // each below kContextSize
  int deviation_class;                                    // below 16
  double base;
  double step;
  int cells;
};

// The share of component k below a position.
template <int kEffort>
double ShareBelow(const PixelTables& tables, const SampleModel<kEffort>& model, double edge,
                  int k) {
  double position =
      (edge - model.centre[k]) * model.inverse_scale[k] * kCdfStepsPerUnit + 0.5 * kCdfSteps;
  position = std::min(std::max(position, 0.0), 1023.999);
  const int i = static_cast<int>(position);
  const int shape = PixelEffort<kEffort>::kShape[k];
  return tables.cdf[shape][i] + (position - static_cast<double>(i)) * tables.cdf_growth[shape][i];
}

// The mean of the first component within a cell, taken from its share of each eighth.
template <int kEffort>
double MeanOfComponent(const PixelTables& tables, const SampleModel<kEffort>& model, int cell) {
  const double edge = model.base + static_cast<double>(cell) * model.step;
  const double eighth = model.step * 0.125;
  double share = ShareBelow(tables, model, edge, 0), sum = 0.0, moment = 0.0;
  for (int i = 0; i < 8; ++i) {
    const double next = ShareBelow(tables, model, edge + eighth * static_cast<double>(i + 1), 0);
    const double mass = next - share + 1e-9;
    sum = sum + mass;
    moment = moment + mass * (static_cast<double>(i) + 0.5);
    share = next;
  }
  return edge + eighth * (moment / sum);
}

template <int kEffort>
class DecisionCoder {
 public:
  using Effort = PixelEffort<kEffort>;

  // `values`: how many different values samples have. `exact`: null if there are no exact contexts.
  DecisionCoder(const PixelTables& tables, BitPort& port, ExactContexts* exact, int values)
      : tables_(tables), port_(port), exact_(exact), floor_(kFloor / values) {
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
    model_ = &model;
    low_ = 0;
    high_ = model.cells;
    excluded_count_ = 0;
    below_low_.fill(0.0);
    below_high_.fill(1.0);
    for (int i = 0; i < Effort::kContexts; ++i) contexts_[i] = &Context(i, model.context[i]);
    ++samples_;
  }

  int low() const { return low_; }
  int high() const { return high_; }

  // As MeanOfComponent.
  double MeanInside(int cell) const { return MeanOfComponent(tables_, *model_, cell); }

  // Is the cell `candidate`? `index`: which candidate it is. If not, it is excluded.
  bool IsCandidate(int cell, int candidate, int index) {
    Masses below, beyond;
    EvaluateBelow(candidate, below);
    EvaluateBelow(candidate + 1, beyond);
    for (int k = 0; k < Effort::kComponents; ++k) {
      const double inside = beyond[k] - below[k];
      one_[k] = inside;
      double other = 1.0 - inside;
      for (int e = 0; e < excluded_count_; ++e) other = other - excluded_mass_[e][k];
      zero_[k] = other;
      excluded_mass_[excluded_count_][k] = inside;
    }
    excluded_[excluded_count_++] = candidate;
    const int label = kCandidateLabel + index;
    return Decide(cell == candidate, label, label, 1) != 0;
  }

  // Is the cell at or above `split`? Narrows [low, high) to the answer, which is not coded where
  // the excluded cells leave but one.
  bool IsUpper(int cell, int split, int label) {
    if (split <= low_) return true;
    if (split >= high_) return false;
    Masses below;
    EvaluateBelow(split, below);
    int lower_cells = split - low_, upper_cells = high_ - split;
    for (int k = 0; k < Effort::kComponents; ++k) {
      one_[k] = below_high_[k] - below[k];
      zero_[k] = below[k] - below_low_[k];
    }
    for (int e = 0; e < excluded_count_; ++e) {
      if (excluded_[e] < low_ || excluded_[e] >= high_) continue;
      const bool upper = excluded_[e] >= split;
      --(upper ? upper_cells : lower_cells);
      Masses& mass = upper ? one_ : zero_;
      for (int k = 0; k < Effort::kComponents; ++k) mass[k] = mass[k] - excluded_mass_[e][k];
    }
    bool upper = lower_cells <= 0;
    if (lower_cells > 0 && upper_cells > 0)
      upper = Decide(cell >= split, label, static_cast<uint32_t>(split) * 40u, 0) != 0;
    (upper ? low_ : high_) = split;
    (upper ? below_low_ : below_high_) = below;
    return upper;
  }

 private:
  using Masses = std::array<double, Effort::kComponents>;
  static constexpr double kFloor = 1e-4;  // the share of a uniform distribution
  static constexpr int kFirstContext = Effort::kComponents;
  static constexpr int kBias = kFirstContext + Effort::kContexts;
  static constexpr int kFirstExact = kBias + 1;
  static constexpr int kInputs = (kFirstExact + kExactContexts + 7) / 8 * 8;
  static constexpr int kRefinedSteps = 25;
  using Weights = std::array<double, kInputs>;
  using Curve = std::array<double, kRefinedSteps>;
  struct Adaptive {
    double probability;
    double count;
  };
  using ByLabel = std::array<Adaptive, kLabels>;
  static constexpr size_t kAllContexts = size_t{Effort::kContexts} * kContextSize;

  // What is known in context `context` of kind `kind`. Most contexts never occur in a small
  // picture: their memory is not touched.
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
  void EvaluateBelow(int cell, Masses& below) const {
    const double edge = model_->base + static_cast<double>(cell) * model_->step;
    const double floor = static_cast<double>(cell) * floor_;
    for (int k = 0; k < Effort::kComponents; ++k)
      below[k] = ShareBelow(tables_, *model_, edge, k) * (1.0 - kFloor) + floor;
  }

  static int LabelGroup(int label) { return label == 1 ? 0 : label < 4 ? 1 : label < 16 ? 2 : 3; }

  int Decide(int bit, int label, uint32_t key, int asks_candidate) {
    alignas(64) Weights input{};
    for (int k = 0; k < Effort::kComponents; ++k) {
      const double stretched = TableLog2(tables_, std::max(one_[k], 1e-12)) -
                               TableLog2(tables_, std::max(zero_[k], 1e-12));
      input[k] = std::min(std::max(stretched, -12.0), 12.0);
    }
    for (int i = 0; i < Effort::kContexts; ++i) {
      const double seen = (*contexts_[i])[label].probability;
      input[kFirstContext + i] = TableLog2(tables_, seen) - TableLog2(tables_, 1.0 - seen);
    }
    input[kBias] = 0.3;
    if (exact_ != nullptr) exact_->Decide(tables_, key, &input[kFirstExact]);

    Weights* const sets[3] = {
        &label_weights_[label], &class_weights_[model_->deviation_class * 4 + LabelGroup(label)],
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
    double* const refined = &refined_[label * 16 + model_->deviation_class][step];
    const double last = probability * 0.8 + (refined[0] * (1.0 - part) + refined[1] * part) * 0.2;
    bit = port_.Bit(
        bit, static_cast<uint32_t>(std::min(std::max(static_cast<int>(last * 65536.0), 1), 65535)));

    const double target = bit ? 1.0 : 0.0;
    const double rate = 0.0007 + 0.006 / (1.0 + static_cast<double>(samples_) * (1.0 / 512.0));
    const double error = (target - probability) * rate;
    for (Weights* weights : sets)
      for (int i = 0; i < kInputs; ++i) (*weights)[i] = (*weights)[i] + error * input[i];
    refined[0] = refined[0] + (target - refined[0]) * (0.02 * (1.0 - part));
    refined[1] = refined[1] + (target - refined[1]) * (0.02 * part);
    for (ByLabel* context : contexts_) Adapt((*context)[label], target);
    if (exact_ != nullptr) exact_->LearnDecision(bit);
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
  ExactContexts* const exact_;
  const double floor_;
  const SampleModel<kEffort>* model_ = nullptr;
  int64_t samples_ = -1;  // before the current one
  int low_ = 0, high_ = 0;
  int excluded_count_ = 0;
  std::array<int, kMostCandidates> excluded_{};
  std::array<Masses, kMostCandidates> excluded_mass_{};
  Masses below_low_{}, below_high_{}, one_{}, zero_{};
  alignas(64) std::array<Weights, kLabels> label_weights_{};
  alignas(64) std::array<Weights, 16 * 4> class_weights_{};
  alignas(64) std::array<Weights, 31 * 2 * 4> exact_weights_{};
  const std::unique_ptr<ByLabel[]> by_context_ =
      std::make_unique_for_overwrite<ByLabel[]>(kAllContexts);  // those that have occurred
  std::bitset<kAllContexts> has_occurred_;
  std::array<ByLabel*, Effort::kContexts> contexts_{};  // of the sample
  std::array<Curve, size_t{kLabels} * 16> refined_;
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_DECISION_CODER_INL_H_
