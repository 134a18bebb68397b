#include "codec/search/mode_search.h"

#include <algorithm>
#include <bit>

#include "codec/base/stopwatch.h"
#include "codec/intra/predict.h"
#include "codec/rdo/satd.h"

namespace mmp {
namespace {

template <int kWidth>
void SubtractRows(const uint8_t* original, const uint8_t* prediction, int height,
                  int16_t* residual) {
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < kWidth; ++j)
      residual[i * kWidth + j] =
          static_cast<int16_t>(original[i * kMacroblockSize + j] - prediction[i * kWidth + j]);
}

// The residual of a prediction: residual[i * width + j] is the original minus the prediction.
void Subtract(const MacroblockSamples& original, BlockRect rect, const uint8_t* prediction,
              int16_t* residual) {
  const uint8_t* samples = original.samples + rect.y * kMacroblockSize + rect.x;
  switch (rect.width()) {
    case 1:
      return SubtractRows<1>(samples, prediction, rect.height(), residual);
    case 2:
      return SubtractRows<2>(samples, prediction, rect.height(), residual);
    case 4:
      return SubtractRows<4>(samples, prediction, rect.height(), residual);
    case 8:
      return SubtractRows<8>(samples, prediction, rect.height(), residual);
    default:
      return SubtractRows<16>(samples, prediction, rect.height(), residual);
  }
}

}  // namespace

void ModeSearch::Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
                         uint8_t* prediction) {
  const bool is_lsp = mode == kLeastSquares || mode == kBlockLeastSquares;
  const StageTimer timer(timing_, is_lsp ? seconds_lsp_ : seconds_prediction_);
  mmp::Predict(canvas, border, *copies_, rect, mode, prediction);
}

void ModeSearch::Search(const Canvas& canvas, const BlockBorder& border, const Node& node,
                        std::span<const int32_t, kPredictionModes> rates_q12, int32_t budget,
                        ModeOutcome* outcomes) {
  const BlockRect rect = node.rect;
  const int pixels = rect.pixels();
  alignas(64) int16_t residuals[kPredictionModes * kMacroblockPixels];
  std::array<ModeEstimate, kPredictionModes> candidates;
  int count = 0;
  uint8_t* prediction =
      arena_.Allocate<uint8_t>(static_cast<size_t>(std::popcount(node.modes)) * pixels);
  for (int mode = 0; mode < kPredictionModes; ++mode) {
    if ((node.modes >> mode & 1) == 0) continue;
    Predict(canvas, border, rect, mode, prediction);
    int16_t* residual = residuals + count * pixels;
    Subtract(*original_, rect, prediction, residual);
    outcomes[mode] = {prediction, 0, {kImpossible, kImpossible, kImpossible}};
    prediction += pixels;
    candidates[count++] = {0, mode};
  }
  count = KeepPromising(node, rates_q12, candidates, count, residuals);
  count = KeepIf(candidates, count, residuals, pixels, [&](int k) {
    return residual_search_.cost_bounds().PredictionLeaf(
               rect.level, ScaledNorm(residuals + k * pixels, pixels)) < budget;
  });
  std::array<ResidualSearch::BlockId, kPredictionModes> blocks;
  std::array<RootCosts, kPredictionModes> costs;
  std::array<bool, kPredictionModes> reused;
  residual_search_.Solve(rect.level, residuals, count, blocks.data(), costs.data(), reused.data());
  for (int k = 0; k < count; ++k) {
    const int mode = candidates[k].mode;
    outcomes[mode].residual = blocks[k];
    outcomes[mode].costs = costs[k];
    ++searches_[mode];
    reused_[mode] += reused[k];
  }
}

// Leaves the candidates of least estimated cost, in order of mode, and their residuals; none if the
// node is not to be coded whole.
int ModeSearch::KeepPromising(const Node& node,
                              std::span<const int32_t, kPredictionModes> rates_q12,
                              std::array<ModeEstimate, kPredictionModes>& candidates, int count,
                              int16_t* residuals) const {
  const bool are_few =
      speed_features_.modes_searched == 0 || count <= speed_features_.modes_searched;
  if (are_few && speed_features_.whole_satd_q4 == 0) return count;
  const int level = node.rect.level;
  std::array<int32_t, kPredictionModes> satd;
  SatdOfBlocks(residuals, count, kLevelShapes[level], satd.data());
  const int32_t least = *std::min_element(satd.begin(), satd.begin() + count);
  if (node.may_be_split && !speed_features_.AllowWhole(level, least, root_lambda_q4_)) return 0;
  if (are_few) return count;
  for (int k = 0; k < count; ++k)
    candidates[k].q4 = ModeEstimateQ4(satd[k], root_lambda_q4_, rates_q12[candidates[k].mode]);
  std::array<ModeEstimate, kPredictionModes> order;
  std::copy_n(candidates.begin(), count, order.begin());
  const int last_kept = speed_features_.modes_searched - 1;
  std::nth_element(order.begin(), order.begin() + last_kept, order.begin() + count,
                   IsMorePromising);
  const ModeEstimate last = order[last_kept];
  return KeepIf(candidates, count, residuals, node.rect.pixels(),
                [&](int k) { return !IsMorePromising(last, candidates[k]); });
}

// Leaves the candidates and residuals for which keep(k); returns how many.
template <typename Keep>
int ModeSearch::KeepIf(std::array<ModeEstimate, kPredictionModes>& candidates, int count,
                       int16_t* residuals, int pixels, Keep keep) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    if (!keep(k)) continue;
    if (kept < k) {
      candidates[kept] = candidates[k];
      std::copy_n(residuals + k * pixels, pixels, residuals + kept * pixels);
    }
    ++kept;
  }
  return kept;
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
