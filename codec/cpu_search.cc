#include "codec/cpu_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codec/arena.h"
#include "codec/branch_team.h"
#include "codec/canvas.h"
#include "codec/least_cost.h"
#include "codec/node_memo.h"
#include "codec/predict.h"
#include "codec/predictors.h"
#include "codec/residual_search.h"
#include "codec/satd.h"
#include "codec/stopwatch.h"

namespace mmp {
namespace {

// How a node of the prediction tree is best coded.
struct Choice {
  BlockRect rect;
  PredictionFlag flag = kLeaf;
  int32_t cost = 0;
  // If both are split:
  Choice* half[2] = {};
  // Otherwise: one mode of those available, and the residual that it leaves.
  uint32_t modes = 0;
  int mode = 0;
  const uint8_t* prediction = nullptr;
  ResidualSearch::BlockId residual = 0;
  const ResidualSearch* residual_search = nullptr;
  const uint8_t* reconstruction = nullptr;  // made when first needed
};

ResidualFlag RootFlag(PredictionFlag flag) {
  return flag == kLeaf ? kPattern : static_cast<ResidualFlag>(flag - kSplitResidualVertical + 1);
}

template <int kWidth>
void SubtractRows(const uint8_t* original, const uint8_t* prediction, int height,
                  int16_t* residual) {
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < kWidth; ++j)
      residual[i * kWidth + j] =
          static_cast<int16_t>(original[i * kMacroblockSize + j] - prediction[i * kWidth + j]);
}

// What the prediction leaves of the original: residual[i * width + j].
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

// What a mode of a node costs at least, by the decision at the residual tree's root.
struct ModeOutcome {
  const uint8_t* prediction;
  ResidualSearch::BlockId residual;
  RootCosts costs;
};

// Tries the modes of a node.
class ModeSearch {
 public:
  ModeSearch(const SearchEffort& effort, bool timing)
      : effort_(effort), timing_(timing), residual_search_(effort.residual_slack_q4, timing) {}

  void Begin(const SearchRates& rates, const CopyBlocks& copies,
             const MacroblockSamples& original) {
    rates_ = &rates;
    copies_ = &copies;
    original_ = &original;
    root_lambda_q4_ = static_cast<int32_t>(std::sqrt(static_cast<double>(rates.lambda().q8)));
    arena_.Reset();
    residual_search_.Begin(rates);
  }

  // outcomes[m] for every mode m in `modes`, whose rates are given; of modes that cost `budget` or
  // more, or that the effort leaves out, the costs are kImpossible.
  void Search(const Canvas& canvas, const BlockBorder& border, BlockRect rect, uint32_t modes,
              std::span<const int32_t, kModes> rates_q12, int32_t budget, ModeOutcome* outcomes);

  const ResidualSearch& residual_search() const { return residual_search_; }
  void AddStats(EncodeStats& stats) const;

 private:
  struct Candidate {
    int mode;
    int64_t estimate;
  };

  void Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
               uint8_t* prediction);
  int KeepMostPromising(BlockRect rect, std::span<const int32_t, kModes> rates_q12,
                        std::array<Candidate, kModes>& candidates, int count,
                        int16_t* residuals) const;
  template <typename Keep>
  static int KeepIf(std::array<Candidate, kModes>& candidates, int count, int16_t* residuals,
                    int pixels, Keep keep);

  const SearchEffort effort_;
  const bool timing_;
  const SearchRates* rates_ = nullptr;
  int32_t root_lambda_q4_ = 0;  // square root of lambda: absolute differences per bit
  const CopyBlocks* copies_ = nullptr;
  const MacroblockSamples* original_ = nullptr;
  Arena arena_;
  ResidualSearch residual_search_;
  std::array<int64_t, kModes> searches_{};
  std::array<int64_t, kModes> reused_{};
  double seconds_prediction_ = 0;
  double seconds_lsp_ = 0;
};

