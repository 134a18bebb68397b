#include "codec/search/residual_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>

#include "codec/base/known_size.h"
#include "codec/base/stopwatch.h"

namespace mmp {
namespace {

constexpr int kFirstMemoLevel = 3;  // levels below have at most two pixels
constexpr int32_t kUnknown = -1;

constexpr bool IsPairLevel(int level) { return level == 1 || level == 2; }

// Of blocks that are always split nothing is kept but the cost of the best pattern.
constexpr bool PairsAreAlwaysSplit() {
  for (int level = 1; level < kLevelCount; ++level)
    if (IsPairLevel(level) != IsAlwaysSplit(kLevelShapes[level].log2_pixels())) return false;
  return true;
}
static_assert(PairsAreAlwaysSplit());

// Calls f.operator()<pixels>() for the pixels of a block.
template <typename F>
auto WithPixels(int pixels, F f) {
  return WithPowerOfTwo<kMacroblockPixels>(pixels, f);
}

// The left half of each block, then its right half: halves[2 block + half][row][column].
template <int kHalfWidth>
void SplitColumnsOf(const int16_t* blocks, size_t count, int height, int16_t* halves) {
  const size_t half_pixels = static_cast<size_t>(height) * kHalfWidth;
  for (size_t b = 0; b < count; ++b, blocks += 2 * half_pixels, halves += 2 * half_pixels) {
    for (int i = 0; i < height; ++i) {
      const int16_t* row = blocks + i * 2 * kHalfWidth;
      std::memcpy(halves + i * kHalfWidth, row, kHalfWidth * sizeof(int16_t));
      std::memcpy(halves + half_pixels + i * kHalfWidth, row + kHalfWidth,
                  kHalfWidth * sizeof(int16_t));
    }
  }
}

void SplitColumns(const int16_t* blocks, size_t count, LevelShape shape, int16_t* halves) {
  WithPowerOfTwo<kMacroblockSize / 2>(shape.width() / 2, [=]<int kHalfWidth>() {
    SplitColumnsOf<kHalfWidth>(blocks, count, shape.height(), halves);
  });
}

}  // namespace

ResidualSearch::ResidualSearch(int split_slack_q4, bool timing)
    : split_slack_q4_(split_slack_q4), timing_(timing) {
  for (int level = 0; level < kLevelCount; ++level) {
    memo_[level].pixels = kLevelShapes[level].pixels();
    if (IsPairLevel(level))
      pairs_[level].rows = std::make_unique_for_overwrite<PairRow[]>(kPixelIds);
  }
}

void ResidualSearch::Begin(const SymbolCosts& symbol_costs) {
  symbol_costs_ = &symbol_costs;
  cost_bounds_.Update(symbol_costs);
  for (Memo& memo : memo_) {
    memo.blocks.Clear();
    memo.solved = 0;
  }
  for (PairMemo& memo : pairs_) {
    for (const BlockId id : memo.known) memo.Of(id).pattern = kUnknown;
    memo.known.clear();
    memo.solved = 0;
  }
}

ResidualSearch::BlockId ResidualSearch::FindOrAddPair(PairMemo& memo, BlockId id, bool* found) {
  const size_t row = id / kPixelIds;
  if (!memo.has_occurred[row]) {
    memo.has_occurred[row] = true;
    memo.rows[row].fill({kUnknown, 0});
  }
  Pair& pair = memo.Of(id);
  *found = pair.pattern != kUnknown;
  if (!*found) {
    pair.pattern = kImpossible;
    memo.known.push_back(id);
  }
  return id;
}

// The block's id; if it is new, it is remembered for solving.
template <int kPixels>
ResidualSearch::BlockId ResidualSearch::FindOrAdd(int level, const int16_t* content, bool* found) {
  if constexpr (kPixels >= 4) {
    return memo_[level].blocks.FindOrAdd<kPixels>(content, HashOfBlock<kPixels>(content), found);
  } else if constexpr (kPixels == 1) {
    *found = true;
    return static_cast<BlockId>(content[0] + 255);
  } else {
    return FindOrAddPair(pairs_[level], PairId(content), found);
  }
}

void ResidualSearch::Solve(int level, const int16_t* blocks, int count, BlockId* ids,
                           RootCosts* costs, bool* reused) {
  {
    const StageTimer timer(timing_, seconds_trees_);
    WithPixels(memo_[level].pixels, [&]<int kPixels>() {
      for (int i = 0; i < count; ++i)
        ids[i] = FindOrAdd<kPixels>(level, blocks + i * kPixels, &reused[i]);
    });
  }
  for (int l = level; l >= kFirstMemoLevel; --l) {
    if (memo_[l].solved == memo_[l].blocks.size()) continue;
    MatchNew(l);
    SplitNew(l);
  }
  SolveNewPairs(1);
  SolveNewPairs(2);
  const StageTimer timer(timing_, seconds_trees_);
  for (int l = kFirstMemoLevel; l <= level; ++l) CombineNew(l);
  for (int i = 0; i < count; ++i) costs[i] = Costs(level, ids[i]);
}

// costs[i] = least cost of a pattern for block i.
void ResidualSearch::MatchAll(int level, const int16_t* blocks, int count, int32_t* costs) {
  const StageTimer timer(timing_, seconds_matching_);
  const int pixels = memo_[level].pixels;
  const Dictionary& dictionary = symbol_costs_->tile().dictionary;
  const PackedPatterns patterns = dictionary.Packed(level);
  const bool lossless = symbol_costs_->lambda().lossless();
  const int32_t* bias = lossless ? dictionary.Norms(level).data() : symbol_costs_->Bias(level);
  MatchBlocks(patterns, bias, blocks, count, costs);
  WithPixels(pixels, [&]<int kPixels>() {
    for (int i = 0; i < count; ++i) {
      const int16_t* block = blocks + static_cast<size_t>(i) * kPixels;
      const int32_t minimum = costs[i];
      costs[i] += ScaledNorm(block, kPixels);
      if (lossless)
        costs[i] = costs[i] > 0
                       ? kImpossible
                       : symbol_costs_->Index(level)[FindMatch(patterns, bias, block, minimum)];
    }
  });
  blocks_matched_ += count;
  multiply_adds_ += static_cast<int64_t>(count) * pixels * patterns.groups * kPatternGroup;
}

// Finds the cheapest pattern of each new entry.
void ResidualSearch::MatchNew(int level) {
  Memo& memo = memo_[level];
  const size_t count = memo.blocks.size() - memo.solved;
  pattern_costs_.resize(count);
  MatchAll(level, memo.blocks.Contents(memo.solved, memo.pixels), static_cast<int>(count),
           pattern_costs_.data());
  for (size_t i = 0; i < count; ++i)
    memo.blocks.entry(memo.solved + i).costs.pattern = pattern_costs_[i];
}

// Looks up the halves of each new entry that may gain by splitting.
void ResidualSearch::SplitNew(int level) {
  const StageTimer timer(timing_, seconds_trees_);
  WithPixels(memo_[level].pixels / 2, [&]<int kHalfPixels>() {
    for (const Split split : {Split::kVertical, Split::kHorizontal}) {
      if (HalfLevel(level, split) < 0) {
        Memo& memo = memo_[level];
        for (size_t id = memo.solved; id < memo.blocks.size(); ++id)
          memo.blocks.entry(id).Cost(split) = kImpossible;
        continue;
      }
      const int16_t* halves = HalvesOfNew(level, split);
      ChooseSplits<kHalfPixels>(level, split, halves);
      EnterHalves<kHalfPixels>(level, split, halves);
    }
  });
}

// The halves of all new entries, one behind the other, of each entry the left or upper one first.
const int16_t* ResidualSearch::HalvesOfNew(int level, Split split) {
  const Memo& memo = memo_[level];
  const size_t count = memo.blocks.size() - memo.solved;
  const int16_t* contents = memo.blocks.Contents(memo.solved, memo.pixels);
  if (split == Split::kHorizontal) return contents;
  columns_.resize(count * memo.pixels);
  SplitColumns(contents, count, kLevelShapes[level], columns_.data());
  return columns_.data();
}

// Of each new entry: whether it may gain by this split. If so its cost becomes 0 for now, else
// kImpossible; and the hash table's lines for its halves are prefetched, which are then in the
// cache when they are looked up.
template <int kHalfPixels>
void ResidualSearch::ChooseSplits(int level, Split split, const int16_t* halves) {
  Memo& memo = memo_[level];
  const int half_level = HalfLevel(level, split);
  const int32_t margin = cost_bounds_.SplitMargin(level, split);
  const int32_t least_of_any = margin + 2 * cost_bounds_.Residual(half_level);
  const size_t count = memo.blocks.size() - memo.solved;
  half_hashes_.resize(2 * count);
  for (size_t i = 0; i < count; ++i, halves += 2 * kHalfPixels) {
    Entry& entry = memo.blocks.entry(memo.solved + i);
    entry.Cost(split) = kImpossible;
    if (IsGoodEnoughWhole(entry.costs.pattern, least_of_any, split_slack_q4_)) continue;
    int32_t least = margin;
    for (int half = 0; half < 2; ++half)
      least +=
          cost_bounds_.Residual(half_level, ScaledNorm(halves + half * kHalfPixels, kHalfPixels));
    if (IsGoodEnoughWhole(entry.costs.pattern, least, split_slack_q4_)) continue;
    entry.Cost(split) = 0;
    if constexpr (kHalfPixels >= 4) {
      for (int half = 0; half < 2; ++half) {
        const uint32_t hash = HashOfBlock<kHalfPixels>(halves + half * kHalfPixels);
        half_hashes_[2 * i + half] = hash;
        memo_[half_level].blocks.Prefetch(hash);
      }
    }
  }
}

// Looks up the halves of the new entries that are to be split.
template <int kHalfPixels>
void ResidualSearch::EnterHalves(int level, Split split, const int16_t* halves) {
  Memo& memo = memo_[level];
  const int half_level = HalfLevel(level, split);
  const size_t count = memo.blocks.size() - memo.solved;
  for (size_t i = 0; i < count; ++i) {
    Entry& entry = memo.blocks.entry(memo.solved + i);
    if (entry.Cost(split) != 0) continue;
    for (size_t half = 0; half < 2; ++half) {
      const int16_t* content = halves + (2 * i + half) * kHalfPixels;
      BlockId& id = entry.half[static_cast<int>(split)][half];
      bool found;
      if constexpr (kHalfPixels >= 4)
        id = memo_[half_level].blocks.FindOrAdd<kHalfPixels>(content, half_hashes_[2 * i + half],
                                                             &found);
      else
        id = FindOrAdd<kHalfPixels>(half_level, content, &found);
    }
  }
}

// The costs of splitting each new entry, whose halves are solved.
void ResidualSearch::CombineNew(int level) {
  Memo& memo = memo_[level];
  const auto& flags = symbol_costs_->ResidualFlagCosts(level);
  for (; memo.solved < memo.blocks.size(); ++memo.solved) {
    Entry& entry = memo.blocks.entry(memo.solved);
    RootCosts& costs = entry.costs;
    if (costs.vertical != kImpossible)
      costs.vertical = Best(HalfLevel(level, Split::kVertical), entry.half[0][0]) +
                       Best(HalfLevel(level, Split::kVertical), entry.half[0][1]);
    if (costs.horizontal != kImpossible)
      costs.horizontal = Best(HalfLevel(level, Split::kHorizontal), entry.half[1][0]) +
                         Best(HalfLevel(level, Split::kHorizontal), entry.half[1][1]);
    entry.best = DecideResidual(costs, flags.data()).cost;
  }
}

void ResidualSearch::SolveNewPairs(int level) {
  PairMemo& memo = pairs_[level];
  const size_t count = memo.known.size() - memo.solved;
  if (count == 0) return;
  const BlockId* ids = &memo.known[memo.solved];
  pair_contents_.resize(2 * count);
  pattern_costs_.resize(count);
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k)
      pair_contents_[2 * i + k] = static_cast<int16_t>(PairPixel(ids[i], k));
  MatchAll(level, pair_contents_.data(), static_cast<int>(count), pattern_costs_.data());
  const auto& flags = symbol_costs_->ResidualFlagCosts(level);
  for (size_t i = 0; i < count; ++i) {
    Pair& pair = memo.Of(ids[i]);
    pair.pattern = pattern_costs_[i];
    pair.best = DecideResidual(Costs(level, ids[i]), flags.data()).cost;
  }
  memo.solved = memo.known.size();
}

