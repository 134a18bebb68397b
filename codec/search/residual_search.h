// The best segmentation of residual blocks: for each block, every pattern of its level and every
// way to split it, down to single pixels.
//
// Costs depend on a block's content and level alone while the costs of symbols are frozen, so each
// distinct block is solved once per macroblock and memoised. Not thread-safe: one object a thread.
#ifndef MMP_CODEC_SEARCH_RESIDUAL_SEARCH_H_
#define MMP_CODEC_SEARCH_RESIDUAL_SEARCH_H_

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codec/base/levels.h"
#include "codec/rdo/cost_bounds.h"
#include "codec/rdo/decision_rules.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/search/block_memo.h"
#include "common/aligned_vector.h"

namespace mmp {

class ResidualSearch {
 public:
  // A solved block of a known level; valid until Begin.
  using BlockId = uint32_t;

  // For split_slack_q4 see SpeedFeatures::residual_slack_q4. If `timing`, the stages are timed.
  ResidualSearch(int split_slack_q4, bool timing);

  // Clears the memo and sets new costs of symbols, which must outlive their use here.
  void Begin(const SymbolCosts& symbol_costs);

  // The lower bounds that follow from the costs of symbols.
  const CostBounds& cost_bounds() const { return cost_bounds_; }

  // Solves `count` (at most kPredictionModes) blocks of one level, one behind the other in
  // `blocks`, row by row. reused[i] tells if block i was known already.
  void Solve(int level, const int16_t* blocks, int count, BlockId* ids, RootCosts* costs,
             bool* reused);

  // Appends the symbols of the best tree below a root decision.
  void Emit(int level, BlockId block, ResidualFlag root, MacroblockSymbols& symbols) const;
  // Writes the patterns that the best tree consists of: values[i * width + j].
  void Reconstruct(int level, BlockId block, ResidualFlag root, int16_t* values) const;

  int64_t blocks_matched() const { return blocks_matched_; }
  int64_t multiply_adds() const { return multiply_adds_; }
  double seconds_matching() const { return seconds_matching_; }
  double seconds_trees() const { return seconds_trees_; }

 private:
  // The memoised result for a block of four pixels or more.
  struct Entry {
    RootCosts costs;
    int32_t best;        // with the flag
    BlockId half[2][2];  // [split][half]

    int32_t& Cost(Split split) {
      return split == Split::kVertical ? costs.vertical : costs.horizontal;
    }
  };
  struct Memo {
    int pixels = 0;
    BlockMemo<Entry> blocks;
    size_t solved = 0;  // the blocks before this one are solved
  };
  // Blocks of two pixels; ids are PairId(content).
  struct Pair {
    int32_t pattern;  // kUnknown, or the least cost of a pattern
    int32_t best;     // with the flag
  };
  static constexpr size_t kPixelIds = 512;  // of a pixel in a PairId
  using PairRow = std::array<Pair, kPixelIds>;
  struct PairMemo {
    // By the first pixel. Where it has not occurred yet, as most do not in a small picture, the
    // memory has not been touched.
    std::unique_ptr<PairRow[]> rows;
    std::bitset<kPixelIds> has_occurred;
    std::vector<BlockId> known;
    size_t solved = 0;  // the first of `known` are solved

    // Of one that is in a row that has occurred.
    Pair& Of(BlockId id) { return rows[id / kPixelIds][id % kPixelIds]; }
    const Pair& Of(BlockId id) const { return rows[id / kPixelIds][id % kPixelIds]; }
  };

  static BlockId PairId(const int16_t* pair) {
    return static_cast<BlockId>((pair[0] + 255) << 9 | (pair[1] + 255));
  }
  static int PairPixel(BlockId id, int pixel) {
    return static_cast<int>(pixel == 0 ? id >> 9 : id & 511) - 255;
  }

  template <int kPixels>
  BlockId FindOrAdd(int level, const int16_t* content, bool* found);
  BlockId FindOrAddPair(PairMemo& memo, BlockId id, bool* found);
  void MatchAll(int level, const int16_t* blocks, int count, int32_t* costs);
  void MatchNew(int level);
  void SplitNew(int level);
  const int16_t* HalvesOfNew(int level, Split split);
  template <int kHalfPixels>
  void ChooseSplits(int level, Split split, const int16_t* halves);
  template <int kHalfPixels>
  void EnterHalves(int level, Split split, const int16_t* halves);
  void CombineNew(int level);
  void SolveNewPairs(int level);
  RootCosts Costs(int level, BlockId block) const;
  int32_t Best(int level, BlockId block) const;
  ResidualFlag BestFlag(int level, BlockId block) const;
  int PatternIndex(int level, BlockId block) const;
  template <typename Visitor>
  void Visit(int level, BlockId block, ResidualFlag flag, int y, int x, Visitor& visitor) const;

  const int split_slack_q4_;
  const bool timing_;
  const SymbolCosts* symbol_costs_ = nullptr;
  CostBounds cost_bounds_;
  std::array<Memo, kLevelCount> memo_;
  std::array<PairMemo, kLevelCount> pairs_;  // levels 1 and 2
  // Scratch.
  std::vector<int16_t> pair_contents_;
  AlignedVector<int16_t> columns_;
  std::vector<uint32_t> half_hashes_;
  std::vector<int32_t> pattern_costs_;

  int64_t blocks_matched_ = 0;
  int64_t multiply_adds_ = 0;
  double seconds_matching_ = 0;
  double seconds_trees_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_RESIDUAL_SEARCH_H_
