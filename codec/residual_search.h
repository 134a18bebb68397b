// The best segmentation of residual blocks: for each block, every pattern of its level and every way to
// split it, down to single pixels.
//
// Costs depend on a block's content and level alone while rates are frozen, so each distinct block is
// solved once a macroblock and remembered. Not thread-safe: one object a thread.
#ifndef MMP_CODEC_RESIDUAL_SEARCH_H_
#define MMP_CODEC_RESIDUAL_SEARCH_H_

#include <array>
#include <cstdint>
#include <vector>

#include "codec/arena.h"
#include "codec/levels.h"
#include "codec/search.h"
#include "codec/search_rates.h"

namespace mmp {

// Least costs of a residual tree by the decision at its root, the root's flag not included. A decision
// that cannot win whatever the flags cost is kImpossible.
struct RootCosts {
  int32_t pattern;
  int32_t vertical;
  int32_t horizontal;
};

class ResidualSearch {
 public:
  ResidualSearch();

  // Forgets all blocks and takes new rates, which must outlive their use here.
  void Begin(const SearchRates& rates);

  // Room for a block that Solve and the functions below can be given; lasts until Begin.
  int16_t* NewBlock(int level) { return arena_.Allocate<int16_t>(kLevelShapes[level].pixels()); }

  // Solves `count` blocks of one level. reused[i] tells if block i was known already.
  void Solve(int level, const int16_t* const* blocks, int count, RootCosts* costs, bool* reused);

  // Appends the symbols of the best tree below a root decision, of a block that was solved.
  void Emit(int level, const int16_t* block, ResidualFlag root, MacroblockSymbols& symbols) const;
  // Writes the patterns that the best tree consists of: values[i * stride + j].
  void Reconstruct(int level, const int16_t* block, ResidualFlag root, int16_t* values,
                   int stride) const;

  int64_t partitions_matched() const { return partitions_matched_; }
  int64_t multiply_adds() const { return multiply_adds_; }
  double seconds_matching() const { return seconds_matching_; }
  double seconds_trees() const { return seconds_trees_; }

 private:
  // A distinct block of four pixels or more.
  struct Entry {
    const int16_t* content;
    RootCosts costs;
    int32_t best;  // with the flag
    // Halves: entry numbers, or keys of pairs; [vertical 0, 1, horizontal 0, 1].
    uint32_t half[4];
  };
  // The distinct blocks of a level, and a hash table of their numbers.
  struct Memo {
    std::vector<Entry> entries;
    std::vector<uint64_t> slots;  // hash << 32 | generation << 24 | entry number; 0: empty
    void Clear();
    void Grow(uint32_t generation);
  };
  // Blocks of two pixels, by content.
  struct Pair {
    int32_t pattern;  // kUnknown, or the least cost of a pattern
    int32_t best;     // with the flag
  };
  struct PairMemo {
    std::vector<Pair> pairs;      // by PairKey
    std::vector<uint32_t> known;  // keys that are set
    std::vector<uint32_t> unsolved;
  };
  struct Halves {
    int level;  // -1: none
    int pixels;
    int32_t bound;  // splitting cannot win if the pattern costs at most this
  };

  static uint32_t PairKey(const int16_t* pair) {
    return static_cast<uint32_t>((pair[0] + 255) << 9 | (pair[1] + 255));
  }
  uint32_t FindOrAdd(int level, const int16_t* content, bool* found);
  uint32_t Half(int level, const int16_t* content);
  const Entry& Known(int level, const int16_t* content) const;
  int32_t BestOf(int level, uint32_t half) const;
  void MatchAll(int level, int32_t* costs);
  void MatchNew(int level, size_t first);
  void SplitNew(int level, size_t first);
  void CombineNew(int level, size_t first);
  void SolvePairs(int level);
  RootCosts PairCosts(int level, const int16_t* pair) const;
  ResidualFlag BestFlag(int level, const int16_t* content) const;
  int PatternIndex(int level, const int16_t* content) const;
  void UpdateBounds();
  template <typename Visitor>
  void Visit(int level, const int16_t* content, ResidualFlag flag, int y, int x,
             Visitor& visitor) const;

  const SearchRates* rates_ = nullptr;
  Arena arena_;
  uint32_t generation_ = 0;
  std::array<Memo, kLevelCount> memo_;
  std::array<PairMemo, 2> pairs_;  // levels 1 and 2
  std::array<std::array<Halves, 2>, kLevelCount> halves_;
  // Scratch.
  std::vector<const int16_t*> blocks_;
  std::vector<int16_t> pair_pixels_;
  std::vector<int32_t> costs_;

  int64_t partitions_matched_ = 0;
  int64_t multiply_adds_ = 0;
  double seconds_matching_ = 0;
  double seconds_trees_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_RESIDUAL_SEARCH_H_