RootCosts ResidualSearch::Costs(int level, BlockId block) const {
  if (level >= kFirstMemoLevel) return memo_[level].blocks.entry(block).costs;
  if (level == 0)
    return {symbol_costs_->Pixel(static_cast<int>(block) - 255), kImpossible, kImpossible};
  const int32_t pattern = pairs_[level].Of(block).pattern;
  const int32_t split =
      symbol_costs_->Pixel(PairPixel(block, 0)) + symbol_costs_->Pixel(PairPixel(block, 1));
  return level == 1 ? RootCosts{pattern, split, kImpossible}
                    : RootCosts{pattern, kImpossible, split};
}

int32_t ResidualSearch::Best(int level, BlockId block) const {
  if (level >= kFirstMemoLevel) return memo_[level].blocks.entry(block).best;
  return level == 0 ? symbol_costs_->Pixel(static_cast<int>(block) - 255)
                    : pairs_[level].Of(block).best;
}

// The decision at a block below the root.
ResidualFlag ResidualSearch::BestFlag(int level, BlockId block) const {
  if (level == 0) return kPattern;
  return DecideResidual(Costs(level, block), symbol_costs_->ResidualFlagCosts(level).data()).flag;
}

int ResidualSearch::PatternIndex(int level, BlockId block) const {
  if (level == 0) return symbol_costs_->PixelIndex(static_cast<int>(block) - 255);
  const int16_t pair[2] = {static_cast<int16_t>(PairPixel(block, 0)),
                           static_cast<int16_t>(PairPixel(block, 1))};
  const int16_t* content =
      IsPairLevel(level) ? pair : memo_[level].blocks.Contents(block, memo_[level].pixels);
  const Dictionary& dictionary = symbol_costs_->tile().dictionary;
  const PackedPatterns patterns = dictionary.Packed(level);
  const int32_t norm = ScaledNorm(content, memo_[level].pixels);
  // The block's least cost tells what to look for.
  return symbol_costs_->lambda().lossless()
             ? FindMatch(patterns, dictionary.Norms(level).data(), content, -norm)
             : FindMatch(patterns, symbol_costs_->Bias(level), content,
                         Costs(level, block).pattern - norm);
}

