#include "codec/cpu_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "codec/arena.h"
#include "codec/branch_team.h"
#include "codec/canvas.h"
#include "codec/lsp.h"
#include "codec/node_memo.h"
#include "codec/predictors.h"
#include "codec/residual_search.h"
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

// One thread's part of the search, with its own memo.
class BranchSearch {
 public:
  BranchSearch(const SearchEffort& effort, bool timing)
      : effort_(effort), timing_(timing), residual_search_(timing) {}

  void Begin(const SearchRates& rates, const MacroblockSamples& original) {
    rates_ = &rates;
    original_ = &original;
    arena_.Reset();
    residual_search_.Begin(rates);
    memo_.Clear();
    UpdateLeastCosts();
  }

  // The cheapest way to code `rect` given `canvas`; null if none costs less than `budget`. May change
  // what the canvas holds inside the rectangle, but for the flags.
  // Branches go to members [self, self + members) of `team`.
  Choice* SearchNode(Canvas& canvas, BlockRect rect, int32_t budget, BranchTeam& team,
                     std::vector<std::unique_ptr<BranchSearch>>& all, int self, int members);

  void AddStats(EncodeStats& stats) const;

 private:
  Choice* SearchNewNode(Canvas& canvas, BlockRect rect, int32_t budget, BranchTeam& team,
                        std::vector<std::unique_ptr<BranchSearch>>& all, int self, int members);
  Choice* SearchLeaf(const Canvas& canvas, BlockRect rect, int32_t budget);
  Choice* SearchSplit(Canvas& canvas, BlockRect rect, Split split, int32_t budget,
                      BranchTeam& team, std::vector<std::unique_ptr<BranchSearch>>& all, int self,
                      int members);
  void Subtract(BlockRect rect, const uint8_t* prediction, int16_t* residual) const;
  void Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
               uint8_t* prediction);
  void Materialize(Choice& choice, Canvas& canvas);
  void UpdateLeastCosts();

  const SearchEffort effort_;
  const bool timing_;
  const SearchRates* rates_ = nullptr;
  const MacroblockSamples* original_ = nullptr;
  Arena arena_;
  ResidualSearch residual_search_;
  NodeMemo<Choice> memo_;
  std::array<int32_t, kLevelCount> least_;  // that a prediction node of the level can cost

  int64_t nodes_ = 0;
  std::array<int64_t, kModes> searches_{};
  std::array<int64_t, kModes> reused_{};
  double seconds_prediction_ = 0;
  double seconds_lsp_ = 0;
};

void BranchSearch::UpdateLeastCosts() {
  // Least cost of a residual tree, then of a prediction node: no rate is less than zero.
  for (int level = 0; level < kLevelCount; ++level) {
    const auto& flags = rates_->PredictionFlags(level);
    least_[level] = flags[kLeaf] + rates_->CheapestIndex(level);
    for (Split split : {Split::kVertical, Split::kHorizontal}) {
      const int s = static_cast<int>(split);
      if (HalfLevel(level, split) < 0) continue;
      // Any tree below has at least its flags; count them as free.
      least_[level] = std::min({least_[level], flags[kSplitResidualVertical + s],
                                flags[kSplitBothVertical + s]});
    }
  }
}

// What the prediction leaves of the original: residual[i * width + j].
void BranchSearch::Subtract(BlockRect rect, const uint8_t* prediction, int16_t* residual) const {
  const int w = rect.width();
  for (int i = 0; i < rect.height(); ++i) {
    const uint8_t* row = original_->samples + (rect.y + i) * kMacroblockSize + rect.x;
    for (int j = 0; j < w; ++j)
      residual[i * w + j] = static_cast<int16_t>(row[j] - prediction[i * w + j]);
  }
}

void BranchSearch::Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect,
                           int mode, uint8_t* prediction) {
  if (mode == kLeastSquares) {
    const StageTimer timer(timing_, seconds_lsp_);
    PredictLsp(canvas, rect, prediction);
  } else {
    const StageTimer timer(timing_, seconds_prediction_);
    PredictBlock(border, mode, rect.level, prediction);
  }
}