void ModeSearch::Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
                         uint8_t* prediction) {
  const bool is_lsp = mode == kLeastSquares || mode == kBlockLeastSquares;
  const StageTimer timer(timing_, is_lsp ? seconds_lsp_ : seconds_prediction_);
  mmp::Predict(canvas, border, *copies_, rect, mode, prediction);
}

void ModeSearch::Search(const Canvas& canvas, const BlockBorder& border, BlockRect rect,
                        uint32_t modes, std::span<const int32_t, kModes> rates_q12, int32_t budget,
                        ModeOutcome* outcomes) {
  const int pixels = rect.pixels();
  alignas(64) int16_t residuals[kModes * kMacroblockPixels];
  std::array<Candidate, kModes> candidates;
  int count = 0;
  uint8_t* prediction =
      arena_.Allocate<uint8_t>(static_cast<size_t>(std::popcount(modes)) * pixels);
  for (int mode = 0; mode < kModes; ++mode) {
    if ((modes >> mode & 1) == 0) continue;
    Predict(canvas, border, rect, mode, prediction);
    int16_t* residual = residuals + count * pixels;
    Subtract(*original_, rect, prediction, residual);
    outcomes[mode] = {prediction, 0, {kImpossible, kImpossible, kImpossible}};
    prediction += pixels;
    candidates[count++] = {mode, 0};
  }
  if (effort_.modes_searched > 0 && count > effort_.modes_searched)
    count = KeepMostPromising(rect, rates_q12, candidates, count, residuals);
  count = KeepIf(candidates, count, residuals, pixels, [&](int k) {
    return residual_search_.least_cost().PredictionLeaf(
               rect.level, ScaledNorm(residuals + k * pixels, pixels)) < budget;
  });
  std::array<ResidualSearch::BlockId, kModes> blocks;
  std::array<RootCosts, kModes> costs;
  std::array<bool, kModes> reused;
  residual_search_.Solve(rect.level, residuals, count, blocks.data(), costs.data(), reused.data());
  for (int k = 0; k < count; ++k) {
    const int mode = candidates[k].mode;
    outcomes[mode].residual = blocks[k];
    outcomes[mode].costs = costs[k];
    ++searches_[mode];
    reused_[mode] += reused[k];
  }
}

// Leaves the candidates of least estimated cost, in order of mode, and their residuals.
int ModeSearch::KeepMostPromising(BlockRect rect, std::span<const int32_t, kModes> rates_q12,
                                  std::array<Candidate, kModes>& candidates, int count,
                                  int16_t* residuals) const {
  std::array<int32_t, kModes> satd;
  SatdOfBlocks(residuals, count, kLevelShapes[rect.level], satd.data());
  for (int k = 0; k < count; ++k) {
    const int64_t rate_q12 = rates_q12[candidates[k].mode];
    candidates[k].estimate = 16 * satd[k] + (root_lambda_q4_ * rate_q12 >> kRateShift);
  }
  // The mode's number decides between equal estimates.
  std::array<std::pair<int64_t, int>, kModes> order;
  for (int k = 0; k < count; ++k) order[k] = {candidates[k].estimate, k};
  const int last_kept = effort_.modes_searched - 1;
  std::nth_element(order.begin(), order.begin() + last_kept, order.begin() + count);
  const std::pair<int64_t, int> last = order[last_kept];
  return KeepIf(candidates, count, residuals, rect.pixels(),
                [&](int k) { return std::pair<int64_t, int>(candidates[k].estimate, k) <= last; });
}

