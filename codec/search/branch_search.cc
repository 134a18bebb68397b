#include "codec/search/branch_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "codec/intra/predict.h"
#include "codec/intra/predictors.h"
#include "codec/tile/reversed_residual.h"

namespace mmp {
namespace {

constexpr int32_t kNoBudget = 0x7fffffff;
// Smaller blocks take too little time for another thread to take part.
constexpr int kFewestSharedPixels = 32;

}  // namespace

void BranchSearch::Search(const BranchContext& context, Canvas& canvas, TaskPool& pool,
                          MacroblockSymbols& symbols) {
  // A pool's members take part in others' macroblocks only once none is left to begin: nothing that
  // this has chosen for another one is in use.
  Begin(context, pool, false);
  symbols.clear();
  try {
    Emit(*SearchNode(canvas, {0, 0, kMacroblockLevel}, kNoBudget), symbols);
  } catch (...) {
    broken_front_ = context.front;
    throw;
  }
}

void BranchSearch::Begin(const BranchContext& context, TaskPool& pool, bool keep) {
  pool_ = &pool;
  context_ = context;
  memo_.Clear();
  if (!keep) arena_.Reset();
  // Residual blocks cost the same in all of the front.
  mode_search_.Begin(*context.symbol_costs, *context.copies, *context.original, keep);
}

const BranchSearch::ModeRates& BranchSearch::ModeRatesQ12(int level, uint32_t modes) {
  KnownRates& known = known_rates_[level];
  if (known.front != context_.front || known.modes != modes)
    known = {context_.front, modes, context_.symbol_costs->ModeRatesQ12(level, modes)};
  return known.rates_q12;
}

BranchSearch::SearchedLeaf BranchSearch::SearchLeaf(const Canvas& canvas, BlockRect rect,
                                                    int32_t budget) {
  ++nodes_;
  const SymbolCosts& symbol_costs = *context_.symbol_costs;
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  const uint32_t modes = AvailableModes(border, *context_.copies, rect) & Parameters().modes;
  const auto& mode_rates_q12 = ModeRatesQ12(rect.level, modes);
  std::array<ModeOutcome, kPredictionModes> outcomes;
  const ModeSearch::Ways ways = mode_search_.Search(canvas, border, {rect, modes, CanBeSplit(rect)},
                                                    mode_rates_q12, budget, outcomes.data());

  const auto& partition_costs = symbol_costs.PartitionCosts(rect.level);
  uint64_t best_key = kNoLeaf;
  int32_t residual_split[2] = {kImpossible, kImpossible};
  for (int mode = 0; mode < kPredictionModes; ++mode) {
    if ((modes >> mode & 1) == 0) continue;
    const int32_t mode_cost = symbol_costs.lambda().Cost(mode_rates_q12[mode]);
    best_key = std::min(
        best_key, BestLeafOfMode(mode, mode_cost, partition_costs.data(), outcomes[mode].costs));
    const int32_t splits[2] = {outcomes[mode].costs.vertical, outcomes[mode].costs.horizontal};
    for (int way = 0; way < 2; ++way) {
      if (splits[way] >= kImpossible) continue;
      const int32_t flag_cost = partition_costs[kSplitResidualVertical + way];
      residual_split[way] = std::min(residual_split[way], mode_cost + flag_cost + splits[way]);
    }
  }
  const Leaf best = LeafOfKey(best_key);
  if (best_key == kNoLeaf || best.cost >= budget) return {nullptr, ways};
  Choice* choice = arena_.New<Choice>();
  choice->rect = rect;
  choice->flag = best.partition;
  choice->cost = best.cost;
  choice->modes = modes;
  choice->mode = best.mode;
  choice->prediction = outcomes[best.mode].prediction;
  choice->residual = outcomes[best.mode].residual;
  std::ranges::copy(residual_split, choice->residual_split);
  return {choice, ways};
}

const uint8_t* BranchSearch::Reconstruction(Choice& choice) {
  if (choice.reconstruction != nullptr) return choice.reconstruction;
  const int pixels = choice.rect.pixels();
  int16_t residual[kMacroblockPixels];
  mode_search_.residual_search().Reconstruct(choice.rect.level, choice.residual,
                                             RootFlag(choice.flag), residual);
  if (Parameters().Uses(kReversedResiduals))
    ReverseWhereBright(choice.prediction, pixels, residual);
  uint8_t* reconstruction = arena_.Allocate<uint8_t>(pixels);
  for (int k = 0; k < pixels; ++k)
    reconstruction[k] =
        static_cast<uint8_t>(std::clamp(choice.prediction[k] + residual[k], 0, 255));
  return choice.reconstruction = reconstruction;
}

std::span<const uint32_t> BranchSearch::ResidualSymbols(Choice& choice) {
  if (!choice.residual_symbols.empty()) return choice.residual_symbols;
  scratch_.clear();
  mode_search_.residual_search().Emit(choice.rect.level, choice.residual, RootFlag(choice.flag),
                                      scratch_);
  uint32_t* symbols = arena_.Allocate<uint32_t>(scratch_.size());
  std::ranges::copy(scratch_, symbols);
  return choice.residual_symbols = {symbols, scratch_.size()};
}

void BranchSearch::Complete(Choice& choice) {
  if (choice.half[0] != nullptr) {
    Complete(*choice.half[0]);
    Complete(*choice.half[1]);
    return;
  }
  Reconstruction(choice);
  ResidualSymbols(choice);
}

void BranchSearch::Emit(Choice& choice, MacroblockSymbols& symbols) {
  const int level = choice.rect.level;
  if (!std::has_single_bit(AllowedPartitions(level, Parameters().prediction_level)))
    symbols.push_back(choice.flag);
  if (choice.half[0] != nullptr) {
    Emit(*choice.half[0], symbols);
    Emit(*choice.half[1], symbols);
    return;
  }
  if (!std::has_single_bit(choice.modes)) symbols.push_back(choice.mode);
  const auto residual = ResidualSymbols(choice);
  symbols.insert(symbols.end(), residual.begin(), residual.end());
}

// Writes the choice's reconstruction to the canvas and marks it available.
void BranchSearch::Materialize(Choice& choice, Canvas& canvas) {
  if (choice.half[0] != nullptr) {
    Materialize(*choice.half[0], canvas);
    Materialize(*choice.half[1], canvas);
    return;
  }
  const BlockRect rect = choice.rect;
  const uint8_t* reconstruction = Reconstruction(choice);
  for (int i = 0; i < rect.height(); ++i)
    std::memcpy(canvas.pixels + Canvas::Index(rect.y + i, rect.x),
                reconstruction + i * rect.width(), rect.width());
  MarkAvailable(canvas, rect);
}

Choice* BranchSearch::SearchSplit(Canvas& canvas, BlockRect rect, Split split, int32_t budget) {
  const Partition flag = split == Split::kVertical ? kSplitBothVertical : kSplitBothHorizontal;
  const int32_t flag_cost = context_.symbol_costs->PartitionCosts(rect.level)[flag];
  const BlockRect rects[2] = {rect.Half(split, 0), rect.Half(split, 1)};
  Choice* first =
      SearchNode(canvas, rects[0], budget - flag_cost - Bounds().PredictionNode(rects[1].level));
  if (first == nullptr) return nullptr;
  Materialize(*first, canvas);
  Choice* second = SearchNode(canvas, rects[1], budget - flag_cost - first->cost);
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

Choice* BranchSearch::SearchNode(Canvas& canvas, BlockRect rect, int32_t budget) {
  if (budget <= Bounds().PredictionNode(rect.level)) return nullptr;
  const bool far = (Parameters().modes & kFarModes) != 0;
  const NodeContext context(canvas, rect, far);
  if (const auto answer = memo_.Find(context, rect, budget); answer.known) return answer.choice;
  Choice* choice = SearchNewNode(canvas, rect, budget);
  memo_.Add(context, rect, budget, choice);
  return choice;
}

bool BranchSearch::CanSplit(BlockRect rect, Split split) const {
  return SearchMaySplit(rect.level, split, Parameters().prediction_level,
                        speed_features_.thinnest_prediction);
}

bool BranchSearch::CanBeSplit(BlockRect rect) const {
  return CanSplit(rect, Split::kVertical) || CanSplit(rect, Split::kHorizontal);
}

bool BranchSearch::MaySplit(BlockRect rect, Split split, const SearchedLeaf& searched) const {
  if (!CanSplit(rect, split)) return false;
  const int way = static_cast<int>(split);
  const Split other = split == Split::kVertical ? Split::kHorizontal : Split::kVertical;
  if (!searched.ways[way] && CanSplit(rect, other)) return false;
  const Choice* leaf = searched.choice;
  return leaf == nullptr || speed_features_.AllowSplit(rect.pixels(), leaf->residual_split[way],
                                                       leaf->residual_split[1 - way]);
}

Choice* BranchSearch::SearchNewNode(Canvas& canvas, BlockRect rect, int32_t budget) {
  const int32_t least_other = Bounds().OtherPredictionLeaf(rect.level);
  const int32_t good_enough = speed_features_.GoodEnough(least_other);
  const int32_t good_enough_tree = speed_features_.GoodEnoughTree(least_other);
  // What a leaf forbids must not depend on the budget, which depends on the order of the search.
  const bool are_guided = speed_features_.AreGuided();
  const int32_t leaf_budget =
      are_guided ? kNoBudget : std::max({budget, good_enough, good_enough_tree});
  const SearchedLeaf searched = SearchLeaf(canvas, rect, leaf_budget);
  Choice* const leaf = searched.choice;
  Choice* best = leaf != nullptr && leaf->cost < budget ? leaf : nullptr;
  if (leaf != nullptr && (EndsTheSearch({leaf->cost, leaf->mode, leaf->flag}, good_enough) ||
                          leaf->cost < good_enough_tree))
    return best;
  if (best != nullptr) budget = best->cost;
  const bool vertical = MaySplit(rect, Split::kVertical, searched);
  const bool horizontal = MaySplit(rect, Split::kHorizontal, searched);
  if (vertical && horizontal && rect.pixels() >= kFewestSharedPixels) {
    if (const std::optional<Choice*> choice = SearchSplitsTogether(canvas, rect, budget))
      return *choice != nullptr ? *choice : best;
  }
  for (const Split split : {Split::kVertical, Split::kHorizontal}) {
    if (!(split == Split::kVertical ? vertical : horizontal)) continue;
    if (Choice* choice = SearchSplit(canvas, rect, split, budget)) {
      best = choice;
      budget = choice->cost;
    }
  }
  return best;
}

std::optional<Choice*> BranchSearch::SearchSplitsTogether(Canvas& canvas, BlockRect rect,
                                                          int32_t budget) {
  if (!pool_->HasIdle()) return std::nullopt;
  Canvas other_canvas = canvas;
  Choice* horizontal = nullptr;
  auto search_horizontal = [&](int member) {
    BranchSearch& search = *company_[member];
    if (search.broken_front_ == context_.front) throw std::bad_alloc();
    try {
      if (search.context_.macroblock != context_.macroblock)
        search.Begin(context_, *pool_, search.context_.front == context_.front);
      horizontal = search.SearchSplit(other_canvas, rect, Split::kHorizontal, budget);
      if (horizontal != nullptr && member != member_) search.Complete(*horizontal);
    } catch (...) {
      search.broken_front_ = context_.front;
      throw;
    }
  };
  TaskPool::Task task(search_horizontal);
  if (!pool_->Offer(member_, task)) return std::nullopt;
  Choice* vertical = nullptr;
  try {
    vertical = SearchSplit(canvas, rect, Split::kVertical, budget);
  } catch (...) {
    pool_->Abandon(member_, task);
    throw;
  }
  pool_->Finish(member_, task);
  const bool is_horizontal =
      horizontal != nullptr && (vertical == nullptr || horizontal->cost < vertical->cost);
  return is_horizontal ? horizontal : vertical;
}

SearchStats BranchSearch::Stats() const {
  SearchStats stats = mode_search_.Stats();
  stats.nodes_searched = nodes_;
  return stats;
}

}  // namespace mmp
