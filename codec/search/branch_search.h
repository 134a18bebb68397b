// The search of the prediction tree: the walk over its nodes and splits, by one thread or, branch
// by branch, by several.
#ifndef MMP_CODEC_SEARCH_BRANCH_SEARCH_H_
#define MMP_CODEC_SEARCH_BRANCH_SEARCH_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/canvas.h"
#include "codec/rdo/cost_bounds.h"
#include "codec/rdo/decision_rules.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/search_stats.h"
#include "codec/rdo/speed_features.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/search/arena.h"
#include "codec/search/mode_search.h"
#include "codec/search/node_memo.h"
#include "codec/search/residual_search.h"
#include "codec/tile/syntax_elements.h"
#include "common/task_pool.h"

namespace mmp {

// The best way to code a node of the prediction tree.
struct Choice {
  BlockRect rect;
  Partition flag = kLeaf;
  int32_t cost = 0;
  // If both are split:
  Choice* half[2] = {};
  // Otherwise: one mode of those available, and the residual that it leaves.
  uint32_t modes = 0;
  int mode = 0;
  const uint8_t* prediction = nullptr;
  ResidualSearch::BlockId residual = 0;
  // The least cost with the residual split, by enum Split; kImpossible if that is none.
  int32_t residual_split[2] = {kImpossible, kImpossible};
  // Made when first needed; before another thread sees the choice, as `residual` means something to
  // the search that it was made by only.
  const uint8_t* reconstruction = nullptr;
  std::span<const uint32_t> residual_symbols;
};

// What is searched: a macroblock of a front.
struct BranchContext {
  const SymbolCosts* symbol_costs;  // of the front
  const BlockCopies* copies;
  const MacroblockSamples* original;
  uint64_t front, macroblock;  // numbers, which do not come again
};

// Searches the prediction tree of a macroblock, or a branch of it: the work of one thread, which
// hands branches to idle members of its pool.
class BranchSearch {
 public:
  // The searches of a pool's members, by member.
  using Company = std::vector<std::unique_ptr<BranchSearch>>;

  BranchSearch(const SpeedFeatures& speed_features, const Company& company, int member, bool timing)
      : speed_features_(speed_features),
        company_(company),
        member_(member),
        mode_search_(speed_features, timing) {}

  // The best symbols of a macroblock, given its surroundings.
  void Search(const BranchContext& context, Canvas& canvas, TaskPool& pool,
              MacroblockSymbols& symbols);

  SearchStats Stats() const;

 private:
  // Turns to another macroblock. `keep`: what was chosen so far for others of its front, as a
  // member that took part, may still be in use.
  void Begin(const BranchContext& context, TaskPool& pool, bool keep);
  // The cheapest way to code `rect` given `canvas`; null if none costs less than `budget`. Changes
  // of the canvas inside the rectangle are undone.
  Choice* SearchNode(Canvas& canvas, BlockRect rect, int32_t budget);
  Choice* SearchNewNode(Canvas& canvas, BlockRect rect, int32_t budget);
  using ModeRates = std::array<int32_t, kPredictionModes>;
  // See SymbolCosts::ModeRatesQ12.
  const ModeRates& ModeRatesQ12(int level, uint32_t modes);
  // The best way to code a node without a split, null if there is none that costs less than the
  // budget; and how it may be split, as far as its modes say.
  struct SearchedLeaf {
    Choice* choice;
    ModeSearch::Ways ways;
  };
  SearchedLeaf SearchLeaf(const Canvas& canvas, BlockRect rect, int32_t budget);
  // Whether a node can be split so; whether in any way.
  bool CanSplit(BlockRect rect, Split split) const;
  bool CanBeSplit(BlockRect rect) const;
  // Whether a node is to be split so.
  bool MaySplit(BlockRect rect, Split split, const SearchedLeaf& searched) const;
  Choice* SearchSplit(Canvas& canvas, BlockRect rect, Split split, int32_t budget);
  // Both splits at the same time, the horizontal one by another member, if there is an idle one.
  std::optional<Choice*> SearchSplitsTogether(Canvas& canvas, BlockRect rect, int32_t budget);
  void Materialize(Choice& choice, Canvas& canvas);
  const uint8_t* Reconstruction(Choice& choice);
  std::span<const uint32_t> ResidualSymbols(Choice& choice);
  // Makes all of the choice that other threads may need.
  void Complete(Choice& choice);
  void Emit(Choice& choice, MacroblockSymbols& symbols);
  const CodecParameters& Parameters() const { return context_.symbol_costs->tile().parameters; }
  const CostBounds& Bounds() const { return mode_search_.residual_search().cost_bounds(); }

  const SpeedFeatures speed_features_;
  const Company& company_;
  const int member_;
  TaskPool* pool_ = nullptr;
  BranchContext context_{};
  ModeSearch mode_search_;
  Arena arena_;
  NodeMemo<Choice> memo_;
  // By level: of the modes that were last available. The same serve most nodes of a front.
  struct KnownRates {
    uint64_t front = 0;
    uint32_t modes = 0;
    ModeRates rates_q12;
  };
  std::array<KnownRates, kLevelCount> known_rates_;
  MacroblockSymbols scratch_;
  // A front in which it has thrown: what it remembers is of no use any more, but what it has chosen
  // may still be in use.
  uint64_t broken_front_ = 0;
  int64_t nodes_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_BRANCH_SEARCH_H_
