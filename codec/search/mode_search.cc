#include "codec/search/mode_search.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include "codec/base/known_size.h"
#include "codec/base/stopwatch.h"
#include "codec/intra/predict.h"
#include "codec/tile/reversed_residual.h"

namespace mmp {
namespace {

// What ResidualOf does.
void Subtract(const uint8_t* original, const uint8_t* prediction, LevelShape shape,
              int16_t* residual) {
  WithPowerOfTwo<kMacroblockSize>(shape.width(), [=]<int kWidth>() {
    for (int i = 0; i < shape.height(); ++i)
      for (int j = 0; j < kWidth; ++j)
        residual[i * kWidth + j] =
            static_cast<int16_t>(original[i * kMacroblockSize + j] - prediction[i * kWidth + j]);
  });
}

// The modes of a direction in the order of their angles.
constexpr std::array<uint8_t, 16> kDirections = {
    kFirstAngle,     kFirstAngle + 1,  kFirstAngle + 2,  kFirstAngle + 3,
    kVertical,       kFirstAngle + 4,  kFirstAngle + 5,  kFirstAngle + 6,
    kFirstAngle + 7, kFirstAngle + 8,  kFirstAngle + 9,  kFirstAngle + 10,
    kHorizontal,     kFirstAngle + 11, kFirstAngle + 12, kLastAngle};
// Every second one, as a bit mask.
constexpr uint32_t kAnglesBetween = [] {
  uint32_t modes = 0;
  for (size_t k = 1; k < kDirections.size(); k += 2) modes |= 1u << kDirections[k];
  return modes;
}();

}  // namespace

void ModeSearch::Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
                         uint8_t* prediction) {
  const bool is_lsp = mode == kLeastSquares || mode == kBlockLeastSquares;
  const StageTimer timer(timing_, is_lsp ? seconds_lsp_ : seconds_prediction_);
  mmp::Predict(canvas, border, *copies_, rect, mode, prediction);
}

// Adds what more modes predict, and its SATD if it is of interest.
void ModeSearch::AddPredictions(const Canvas& canvas, const BlockBorder& border, BlockRect rect,
                                uint32_t modes, Predictions& to) {
  const int first = to.count;
  uint8_t* const samples = to.samples + first * rect.pixels();
  for (; modes != 0; modes &= modes - 1) {
    const int mode = std::countr_zero(modes);
    Predict(canvas, border, rect, mode, to.samples + to.count * rect.pixels());
    to.modes[to.count++] = static_cast<uint8_t>(mode);
  }
  if (!uses_satd_) return;
  if (rect.level == kMacroblockLevel && speed_features_.halves_slack_q6 >= 0) {
    SatdOfQuadrants(Original(rect), samples, to.count - first, &to.quadrants[first]);
    for (int k = first; k < to.count; ++k)
      to.satd[k] = std::reduce(to.quadrants[k].begin(), to.quadrants[k].end());
  } else {
    SatdOfPredictions(Original(rect), samples, to.count - first, kLevelShapes[rect.level],
                      &to.satd[first]);
  }
}

// The angles that are tried after the others: those beside the best of these.
uint32_t ModeSearch::AnglesBesideBest(const Predictions& predictions) {
  std::pair<int32_t, int> best = {INT32_MAX, 0};  // SATD, place among the directions
  for (int k = 0; k < predictions.count; ++k) {
    const auto at = std::find(kDirections.begin(), kDirections.end(), predictions.modes[k]);
    if (at != kDirections.end())
      best = std::min(best, {predictions.satd[k], static_cast<int>(at - kDirections.begin())});
  }
  if (best.first == INT32_MAX) return 0;
  return (best.second > 0 ? 1u << kDirections[best.second - 1] : 0) |
         1u << kDirections[best.second + 1];
}

ModeSearch::Ways ModeSearch::Search(const Canvas& canvas, const BlockBorder& border,
                                    const Node& node,
                                    std::span<const int32_t, kPredictionModes> rates_q12,
                                    int32_t budget, ModeOutcome* outcomes) {
  const BlockRect rect = node.rect;
  const int pixels = rect.pixels();
  for (uint32_t modes = node.modes; modes != 0; modes &= modes - 1)
    outcomes[std::countr_zero(modes)] = {nullptr, 0, {kImpossible, kImpossible, kImpossible}};
  Predictions predictions;
  predictions.samples =
      arena_.Allocate<uint8_t>(static_cast<size_t>(std::popcount(node.modes)) * pixels);
  const uint32_t tried = speed_features_.ModesTried(node.modes, pixels);
  const uint32_t later = speed_features_.halves_angles ? tried & kAnglesBetween : 0;
  AddPredictions(canvas, border, rect, tried & ~later, predictions);
  if (later != 0)
    AddPredictions(canvas, border, rect, later & AnglesBesideBest(predictions), predictions);
  if (node.may_be_split && rect.level == kMacroblockLevel && uses_satd_ &&
      !speed_features_.AllowWhole(rect.level, predictions.LeastSatd(), root_lambda_q4_))
    return WaysBySatd(predictions);
  SearchResiduals(rect, predictions, Promising(predictions, rates_q12), budget, outcomes);
  return {true, true};
}