// Leaves the candidates and residuals for which keep(k); returns how many.
template <typename Keep>
int ModeSearch::KeepIf(std::array<Candidate, kModes>& candidates, int count, int16_t* residuals,
                       int pixels, Keep keep) {
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

void ModeSearch::AddStats(EncodeStats& stats) const {
  for (int m = 0; m < kModes; ++m) {
    stats.mode_searches[m] += searches_[m];
    stats.mode_reused[m] += reused_[m];
  }
  stats.partitions_matched += residual_search_.partitions_matched();
  stats.multiply_adds += residual_search_.multiply_adds();
  stats.seconds_prediction += seconds_prediction_;
  stats.seconds_lsp += seconds_lsp_;
  stats.seconds_matching += residual_search_.seconds_matching();
  stats.seconds_trees += residual_search_.seconds_trees();
}

// Searches the prediction tree or a branch of it: the work of one thread.
class BranchSearch {
 public:
  BranchSearch(const SearchEffort& effort, BranchTeam& team, bool timing)
      : effort_(effort), team_(team), mode_search_(effort, timing) {}

  void Begin(const SearchRates& rates, const CopyBlocks& copies,
             const MacroblockSamples& original) {
    rates_ = &rates;
    copies_ = &copies;
    arena_.Reset();
    memo_.Clear();
    mode_search_.Begin(rates, copies, original);
  }

  // An idle search and the member of the team that is to run it.
  struct Helper {
    BranchSearch* search;
    int member;
  };
  // The cheapest way to code `rect` given `canvas`; null if none costs less than `budget`. Changes
  // of the canvas inside the rectangle are undone. Branches may go to `others`.
  Choice* SearchNode(Canvas& canvas, BlockRect rect, int32_t budget,
                     std::span<const Helper> others);

  void AddStats(EncodeStats& stats) const;

 private:
  Choice* SearchNewNode(Canvas& canvas, BlockRect rect, int32_t budget,
                        std::span<const Helper> others);
  Choice* SearchLeaf(const Canvas& canvas, BlockRect rect, int32_t budget);
  Choice* SearchSplit(Canvas& canvas, BlockRect rect, Split split, int32_t budget,
                      std::span<const Helper> others);
  void Materialize(Choice& choice, Canvas& canvas);
  const LeastCost& LeastCosts() const { return mode_search_.residual_search().least_cost(); }

  const SearchEffort effort_;
  BranchTeam& team_;
  const SearchRates* rates_ = nullptr;
  const CopyBlocks* copies_ = nullptr;
  ModeSearch mode_search_;
  Arena arena_;
  NodeMemo<Choice> memo_;
  int64_t nodes_ = 0;
};

Choice* BranchSearch::SearchLeaf(const Canvas& canvas, BlockRect rect, int32_t budget) {
  ++nodes_;
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  const uint32_t modes = AvailableModes(border, *copies_, rect) & rates_->tile().parameters.modes;
  const auto mode_rates_q12 = rates_->ModeRatesQ12(rect.level, modes);
  std::array<ModeOutcome, kModes> outcomes;
  mode_search_.Search(canvas, border, rect, modes, mode_rates_q12, budget, outcomes.data());

  const auto& flags = rates_->PredictionFlags(rect.level);
  int32_t best_cost = budget;
  int best = -1;
  PredictionFlag best_flag = kLeaf;
  for (int mode = 0; mode < kModes; ++mode) {
    if ((modes >> mode & 1) == 0) continue;
    const int32_t mode_cost = rates_->lambda().Cost(mode_rates_q12[mode]);
    auto consider = [&](PredictionFlag flag, int32_t tree_cost) {
      if (tree_cost >= kImpossible) return;
      const int32_t cost = mode_cost + flags[flag] + tree_cost;
      if (cost >= best_cost) return;
      best_cost = cost;
      best = mode;
      best_flag = flag;
    };
    consider(kLeaf, outcomes[mode].costs.pattern);
    consider(kSplitResidualVertical, outcomes[mode].costs.vertical);
    consider(kSplitResidualHorizontal, outcomes[mode].costs.horizontal);
  }
  if (best < 0) return nullptr;
  Choice* choice = arena_.New<Choice>();
  choice->rect = rect;
  choice->flag = best_flag;
  choice->cost = best_cost;
  choice->modes = modes;
  choice->mode = best;
  choice->prediction = outcomes[best].prediction;
  choice->residual = outcomes[best].residual;
  choice->residual_search = &mode_search_.residual_search();
  return choice;
}

// Writes the choice's reconstruction to the canvas and marks it available.
void BranchSearch::Materialize(Choice& choice, Canvas& canvas) {
  if (choice.half[0] != nullptr) {
    Materialize(*choice.half[0], canvas);
    Materialize(*choice.half[1], canvas);
    return;
  }
  const BlockRect rect = choice.rect;
  if (choice.reconstruction == nullptr) {
    int16_t residual[kMacroblockPixels];
    choice.residual_search->Reconstruct(rect.level, choice.residual, RootFlag(choice.flag),
                                        residual);
    uint8_t* reconstruction = arena_.Allocate<uint8_t>(rect.pixels());
    for (int k = 0; k < rect.pixels(); ++k)
      reconstruction[k] =
          static_cast<uint8_t>(std::clamp(choice.prediction[k] + residual[k], 0, 255));
    choice.reconstruction = reconstruction;
  }
  for (int i = 0; i < rect.height(); ++i)
    std::memcpy(canvas.pixels + Canvas::Index(rect.y + i, rect.x),
                choice.reconstruction + i * rect.width(), rect.width());
  MarkAvailable(canvas, rect);
}

Choice* BranchSearch::SearchSplit(Canvas& canvas, BlockRect rect, Split split, int32_t budget,
                                  std::span<const Helper> others) {
  const PredictionFlag flag = split == Split::kVertical ? kSplitBothVertical : kSplitBothHorizontal;
  const int32_t flag_cost = rates_->PredictionFlags(rect.level)[flag];
  const BlockRect rects[2] = {rect.Half(split, 0), rect.Half(split, 1)};
  Choice* first = SearchNode(
      canvas, rects[0], budget - flag_cost - LeastCosts().PredictionNode(rects[1].level), others);
  if (first == nullptr) return nullptr;
  Materialize(*first, canvas);
  Choice* second = SearchNode(canvas, rects[1], budget - flag_cost - first->cost, others);
  Withdraw(canvas, rects[0]);
  if (second == nullptr) return nullptr;
  Choice* choice = arena_.New<Choice>();
  choice->rect = rect;
  choice->flag = flag;
  choice->cost = flag_cost + first->cost + second->cost;
  choice->half[0] = first;
  choice->half[1] = second;
  return choice;
}

Choice* BranchSearch::SearchNode(Canvas& canvas, BlockRect rect, int32_t budget,
                                 std::span<const Helper> others) {
  if (budget <= LeastCosts().PredictionNode(rect.level)) return nullptr;
  const bool far = (rates_->tile().parameters.modes & kFarModes) != 0;
  const NodeContext context(canvas, rect, far);
  if (const auto answer = memo_.Find(context, rect, budget); answer.known) return answer.choice;
  Choice* choice = SearchNewNode(canvas, rect, budget, others);
  memo_.Add(context, rect, budget, choice);
  return choice;
}

Choice* BranchSearch::SearchNewNode(Canvas& canvas, BlockRect rect, int32_t budget,
                                    std::span<const Helper> others) {
  auto may_split = [&](Split split) {
    if (!PredictionMaySplit(rect.level, split, rates_->tile().parameters.prediction_level))
      return false;
    const LevelShape half = kLevelShapes[HalfLevel(rect.level, split)];
    return std::min(half.height(), half.width()) >= effort_.thinnest_prediction;
  };
  const int32_t good_enough = effort_.GoodEnough(LeastCosts().OtherPredictionLeaf(rect.level));
  Choice* best = SearchLeaf(canvas, rect, std::max(budget, good_enough));
  const bool stop = best != nullptr && best->flag == kLeaf && best->cost < good_enough;
  if (best != nullptr && best->cost >= budget) best = nullptr;
  if (stop) return best;
  if (best != nullptr) budget = best->cost;
  const bool vertical = may_split(Split::kVertical), horizontal = may_split(Split::kHorizontal);
  if (vertical && horizontal && !others.empty()) {
    // The horizontal branch goes to the first of the others and half of the rest, on a canvas of
    // its own.
    const Helper helper = others[0];
    const size_t shared = (others.size() - 1) / 2;
    Canvas helper_canvas = canvas;
    Choice* helper_choice = nullptr;
    auto search_horizontal = [&] {
      helper_choice = helper.search->SearchSplit(helper_canvas, rect, Split::kHorizontal, budget,
                                                 others.subspan(1, shared));
    };
    team_.Offer(helper.member, search_horizontal);
    Choice* choice =
        SearchSplit(canvas, rect, Split::kVertical, budget, others.subspan(1 + shared));
    team_.Finish(helper.member);
    if (choice != nullptr) best = choice;
    if (helper_choice != nullptr && (best == nullptr || helper_choice->cost < best->cost))
      best = helper_choice;
    return best;
  }
  for (const Split split : {Split::kVertical, Split::kHorizontal}) {
    if (!(split == Split::kVertical ? vertical : horizontal)) continue;
    if (Choice* choice = SearchSplit(canvas, rect, split, budget, others)) {
      best = choice;
      budget = choice->cost;
    }
  }
  return best;
}

void BranchSearch::AddStats(EncodeStats& stats) const {
  stats.nodes_searched += nodes_;
  mode_search_.AddStats(stats);
}

class CpuSearch : public MacroblockSearch {
 public:
  CpuSearch(const SearchEffort& effort, int threads, bool timing)
      : timing_(timing), team_(std::min(threads, kMostThreads)) {
    for (int t = 0; t < team_.size(); ++t) {
      branches_.push_back(std::make_unique<BranchSearch>(effort, team_, timing));
      if (t > 0) helpers_.push_back({branches_.back().get(), t});
    }
  }

  Status Search(const TileState& tile, Lambda lambda, const MacroblockSamples& original, int y,
                int x, MacroblockSymbols& symbols) override {
    {
      const StageTimer timer(timing_, seconds_prices_);
      rates_.Update(tile, lambda);
    }
    for (auto& branch : branches_) branch->Begin(rates_, tile.copies, original);
    Canvas canvas;
    LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, canvas);
    const Choice* choice =
        branches_[0]->SearchNode(canvas, {0, 0, kMacroblockLevel}, kNoBudget, helpers_);
    symbols.clear();
    Emit(*choice, symbols);
    return {};
  }

  void AddStats(EncodeStats& stats) const override {
    stats.seconds_prices += seconds_prices_;
    for (const auto& branch : branches_) branch->AddStats(stats);
  }

 private:
  static constexpr int kMostThreads = 16;  // a macroblock has no work for more
  static constexpr int32_t kNoBudget = 0x7fffffff;

  void Emit(const Choice& choice, MacroblockSymbols& symbols) const {
    const int level = choice.rect.level;
    if (!std::has_single_bit(
            AllowedPredictionFlags(level, rates_.tile().parameters.prediction_level)))
      symbols.push_back(choice.flag);
    if (choice.half[0] != nullptr) {
      Emit(*choice.half[0], symbols);
      Emit(*choice.half[1], symbols);
      return;
    }
    if (!std::has_single_bit(choice.modes)) symbols.push_back(choice.mode);
    choice.residual_search->Emit(level, choice.residual, RootFlag(choice.flag), symbols);
  }

  const bool timing_;
  double seconds_prices_ = 0;
  SearchRates rates_;
  BranchTeam team_;
  std::vector<std::unique_ptr<BranchSearch>> branches_;
  std::vector<BranchSearch::Helper> helpers_;  // all branches but the first
};

}  // namespace

SearchEffort SearchEffort::Of(Preset preset) {
  if (preset == Preset::kFast)
    return {.modes_searched = 3,
            .thinnest_prediction = 4,
            .residual_slack_q4 = 14,
            .prediction_slack_q4 = 384};
  if (preset == Preset::kBest) return {.modes_searched = 10};
  return {};
}

std::unique_ptr<MacroblockSearch> MakeCpuSearch(const SearchEffort& effort, int threads,
                                                bool timing) {
  return std::make_unique<CpuSearch>(effort, threads, timing);
}

}  // namespace mmp