// Walks the best tree in coding order: visitor.Flag(flag) at each node below the root that has a
// flag, visitor.Pattern(level, index, y, x) at each leaf.
template <typename Visitor>
void ResidualSearch::Visit(int level, BlockId block, ResidualFlag flag, int y, int x,
                           Visitor& visitor) const {
  if (flag == kPattern) {
    visitor.Pattern(level, PatternIndex(level, block), y, x);
    return;
  }
  const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
  const int half_level = HalfLevel(level, split);
  for (int half = 0; half < 2; ++half) {
    const BlockId half_block =
        IsPairLevel(level) ? static_cast<BlockId>(PairPixel(block, half) + 255)
                           : memo_[level].blocks.entry(block).half[static_cast<int>(split)][half];
    const ResidualFlag half_flag = BestFlag(half_level, half_block);
    if (half_level > 0) visitor.Flag(half_flag);
    if (half == 1) {
      if (split == Split::kVertical)
        x += kLevelShapes[half_level].width();
      else
        y += kLevelShapes[half_level].height();
    }
    Visit(half_level, half_block, half_flag, y, x, visitor);
  }
}

void ResidualSearch::Emit(int level, BlockId block, ResidualFlag root,
                          MacroblockSymbols& symbols) const {
  struct Emitter {
    MacroblockSymbols& symbols;
    void Flag(ResidualFlag flag) { symbols.push_back(flag); }
    void Pattern(int, int index, int, int) { symbols.push_back(static_cast<uint32_t>(index)); }
  } emitter{symbols};
  Visit(level, block, root, 0, 0, emitter);
}

void ResidualSearch::Reconstruct(int level, BlockId block, ResidualFlag root,
                                 int16_t* values) const {
  struct Painter {
    const Dictionary& dictionary;
    int16_t* values;
    int width;
    void Flag(ResidualFlag) {}
    void Pattern(int pattern_level, int index, int y, int x) {
      int16_t pattern[kMacroblockPixels];
      dictionary.Copy(pattern_level, index, pattern);
      const LevelShape shape = kLevelShapes[pattern_level];
      for (int i = 0; i < shape.height(); ++i)
        std::memcpy(values + (y + i) * width + x, pattern + i * shape.width(),
                    shape.width() * sizeof(int16_t));
    }
  } painter{symbol_costs_->tile().dictionary, values, kLevelShapes[level].width()};
  Visit(level, block, root, 0, 0, painter);
}

}  // namespace mmp
