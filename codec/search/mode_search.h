// The search for the best prediction mode of a node: predicts it by every mode, and has the
// residual trees of the most promising ones searched.
#ifndef MMP_CODEC_SEARCH_MODE_SEARCH_H_
#define MMP_CODEC_SEARCH_MODE_SEARCH_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/canvas.h"
#include "codec/intra/predictors.h"
#include "codec/rdo/decision_rules.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/satd.h"
#include "codec/rdo/search_stats.h"
#include "codec/rdo/speed_features.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/search/arena.h"
#include "codec/search/residual_search.h"

namespace mmp {

// The least cost of a node with one mode, for each decision at the root of the residual tree.
struct ModeOutcome {
  const uint8_t* prediction;
  ResidualSearch::BlockId residual;
  RootCosts costs;
};

// Tries the modes of a node.
class ModeSearch {
 public:
  ModeSearch(const SpeedFeatures& speed_features, bool timing)
      : speed_features_(speed_features),
        uses_satd_(speed_features.modes_searched > 0 || speed_features.whole_satd_q4 > 0 ||
                   speed_features.halves_angles),
        timing_(timing),
        residual_search_(speed_features.residual_slack_q4, timing) {}

  // Turns to a macroblock. `keep`, if it is of the same front: what was found out so far stays.
  void Begin(const SymbolCosts& symbol_costs, const BlockCopies& copies,
             const MacroblockSamples& original, bool keep) {
    symbol_costs_ = &symbol_costs;
    copies_ = &copies;
    original_ = &original;
    if (keep) return;
    root_lambda_q4_ = RootLambdaQ4(symbol_costs.lambda());
    arena_.Reset();
    residual_search_.Begin(symbol_costs);
  }

  // A node whose modes are searched.
  struct Node {
    BlockRect rect;
    uint32_t modes;     // a bit each
    bool may_be_split;  // if so, it need not be coded whole
  };

  // Which splits of a node are to be searched, by enum Split.
  using Ways = std::array<bool, 2>;

  // outcomes[m] for every mode m of the node, whose rates are given; of modes that cost `budget` or
  // more, or that the speed features leave out, the costs are kImpossible. If they leave out all of
  // them, as the node is not to be coded whole, returns how it is to be split, in one way at least.
  Ways Search(const Canvas& canvas, const BlockBorder& border, const Node& node,
              std::span<const int32_t, kPredictionModes> rates_q12, int32_t budget,
              ModeOutcome* outcomes);

  const ResidualSearch& residual_search() const { return residual_search_; }
  SearchStats Stats() const;

 private:
  // What modes of a node predict.
  struct Predictions {
    int count = 0;
    uint8_t* samples = nullptr;  // one prediction behind the other
    std::array<uint8_t, kPredictionModes> modes;
    std::array<int32_t, kPredictionModes> satd;            // if uses_satd_
    std::array<QuadrantSatd, kPredictionModes> quadrants;  // of a macroblock, if they are asked for
    int32_t LeastSatd() const { return *std::min_element(satd.begin(), satd.begin() + count); }
  };

  void Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
               uint8_t* prediction);
  void AddPredictions(const Canvas& canvas, const BlockBorder& border, BlockRect rect,
                      uint32_t modes, Predictions& to);
  static uint32_t AnglesBesideBest(const Predictions& predictions);
  Ways WaysBySatd(const Predictions& predictions) const;
  uint32_t Promising(const Predictions& predictions,
                     std::span<const int32_t, kPredictionModes> rates_q12) const;
  void SearchResiduals(BlockRect rect, const Predictions& predictions, uint32_t which,
                       int32_t budget, ModeOutcome* outcomes);
  // Its first sample; rows are kMacroblockSize apart.
  const uint8_t* Original(BlockRect rect) const {
    return original_->samples + rect.y * kMacroblockSize + rect.x;
  }

  const SpeedFeatures speed_features_;
  const bool uses_satd_;
  const bool timing_;
  const SymbolCosts* symbol_costs_ = nullptr;
  int32_t root_lambda_q4_ = 0;
  const BlockCopies* copies_ = nullptr;
  const MacroblockSamples* original_ = nullptr;
  Arena arena_;
  alignas(64) int16_t residuals_[kPredictionModes * kMacroblockPixels];  // scratch
  ResidualSearch residual_search_;
  std::array<int64_t, kPredictionModes> searches_{};
  std::array<int64_t, kPredictionModes> reused_{};
  double seconds_prediction_ = 0;
  double seconds_lsp_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_MODE_SEARCH_H_
