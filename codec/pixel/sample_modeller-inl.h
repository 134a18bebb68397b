// Per-target include (Highway): from predictions and past errors to the distributions of a sample.
#if defined(MMP_CODEC_PIXEL_SAMPLE_MODELLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_SAMPLE_MODELLER_INL_H_
#undef MMP_CODEC_PIXEL_SAMPLE_MODELLER_INL_H_
#else
#define MMP_CODEC_PIXEL_SAMPLE_MODELLER_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "codec/pixel/decision_coder-inl.h"
#include "codec/pixel/pixel_tables.h"
#include "codec/pixel/predictors-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

template <int kEffort>
class SampleModeller {
 public:
  using Effort = PixelEffort<kEffort>;

  SampleModeller(const PixelTables& tables, int width, int values)
      : tables_(tables),
        width_(width),
        highest_(static_cast<double>(values - 1)),
        predictors_(width, highest_),
        errors_(width, static_cast<double>(values) / 64.0 + 0.5),
        signed_errors_(width, 0.0),
        deviations_(size_t{kFirstDeviation[Effort::kComponents]}) {}

  void BeginRow() {
    predictors_.BeginRow();
    errors_.FillLeft(errors_.At(0, 1));
    signed_errors_.FillLeft(&kNone);
  }

  void EndRow() {
    predictors_.EndRow();
    errors_.FillRight(errors_.At(width_ - 1, 0));
    signed_errors_.FillRight(&kNone);
    errors_.NextRow();
    signed_errors_.NextRow();
  }

  void Model(int x, const PixelNear& near, SampleModel<kEffort>& model) {
    predictors_.Predict(x, near, predictions_);
    MeasureErrors(x);
    Blend(near);
    SetComponents(x, near, model);
    SetContexts(x, near, model);
  }

  // The prediction around which values are coded, in [0, highest].
  double Centre() const { return centre_; }
  // The mean deviation that is expected from it.
  double Scale() const { return scale_; }

  void Learn(int x, double value, const SampleModel<kEffort>& model) {
    for (int k = 0; k < Effort::kComponents; ++k) {
      Deviation& cell = deviations_[deviation_[k]];
      cell.sum = cell.sum + std::abs(value - model.centre[k]);
      cell.count = cell.count + 1.0;
      if (cell.count > 200.0) {
        cell.sum = cell.sum * 0.5;
        cell.count = cell.count * 0.5;
      }
    }
    double* const errors = errors_.At(x, 0);
    for (int k = 0; k < Effort::kPredictors; ++k) errors[k] = std::abs(value - predictions_[k]);
    errors[kBlend] = std::abs(value - centre_);
    *signed_errors_.At(x, 0) = value - centre_;
    Bias& bias = bias_[bias_context_];
    bias.count = std::min(bias.count + 1.0, 64.0);
    bias.value = bias.value + (value - blend_ - bias.value) / (bias.count + 3.0);
    predictors_.Learn(x, value, 1.0 / (local_error_[kBlend] + 1.0));
  }

 private:
  static constexpr double kNone = 0.0;
  static constexpr int kBlend = Effort::kPredictors;
  static constexpr int kErrors = kBlend + 1;
  struct Deviation {
    double sum = 0.0, count = 0.0;
  };
  // Number of each component's first deviation; behind the last, of all.
  static constexpr std::array<int, Effort::kComponents + 1> kFirstDeviation = [] {
    std::array<int, Effort::kComponents + 1> first{};
    for (int k = 0; k < Effort::kComponents; ++k)
      first[k + 1] = first[k] + Effort::kDeviationContexts[k];
    return first;
  }();
  struct Bias {
    double value, count;
  };

  // Mean errors of the predictors around the sample.
  void MeasureErrors(int x) {
    const double* row = errors_.At(x, 0);
    const double* above = errors_.At(x, 1);
    const double* above2 = errors_.At(x, 2);
    for (int k = 0; k < kErrors; ++k) {
      const double near = (row[k - kErrors] + above[k]) * 2.0;
      const double diagonal = above[k - kErrors] + above[k + kErrors];
      const double far = row[k - 2 * kErrors] + above2[k] + above[k + 2 * kErrors];
      local_error_[k] = (near + diagonal + far) * (1.0 / 9.0);
    }
  }

  void Blend(const PixelNear& near) {
    double weights = 0.0, sum = 0.0;
    for (int k = 0; k < Effort::kPredictors; ++k) {
      const double inverse = 1.0 / (local_error_[k] + 0.05);
      const double weight = inverse * inverse * inverse;
      weights = weights + weight;
      sum = sum + weight * predictions_[k];
    }
    blend_ = sum / weights;
    const double west = near[0], north = near[1];
    texture_ = (north > blend_) | (west > blend_) << 1 | (near[2] > blend_) << 2 |
               (near[3] > blend_) << 3 | (near[5] > blend_) << 4 | (near[4] > blend_) << 5 |
               (2.0 * north - near[5] > blend_) << 6 | (2.0 * west - near[4] > blend_) << 7;
    error_level_ = DeviationLevel(tables_, local_error_[kBlend]);
    bias_context_ = texture_ * 4 + std::min(3, error_level_ / 10);
    centre_ = std::min(std::max(blend_ + 0.4 * bias_[bias_context_].value, 0.0), highest_);
  }

