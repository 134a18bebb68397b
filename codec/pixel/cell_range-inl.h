// Per-target include (Highway): which cells a sample may still have, and what the distributions say
// of a question that narrows them.
#if defined(MMP_CODEC_PIXEL_CELL_RANGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_CELL_RANGE_INL_H_
#undef MMP_CODEC_PIXEL_CELL_RANGE_INL_H_
#else
#define MMP_CODEC_PIXEL_CELL_RANGE_INL_H_
#endif

#include <algorithm>
#include <array>

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

// The cells [low, high) but those that are excluded, which the answers so far leave. Who asks
// decides by decide(one, zero): the mass of the cells that yes leaves, and that of those that no
// does, by component; it returns the answer.
template <int kEffort>
class CellRange {
 public:
  using Masses = std::array<double, PixelEffort<kEffort>::kComponents>;

  // `values`: how many different values samples have.
  CellRange(const PixelTables& tables, int values) : tables_(tables), floor_(kFloor / values) {}

  void Begin(const SampleModel<kEffort>& model) {
    model_ = &model;
    low_ = 0;
    high_ = model.cells;
    excluded_count_ = 0;
    below_low_.fill(0.0);
    below_high_.fill(1.0);
  }

  const SampleModel<kEffort>& model() const { return *model_; }
  int low() const { return low_; }
  int high() const { return high_; }

  // As MeanOfComponent.
  double MeanInside(int cell) const { return MeanOfComponent(tables_, *model_, cell); }

  // Is it the cell `candidate`? If not, that is excluded.
  template <typename Decide>
  bool IsCandidate(int candidate, const Decide& decide) {
    const Masses below = Below(candidate), beyond = Below(candidate + 1);
    Masses inside, outside;
    for (int k = 0; k < kComponents; ++k) {
      inside[k] = beyond[k] - below[k];
      outside[k] = 1.0 - inside[k];
      for (int e = 0; e < excluded_count_; ++e) outside[k] = outside[k] - excluded_mass_[e][k];
    }
    excluded_mass_[excluded_count_] = inside;
    excluded_[excluded_count_++] = candidate;
    return decide(inside, outside) != 0;
  }

  // Is it at or above `split`? Narrows [low, high) to the answer, which is not asked for where the
  // excluded cells leave but one.
  template <typename Decide>
  bool IsUpper(int split, const Decide& decide) {
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
    if (lower_cells > 0 && upper_cells > 0) upper = decide(one, zero) != 0;
    (upper ? low_ : high_) = split;
    (upper ? below_low_ : below_high_) = below;
    return upper;
  }

 private:
  static constexpr int kComponents = PixelEffort<kEffort>::kComponents;
  static constexpr double kFloor = 1e-4;  // the share of a uniform distribution

  // The share of each component below the lower edge of `cell`.
  Masses Below(int cell) const {
    const double edge = model_->base + static_cast<double>(cell) * model_->step;
    const double floor = static_cast<double>(cell) * floor_;
    Masses below;
    for (int k = 0; k < kComponents; ++k)
      below[k] = ShareBelow(tables_, *model_, edge, k) * (1.0 - kFloor) + floor;
    return below;
  }

  const PixelTables& tables_;
  const double floor_;
  const SampleModel<kEffort>* model_ = nullptr;
  int low_ = 0, high_ = 0;
  int excluded_count_ = 0;
  std::array<int, kMostCandidates> excluded_{};
  std::array<Masses, kMostCandidates> excluded_mass_{};
  Masses below_low_{}, below_high_{};
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_CELL_RANGE_INL_H_