// How a macroblock that is not coded whole may be split.
ModeSearch::Ways ModeSearch::WaysBySatd(const Predictions& predictions) const {
  if (speed_features_.halves_slack_q6 < 0) return {true, true};
  int32_t left = INT32_MAX, right = INT32_MAX, top = INT32_MAX, bottom = INT32_MAX;
  for (int k = 0; k < predictions.count; ++k) {
    const QuadrantSatd& satd = predictions.quadrants[k];
    left = std::min(left, satd[0] + satd[2]);
    right = std::min(right, satd[1] + satd[3]);
    top = std::min(top, satd[0] + satd[1]);
    bottom = std::min(bottom, satd[2] + satd[3]);
  }
  const int32_t vertical = left + right, horizontal = top + bottom;
  return {speed_features_.AllowSplitBySatd(vertical, horizontal),
          speed_features_.AllowSplitBySatd(horizontal, vertical)};
}

// The predictions whose residual trees are searched, a bit each: those of least estimated cost.
uint32_t ModeSearch::Promising(const Predictions& predictions,
                               std::span<const int32_t, kPredictionModes> rates_q12) const {
  const int count = predictions.count, most = speed_features_.modes_searched;
  uint32_t promising = (1u << count) - 1;
  if (most == 0 || count <= most) return promising;
  std::array<ModeEstimate, kPredictionModes> estimates;
  for (int k = 0; k < count; ++k) {
    const int mode = predictions.modes[k];
    estimates[k] = {ModeEstimateQ4(predictions.satd[k], root_lambda_q4_, rates_q12[mode]), mode};
  }
  std::array<ModeEstimate, kPredictionModes> order;
  std::copy_n(estimates.begin(), count, order.begin());
  std::nth_element(order.begin(), order.begin() + most - 1, order.begin() + count, IsMorePromising);
  for (int k = 0; k < count; ++k)
    if (IsMorePromising(order[most - 1], estimates[k])) promising &= ~(1u << k);
  return promising;
}

// Searches the residual trees of some of the predictions, a bit each.
void ModeSearch::SearchResiduals(BlockRect rect, const Predictions& predictions, uint32_t which,
                                 int32_t budget, ModeOutcome* outcomes) {
  const int pixels = rect.pixels();
  const bool reverses = symbol_costs_->tile().parameters.Uses(kReversedResiduals);
  std::array<int, kPredictionModes> number;  // of the predictions
  int count = 0;
  for (; which != 0; which &= which - 1) {
    const int k = std::countr_zero(which);
    int16_t* residual = residuals_ + count * pixels;
    const uint8_t* prediction = predictions.samples + k * pixels;
    Subtract(Original(rect), prediction, kLevelShapes[rect.level], residual);
    if (reverses) ReverseWhereBright(prediction, pixels, residual);
    if (residual_search_.cost_bounds().PredictionLeaf(rect.level, ScaledNorm(residual, pixels)) <
        budget)
      number[count++] = k;
  }
  std::array<ResidualSearch::BlockId, kPredictionModes> blocks;
  std::array<RootCosts, kPredictionModes> costs;
  std::array<bool, kPredictionModes> reused;
  residual_search_.Solve(rect.level, residuals_, count, blocks.data(), costs.data(), reused.data());
  for (int i = 0; i < count; ++i) {
    const int mode = predictions.modes[number[i]];
    outcomes[mode] = {predictions.samples + number[i] * pixels, blocks[i], costs[i]};
    ++searches_[mode];
    reused_[mode] += reused[i];
  }
}

SearchStats ModeSearch::Stats() const {
  SearchStats stats;
  stats.mode_searches = searches_;
  stats.mode_reused = reused_;
  stats.blocks_matched = residual_search_.blocks_matched();
  stats.multiply_adds = residual_search_.multiply_adds();
  stats.seconds_prediction = seconds_prediction_;
  stats.seconds_lsp = seconds_lsp_;
  stats.seconds_matching = residual_search_.seconds_matching();
  stats.seconds_trees = residual_search_.seconds_trees();
  return stats;
}

}  // namespace mmp