  void SetComponents(int x, const PixelNear& near, SampleModel<kEffort>& model) {
    const double gradient = std::abs(near[0] - near[2]) + std::abs(near[1] - near[2]) +
                            std::abs(near[1] - near[3]) + std::abs(near[0] - near[4]) +
                            std::abs(near[1] - near[5]);
    const int gradient_level = DeviationLevel(tables_, gradient * 0.2);
    const int by_gradient = error_level_ / 2 * 32 + gradient_level / 2;
    const double blended = local_error_[kBlend];
    if constexpr (kEffort == 1) {
      SetComponent(model, 0, centre_, by_gradient, blended);
      SetByOwnError(model, 1, 0);
    } else {
      const int by_errors = CoarseLevel(*signed_errors_.At(x - 1, 0)) * 256 +
                            CoarseLevel(*signed_errors_.At(x, 1)) * 16 +
                            CoarseLevel(*signed_errors_.At(x + 1, 1));
      SetComponent(model, 0, centre_, error_level_, tables_.level[error_level_]);
      const auto [low, high] = std::minmax_element(&predictions_[0], &predictions_[4]);
      const int spread_level = DeviationLevel(tables_, *high - *low);
      SetComponent(model, 1, centre_, error_level_ / 2 * 32 + spread_level / 2, blended);
      SetComponent(model, 2, centre_, by_gradient, blended);
      SetComponent(model, 3, centre_, by_errors, blended);
      for (int k = 0; k < 6; ++k) SetByOwnError(model, 4 + k, k);
      SetByOwnError(model, 10, 7);
      SetComponent(model, 11, (near[0] + near[1]) * 0.5, gradient_level,
                   tables_.level[gradient_level]);
    }
    scale_ = 1.0 / model.inverse_scale[0];
  }

  int CoarseLevel(double error) const {
    return std::min(DeviationLevel(tables_, std::abs(error)) / 3, 15);
  }

  void SetByOwnError(SampleModel<kEffort>& model, int component, int predictor) {
    const int level = DeviationLevel(tables_, local_error_[predictor]);
    SetComponent(model, component, predictions_[predictor], level, tables_.level[level]);
  }

  // `expected`: the mean deviation before anything has been seen in the context.
  void SetComponent(SampleModel<kEffort>& model, int k, double centre, int context,
                    double expected) {
    assert(context >= 0 && context < Effort::kDeviationContexts[k]);
    deviation_[k] = kFirstDeviation[k] + context;
    const Deviation& cell = deviations_[deviation_[k]];
    model.centre[k] = centre;
    model.inverse_scale[k] = 1.0 / std::max((cell.sum + expected * 2.0) / (cell.count + 2.0), 0.02);
  }

  // Where `difference` lies among thresholds in units of the scale.
  int InFive(double difference) const {
    const double d = difference * inverse_scale_;
    return d < -0.4 ? (d < -1.5 ? 0 : 1) : d < 0.4 ? 2 : d < 1.5 ? 3 : 4;
  }
  int InSeven(double difference) const {
    const double d = difference * inverse_scale_;
    return d < -4.0 ? 0 : d < 4.0 ? 1 + InFive(difference) : 6;
  }

  void SetContexts(int x, const PixelNear& near, SampleModel<kEffort>& model) {
    inverse_scale_ = model.inverse_scale[0];
    model.deviation_class = std::min(15, error_level_ / 3);
    const int by_errors = InFive(*signed_errors_.At(x - 1, 0)) * 25 +
                          InFive(*signed_errors_.At(x, 1)) * 5 +
                          InFive(*signed_errors_.At(x + 1, 1));
    if constexpr (kEffort == 1) {
      model.context = {by_errors, bias_context_};
    } else {
      model.context[0] = error_level_;
      model.context[1] = by_errors;
      model.context[2] = bias_context_;
      model.context[3] = InSeven(near[0] - centre_) * 49 + InSeven(near[1] - centre_) * 7 +
                         InSeven(near[3] - centre_);
      model.context[4] = InSeven(predictions_[0] - centre_) * 49 +
                         InSeven(predictions_[3] - centre_) * 7 +
                         InSeven(predictions_[5] - centre_);
      const double fraction = centre_ - static_cast<double>(static_cast<int>(centre_));
      model.context[5] = static_cast<int>(fraction * 16.0) * 16 + model.deviation_class;
    }
  }

  const PixelTables& tables_;
  const int width_;
  const double highest_;
  Predictors<kEffort> predictors_;
  RowsOfNumbers<kErrorRows, kErrors> errors_;
  RowsOfNumbers<kErrorRows, 1> signed_errors_;
  typename Predictors<kEffort>::Predictions predictions_{};
  std::array<double, kErrors> local_error_{};
  std::vector<Deviation> deviations_;                 // of each component, by context
  std::array<int, Effort::kComponents> deviation_{};  // of the sample, in these
  std::array<Bias, 1024> bias_{};
  double blend_ = 0.0, centre_ = 0.0, scale_ = 0.0, inverse_scale_ = 0.0;
  int texture_ = 0, error_level_ = 0, bias_context_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_SAMPLE_MODELLER_INL_H_
