// Per-target include (Highway): what is predicted for a sample.
#if defined(MMP_CODEC_PIXEL_PREDICTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_PREDICTORS_INL_H_
#undef MMP_CODEC_PIXEL_PREDICTORS_INL_H_
#else
#define MMP_CODEC_PIXEL_PREDICTORS_INL_H_
#endif

#include <algorithm>
#include <array>

#include "codec/pixel/least_squares-inl.h"
#include "codec/pixel/pixel_effort.h"
#include "codec/pixel/sample_history.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

using PixelNear = std::array<double, 32>;  // samples in the order of kPixelNeighbours

inline constexpr double kPriorWeights[3] = {0.75, 0.75, -0.5};
inline constexpr double kPriorStackWeights[4] = {0.25, 0.25, 0.25, 0.25};

inline double MedianPrediction(const PixelNear& near) {
  const double west = near[0], north = near[1], north_west = near[2];
  const double low = std::min(west, north), high = std::max(west, north);
  return north_west >= high ? low : north_west <= low ? high : west + north - north_west;
}

inline double GradientPrediction(const PixelNear& near) {
  return (near[0] + near[1]) * 0.5 + (near[3] - near[2]) * 0.25;
}

// Normalised least mean squares: weights that move along each sample's error.
class NormalisedLms {
 public:
  double Predict(const PixelNear& near, double mean) {
    prediction_ = mean;
    energy_ = 0.0;
    for (int i = 0; i < kTaps; ++i) {
      sample_[i] = near[i] - mean;
      prediction_ = prediction_ + weights_[i] * sample_[i];
      energy_ = energy_ + sample_[i] * sample_[i];
    }
    return prediction_;
  }
  void Learn(double value) {
    const double step = 0.003 * (value - prediction_) / (energy_ * (1.0 / kTaps) + 1.0);
    for (int i = 0; i < kTaps; ++i) weights_[i] = weights_[i] + step * sample_[i];
  }

 private:
  static constexpr int kTaps = 32;
  std::array<double, kTaps> weights_ = {0.75, 0.75, -0.5};
  std::array<double, kTaps> sample_{};
  double prediction_ = 0.0, energy_ = 0.0;
};

template <int kEffort>
class Predictors;

template <>
class Predictors<1> {
 public:
  using Predictions = std::array<double, PixelEffort<1>::kPredictors>;

  explicit Predictors(int width, double highest)
      : highest_(highest), squares_(width, {2, 0.7, 0.02, 1, kPriorWeights, 3}) {}

  void BeginRow() { squares_.BeginRow(); }
  void EndRow() { squares_.EndRow(); }

  void Predict(int x, const PixelNear& near, Predictions& predictions) {
    mean_ = (near[0] + near[1] + near[2] + near[3]) * 0.25;
    predictions[0] = squares_.Predict(x, near.data(), mean_);
    predictions[1] = MedianPrediction(near);
    predictions[2] = GradientPrediction(near);
    for (double& p : predictions) p = std::min(std::max(p, 0.0), highest_);
  }

  void Learn(int x, double value, double importance) {
    squares_.Learn(x, value, mean_, importance);
  }

 private:
  const double highest_;
  double mean_ = 0.0;
  LeastSquares<6> squares_;
};

template <>
class Predictors<2> {
 public:
  using Predictions = std::array<double, PixelEffort<2>::kPredictors>;

  explicit Predictors(int width, double highest)
      : highest_(highest),
        squares6_(width, {2, 0.65, 0.02, 1, kPriorWeights, 3}),
        squares12_(width, {4, 0.77, 0.02, 1, kPriorWeights, 3}),
        squares18_(width, {4, 0.83, 0.02, 1, kPriorWeights, 3}),
        squares30_(width, {8, 0.92, 0.02, 4, kPriorWeights, 3}),
        stack_(width, {8, 0.9, 1.0, 1, kPriorStackWeights, 4}) {}

  void BeginRow() {
    squares6_.BeginRow();
    squares12_.BeginRow();
    squares18_.BeginRow();
    squares30_.BeginRow();
    stack_.BeginRow();
  }
  void EndRow() {
    squares6_.EndRow();
    squares12_.EndRow();
    squares18_.EndRow();
    squares30_.EndRow();
    stack_.EndRow();
  }

  void Predict(int x, const PixelNear& near, Predictions& predictions) {
    mean_ = (near[0] + near[1] + near[2] + near[3]) * 0.25;
    predictions[0] = squares6_.Predict(x, near.data(), mean_);
    predictions[1] = squares12_.Predict(x, near.data(), mean_);
    predictions[2] = squares18_.Predict(x, near.data(), mean_);
    predictions[3] = squares30_.Predict(x, near.data(), mean_);
    predictions[4] = lms_.Predict(near, mean_);
    predictions[5] = MedianPrediction(near);
    predictions[6] = GradientPrediction(near);
    for (int i = 0; i < 7; ++i) predictions[i] = Limit(predictions[i]);
    stack_mean_ = (predictions[0] + predictions[1] + predictions[2] + predictions[3]) * 0.25;
    predictions[7] = Limit(stack_.Predict(x, predictions.data(), stack_mean_));
  }

  void Learn(int x, double value, double importance) {
    squares6_.Learn(x, value, mean_, importance);
    squares12_.Learn(x, value, mean_, importance);
    squares18_.Learn(x, value, mean_, importance);
    squares30_.Learn(x, value, mean_, importance);
    stack_.Learn(x, value, stack_mean_, importance);
    lms_.Learn(value);
  }

 private:
  double Limit(double p) const { return std::min(std::max(p, 0.0), highest_); }

  const double highest_;
  double mean_ = 0.0, stack_mean_ = 0.0;
  LeastSquares<6> squares6_;
  LeastSquares<12> squares12_;
  LeastSquares<18> squares18_;
  LeastSquares<30> squares30_;
  LeastSquares<7> stack_;
  NormalisedLms lms_;
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_PREDICTORS_INL_H_
