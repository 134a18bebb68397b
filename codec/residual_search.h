// The best segmentation of residual blocks: for each block, every pattern of its level and every
// way to split it, down to single pixels.
//
// Costs depend on a block's content and level alone while rates are frozen, so each distinct block
// is solved once a macroblock and remembered. Not thread-safe: one object a thread.
#ifndef MMP_CODEC_RESIDUAL_SEARCH_H_
#define MMP_CODEC_RESIDUAL_SEARCH_H_

#include <array>
#include <cstdint>
#include <vector>

#include "codec/least_cost.h"
#include "codec/levels.h"
#include "codec/search.h"
#include "codec/search_rates.h"
#include "common/aligned_vector.h"

namespace mmp {

// Least costs of a residual tree by the decision at its root, the root's flag not included. A
// decision that cannot win whatever the flags cost is kImpossible.
struct RootCosts {
  int32_t pattern;
  int32_t vertical;
  int32_t horizontal;
};

class ResidualSearch {
 public:
  // A solved block of a known level; valid until Begin.
  using BlockId = uint32_t;

  // For split_slack_q4 see SearchEffort::residual_slack_q4. If `timing`, the time of the stages is
  // taken.
  ResidualSearch(int split_slack_q4, bool timing);

  // Forgets all blocks and takes new rates, which must outlive their use here.
  void Begin(const SearchRates& rates);

  // The bounds that the rates give.
  const LeastCost& least_cost() const { return least_cost_; }

  // Solves `count` (at most kModes) blocks of one level, one behind the other in `blocks`, row by
  // row. reused[i] tells if block i was known already.
  void Solve(int level, const int16_t* blocks, int count, BlockId* ids, RootCosts* costs,
             bool* reused);

  // Appends the symbols of the best tree below a root decision.
  void Emit(int level, BlockId block, ResidualFlag root, MacroblockSymbols& symbols) const;
  // Writes the patterns that the best tree consists of: values[i * width + j].
  void Reconstruct(int level, BlockId block, ResidualFlag root, int16_t* values) const;

  int64_t partitions_matched() const { return partitions_matched_; }
  int64_t multiply_adds() const { return multiply_adds_; }
  double seconds_matching() const { return seconds_matching_; }
  double seconds_trees() const { return seconds_trees_; }

 private:
  // What is known of a block of four pixels or more.
  struct Entry {
    RootCosts costs;
    int32_t best;        // with the flag
    BlockId half[2][2];  // [split][half]
  };
  // The distinct blocks of a level of four pixels or more; ids are places in these vectors.
  struct Memo {
    int pixels = 0;
    AlignedVector<int16_t> contents;  // pixels values each
    std::vector<Entry> entries;
    std::vector<uint32_t> slots;   // hash table: part of the hash << 24 | id, or kEmpty
    std::vector<uint32_t> hashes;  // by id
    size_t solved = 0;             // the entries before this one are solved
  };
  // Blocks of two pixels; ids are PairId(content).
  struct Pair {
    int32_t pattern;  // kUnknown, or the least cost of a pattern
    int32_t best;     // with the flag
  };
  struct PairMemo {
    std::vector<Pair> pairs;
    std::vector<BlockId> known;
    size_t solved = 0;  // the first of `known` are solved
  };

  static BlockId PairId(const int16_t* pair) {
    return static_cast<BlockId>((pair[0] + 255) << 9 | (pair[1] + 255));
  }
  static int PairPixel(BlockId id, int pixel) {
    return static_cast<int>(pixel == 0 ? id >> 9 : id & 511) - 255;
  }

  template <int kPixels>
  BlockId FindOrAdd(int level, const int16_t* content, bool* found);
  template <int kPixels>
  BlockId FindOrAddEntry(Memo& memo, const int16_t* content, uint32_t hash, bool* found);
  static void Grow(Memo& memo);
  void MatchAll(int level, const int16_t* blocks, int count, int32_t* costs);
  void MatchNew(int level);
  void SplitNew(int level);
  template <int kHalfPixels>
  void SplitNew(int level, Split split);
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
  const SearchRates* rates_ = nullptr;
  LeastCost least_cost_;
  std::array<Memo, kLevelCount> memo_;
  std::array<PairMemo, kLevelCount> pairs_;  // levels 1 and 2
  // Scratch.
  std::vector<int16_t> pair_contents_;
  AlignedVector<int16_t> columns_;
  std::vector<uint32_t> half_hashes_;
  std::vector<int32_t> pattern_costs_;

  int64_t partitions_matched_ = 0;
  int64_t multiply_adds_ = 0;
  double seconds_matching_ = 0;
  double seconds_trees_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_RESIDUAL_SEARCH_H_