Choice* BranchSearch::SearchLeaf(const Canvas& canvas, BlockRect rect, int32_t budget) {
  ++nodes_;
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  const uint32_t modes = AvailableModes(border, rect.level) & rates_->tile().parameters.modes;
  const int pixels = rect.pixels();
  alignas(64) int16_t residuals[kModes * kMacroblockPixels];
  uint8_t* predictions = arena_.Allocate<uint8_t>(static_cast<size_t>(kModes) * pixels);
  std::array<int, kModes> mode_of;
  int count = 0;
  for (int mode = 0; mode < kModes; ++mode) {
    if ((modes >> mode & 1) == 0) continue;
    uint8_t* prediction = predictions + count * pixels;
    Predict(canvas, border, rect, mode, prediction);
    Subtract(rect, prediction, residuals + count * pixels);
    mode_of[count++] = mode;
    ++searches_[mode];
  }

  std::array<ResidualSearch::BlockId, kModes> blocks;
  std::array<RootCosts, kModes> costs;
  std::array<bool, kModes> reused;
  residual_search_.Solve(rect.level, residuals, count, blocks.data(), costs.data(),
                         reused.data());
  const auto& flags = rates_->PredictionFlags(rect.level);
  int32_t best_cost = budget;
  int best = -1;
  PredictionFlag best_flag = kLeaf;
  for (int k = 0; k < count; ++k) {
    reused_[mode_of[k]] += reused[k];
    const int32_t mode_cost = rates_->Mode(rect.level, mode_of[k], modes);
    auto consider = [&](PredictionFlag flag, int32_t tree_cost) {
      if (tree_cost >= kImpossible) return;
      const int32_t cost = mode_cost + flags[flag] + tree_cost;
      if (cost >= best_cost) return;
      best_cost = cost;
      best = k;
      best_flag = flag;
    };
    consider(kLeaf, costs[k].pattern);
    consider(kSplitResidualVertical, costs[k].vertical);
    consider(kSplitResidualHorizontal, costs[k].horizontal);
  }
  if (best < 0) return nullptr;
  Choice* choice = arena_.New<Choice>();
  choice->rect = rect;
  choice->flag = best_flag;
  choice->cost = best_cost;
  choice->modes = modes;
  choice->mode = mode_of[best];
  choice->prediction = predictions + best * pixels;
  choice->residual = blocks[best];
  choice->residual_search = &residual_search_;
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
                                  BranchTeam& team,
                                  std::vector<std::unique_ptr<BranchSearch>>& all, int self,
                                  int members) {
  const PredictionFlag flag =
      split == Split::kVertical ? kSplitBothVertical : kSplitBothHorizontal;
  const int32_t flag_cost = rates_->PredictionFlags(rect.level)[flag];
  const BlockRect rects[2] = {rect.Half(split, 0), rect.Half(split, 1)};
  Choice* first = SearchNode(canvas, rects[0], budget - flag_cost - least_[rects[1].level], team,
                             all, self, members);
  if (first == nullptr) return nullptr;
  Materialize(*first, canvas);
  Choice* second =
      SearchNode(canvas, rects[1], budget - flag_cost - first->cost, team, all, self, members);
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

Choice* BranchSearch::SearchNode(Canvas& canvas, BlockRect rect, int32_t budget, BranchTeam& team,
                                 std::vector<std::unique_ptr<BranchSearch>>& all, int self,
                                 int members) {
  if (budget <= least_[rect.level]) return nullptr;
  const NodeContext context(canvas, rect);
  if (const auto answer = memo_.Find(context, rect, budget); answer.known) return answer.choice;
  Choice* choice = SearchNewNode(canvas, rect, budget, team, all, self, members);
  memo_.Add(context, rect, budget, choice);
  return choice;
}

Choice* BranchSearch::SearchNewNode(Canvas& canvas, BlockRect rect, int32_t budget,
                                    BranchTeam& team,
                                    std::vector<std::unique_ptr<BranchSearch>>& all, int self,
                                    int members) {
  const TileState& tile = rates_->tile();
  auto may_split = [&](Split split) {
    if (!PredictionMaySplit(rect.level, split, tile.parameters.prediction_level)) return false;
    const LevelShape half = kLevelShapes[HalfLevel(rect.level, split)];
    return std::min(half.height(), half.width()) >= effort_.thinnest_prediction;
  };
  Choice* best = SearchLeaf(canvas, rect, budget);
  if (best != nullptr) budget = best->cost;
  const bool vertical = may_split(Split::kVertical), horizontal = may_split(Split::kHorizontal);
  if (vertical && horizontal && members > 1) {
    // The horizontal branch goes to the other half of the members, on a canvas of its own.
    const int others = members / 2;
    const int other = self + members - others;
    Canvas other_canvas = canvas;
    Choice* other_choice = nullptr;
    team.Start(other, [&, budget] {
      other_choice = all[other]->SearchSplit(other_canvas, rect, Split::kHorizontal, budget, team,
                                             all, other, others);
    });
    Choice* choice = SearchSplit(canvas, rect, Split::kVertical, budget, team, all, self,
                                 members - others);
    team.Wait(other);
    if (choice != nullptr) best = choice;
    if (other_choice != nullptr && (best == nullptr || other_choice->cost < best->cost))
      best = other_choice;
    return best;
  }
  for (Split split : {Split::kVertical, Split::kHorizontal}) {
    if (!(split == Split::kVertical ? vertical : horizontal)) continue;
    if (Choice* choice = SearchSplit(canvas, rect, split, budget, team, all, self, members)) {
      best = choice;
      budget = choice->cost;
    }
  }
  return best;
}

void BranchSearch::AddStats(EncodeStats& stats) const {
  stats.nodes_searched += nodes_;
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

class CpuSearch : public MacroblockSearch {
 public:
  CpuSearch(const SearchEffort& effort, int threads, bool timing) : team_(threads) {
    for (int t = 0; t < threads; ++t) 
      branches_.push_back(std::make_unique<BranchSearch>(effort, timing));
  }

  void Search(const TileState& tile, Lambda lambda, const MacroblockSamples& original, int y,
              int x, MacroblockSymbols& symbols) override {
    rates_.Update(tile, lambda);
    for (auto& branch : branches_) branch->Begin(rates_, original);
    Canvas canvas;
    LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, canvas);
    const Choice* choice =
        branches_[0]->SearchNode(canvas, {0, 0, kMacroblockLevel}, 0x7fffffff, team_, branches_, 0,
                                 static_cast<int>(branches_.size()));
    symbols.clear();
    Emit(*choice, symbols);
  }

  void AddStats(EncodeStats& stats) const override {
    for (const auto& branch : branches_) branch->AddStats(stats);
  }

 private:
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

  SearchRates rates_;
  BranchTeam team_;
  std::vector<std::unique_ptr<BranchSearch>> branches_;
};

}  // namespace

SearchEffort SearchEffort::Of(Preset preset) {
  if (preset == Preset::kFast) return {.modes_searched = 3, .thinnest_prediction = 4};
  return {};
}

std::unique_ptr<MacroblockSearch> MakeCpuSearch(const SearchEffort& effort, int threads,
                                               bool timing) {
  return std::make_unique<CpuSearch>(effort, threads, timing);
}

}  // namespace mmp
