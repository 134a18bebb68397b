#include "codec/residual_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "codec/stopwatch.h"

namespace mmp {
namespace {

constexpr int kFirstMemoLevel = 3;  // levels below have at most two pixels
constexpr int32_t kUnknown = -1;
constexpr size_t kPairIds = 512 * 512;
constexpr uint32_t kGenerations = 255;
constexpr size_t kFirstSlots = 1024;

bool IsPairLevel(int level) { return level == 1 || level == 2; }

uint64_t LoadWord(const int16_t* values) {
  uint64_t word;
  std::memcpy(&word, values, sizeof(word));
  return word;
}

// `pixels` is a multiple of 4.
uint32_t Hash(const int16_t* content, int pixels) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15u;
  uint64_t h = 0;
  if (pixels < 16) {
    for (int k = 0; k < pixels; k += 4) h = (std::rotl(h, 23) ^ LoadWord(content + k)) * kMultiplier;
  } else {
    // Four chains side by side: the multiplications of one wait for each other.
    uint64_t chain[4] = {1, 2, 3, 4};
    for (int k = 0; k < pixels; k += 16)
      for (int c = 0; c < 4; ++c)
        chain[c] = (std::rotl(chain[c], 23) ^ LoadWord(content + k + 4 * c)) * kMultiplier;
    for (const uint64_t part : chain) h = (std::rotl(h, 31) ^ part) * kMultiplier;
  }
  return static_cast<uint32_t>((h ^ h >> 29) >> 32);
}

bool SameContent(const int16_t* a, const int16_t* b, int pixels) {
  for (int k = 0; k < pixels; k += 4)
    if (LoadWord(a + k) != LoadWord(b + k)) return false;
  return true;
}

template <int kHalfWidth>
void CopyColumnsOf(const int16_t* from, int height, int16_t* to) {
  for (int i = 0; i < height; ++i)
    std::memcpy(to + i * kHalfWidth, from + i * 2 * kHalfWidth, kHalfWidth * sizeof(int16_t));
}

void CopyColumns(const int16_t* from, int height, int half_width, int16_t* to) {
  switch (half_width) {
    case 1: return CopyColumnsOf<1>(from, height, to);
    case 2: return CopyColumnsOf<2>(from, height, to);
    case 4: return CopyColumnsOf<4>(from, height, to);
    default: return CopyColumnsOf<8>(from, height, to);
  }
}

int32_t ScaledNorm(const int16_t* values, int count) {
  int32_t sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k] * values[k];
  return kDistortionScale * sum;
}

// Content of one half of a block, copied to `buffer` where it is not contiguous.
const int16_t* HalfContent(int level, const int16_t* content, Split split, int half,
                           int16_t* buffer) {
  const LevelShape shape = kLevelShapes[level];
  if (split == Split::kHorizontal) return content + half * shape.pixels() / 2;
  const int half_width = shape.width() / 2;
  CopyColumns(content + half * half_width, shape.height(), half_width, buffer);
  return buffer;
}

}  // namespace

ResidualSearch::ResidualSearch(bool timing) : timing_(timing) {
  for (int level = 0; level < kLevelCount; ++level) {
    memo_[level].pixels = kLevelShapes[level].pixels();
    if (level >= kFirstMemoLevel) memo_[level].slots.assign(kFirstSlots, 0);
    if (IsPairLevel(level)) pairs_[level].pairs.assign(kPairIds, {kUnknown, 0});
  }
}

void ResidualSearch::Begin(const SearchRates& rates) {
  rates_ = &rates;
  if (++generation_ > kGenerations) {
    generation_ = 1;
    for (Memo& memo : memo_) std::fill(memo.slots.begin(), memo.slots.end(), 0);
  }
  for (Memo& memo : memo_) {
    memo.contents.clear();
    memo.entries.clear();
    memo.solved = 0;
  }
  for (PairMemo& memo : pairs_) {
    for (const BlockId id : memo.known) memo.pairs[id].pattern = kUnknown;
    memo.known.clear();
    memo.solved = 0;
  }
  UpdateBounds();
}

// A split costs at least its flag and twice the least that a half can cost. It cannot win if the
// pattern costs no more, whichever flags apply: those of the residual tree, or of the prediction tree
// where the block is a prediction node's.
void ResidualSearch::UpdateBounds() {
  std::array<int32_t, kLevelCount> least;
  for (int level = 0; level < kLevelCount; ++level) {
    const auto& flags = rates_->ResidualFlags(level);
    const auto& root_flags = rates_->PredictionFlags(level);
    least[level] = flags[kPattern] + rates_->CheapestIndex(level);
    for (Split split : {Split::kVertical, Split::kHorizontal}) {
      const int s = static_cast<int>(split);
      const int half = HalfLevel(level, split);
      halves_[level][s] = {half, 0};
      if (half < 0) continue;
      const int32_t flag = flags[kSplitVertical + s];
      halves_[level][s].bound =
          2 * least[half] + std::min(flag - flags[kPattern],
                                     root_flags[kSplitResidualVertical + s] - root_flags[kLeaf]);
      least[level] = std::min(least[level], flag + 2 * least[half]);
    }
  }
}

void ResidualSearch::Grow(Memo& memo) {
  std::vector<uint64_t> old(2 * memo.slots.size());
  old.swap(memo.slots);
  const size_t mask = memo.slots.size() - 1;
  for (const uint64_t slot : old) {
    if ((slot >> 24 & 0xff) != generation_) continue;
    size_t at = slot >> 32 & mask;
    while (memo.slots[at] != 0) at = (at + 1) & mask;
    memo.slots[at] = slot;
  }
}

ResidualSearch::BlockId ResidualSearch::FindOrAddEntry(int level, const int16_t* content,
                                                       bool* found) {
  Memo& memo = memo_[level];
  if (memo.entries.size() * 2 >= memo.slots.size()) Grow(memo);
  const size_t mask = memo.slots.size() - 1;
  const uint32_t hash = Hash(content, memo.pixels);
  const uint64_t tag = static_cast<uint64_t>(hash) << 8 | generation_;
  size_t at = hash & mask;
  // A slot of an older generation is empty.
  for (; (memo.slots[at] >> 24 & 0xff) == generation_; at = (at + 1) & mask) {
    if (memo.slots[at] >> 24 != tag) continue;
    const BlockId id = memo.slots[at] & 0xffffff;
    if (SameContent(&memo.contents[static_cast<size_t>(id) * memo.pixels], content,
                    memo.pixels)) {
      *found = true;
      return id;
    }
  }
  const BlockId id = static_cast<BlockId>(memo.entries.size());
  assert(id < 1u << 24);
  memo.slots[at] = tag << 24 | id;
  memo.entries.emplace_back();
  memo.contents.insert(memo.contents.end(), content, content + memo.pixels);
  *found = false;
  return id;
}

// The block's id; if it is new, it is remembered for solving.
ResidualSearch::BlockId ResidualSearch::FindOrAdd(int level, const int16_t* content, bool* found) {
  if (level >= kFirstMemoLevel) return FindOrAddEntry(level, content, found);
  *found = true;
  if (level == 0) return static_cast<BlockId>(content[0] + 255);
  const BlockId id = PairId(content);
  PairMemo& memo = pairs_[level];
  if (memo.pairs[id].pattern == kUnknown) {
    memo.pairs[id].pattern = kImpossible;
    memo.known.push_back(id);
    *found = false;
  }
  return id;
}

void ResidualSearch::Solve(int level, const int16_t* blocks, int count, BlockId* ids,
                           RootCosts* costs, bool* reused) {
  {
    const StageTimer timer(timing_, seconds_trees_);
    for (int i = 0; i < count; ++i)
      ids[i] = FindOrAdd(level, blocks + static_cast<size_t>(i) * memo_[level].pixels, &reused[i]);
  }
  for (int l = level; l >= kFirstMemoLevel; --l) {
    if (memo_[l].solved == memo_[l].entries.size()) continue;
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
  const Dictionary& dictionary = rates_->tile().dictionary;
  const PackedPatterns patterns = dictionary.Packed(level);
  const bool lossless = rates_->lambda().lossless();
  const int32_t* bias = lossless ? dictionary.Norms(level).data() : rates_->Bias(level);
  MatchBlocks(patterns, bias, blocks, count, costs);
  for (int i = 0; i < count; ++i) {
    const int16_t* block = blocks + static_cast<size_t>(i) * pixels;
    const int32_t minimum = costs[i];
    costs[i] += ScaledNorm(block, pixels);
    if (lossless)
      costs[i] = costs[i] > 0 ? kImpossible
                              : rates_->Index(level)[FindMatch(patterns, bias, block, minimum)];
  }
  partitions_matched_ += count;
  multiply_adds_ += static_cast<int64_t>(count) * pixels * patterns.groups * kPatternGroup;
}

// Finds the cheapest pattern of each new entry.
void ResidualSearch::MatchNew(int level) {
  Memo& memo = memo_[level];
  const size_t count = memo.entries.size() - memo.solved;
  pattern_costs_.resize(count);
  MatchAll(level, &memo.contents[memo.solved * memo.pixels], static_cast<int>(count),
           pattern_costs_.data());
  for (size_t i = 0; i < count; ++i)
    memo.entries[memo.solved + i].costs.pattern = pattern_costs_[i];
}

// Looks up the halves of each new entry that may gain by splitting.
void ResidualSearch::SplitNew(int level) {
  const StageTimer timer(timing_, seconds_trees_);
  Memo& memo = memo_[level];
  alignas(8) int16_t buffer[kMacroblockPixels / 2];
  for (size_t i = memo.solved; i < memo.entries.size(); ++i) {
    Entry& entry = memo.entries[i];
    const int16_t* content = &memo.contents[i * memo.pixels];
    for (Split split : {Split::kVertical, Split::kHorizontal}) {
      const int s = static_cast<int>(split);
      const Halves halves = halves_[level][s];
      int32_t& cost = split == Split::kVertical ? entry.costs.vertical : entry.costs.horizontal;
      cost = kImpossible;
      if (halves.level < 0 || entry.costs.pattern <= halves.bound) continue;
      cost = 0;
      for (int half = 0; half < 2; ++half) {
        bool found;
        entry.half[s][half] = FindOrAdd(
            halves.level, HalfContent(level, content, split, half, buffer), &found);
      }
    }
  }
}

// The costs of splitting each new entry, whose halves are solved.
void ResidualSearch::CombineNew(int level) {
  Memo& memo = memo_[level];
  const auto& flags = rates_->ResidualFlags(level);
  for (; memo.solved < memo.entries.size(); ++memo.solved) {
    Entry& entry = memo.entries[memo.solved];
    RootCosts& costs = entry.costs;
    if (costs.vertical != kImpossible)
      costs.vertical = Best(halves_[level][0].level, entry.half[0][0]) +
                       Best(halves_[level][0].level, entry.half[0][1]);
    if (costs.horizontal != kImpossible)
      costs.horizontal = Best(halves_[level][1].level, entry.half[1][0]) +
                         Best(halves_[level][1].level, entry.half[1][1]);
    entry.best = std::min({costs.pattern + flags[kPattern], costs.vertical + flags[kSplitVertical],
                           costs.horizontal + flags[kSplitHorizontal]});
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
  const auto& flags = rates_->ResidualFlags(level);
  for (size_t i = 0; i < count; ++i) {
    Pair& pair = memo.pairs[ids[i]];
    pair.pattern = pattern_costs_[i];
    const RootCosts costs = Costs(level, ids[i]);
    pair.best =
        std::min({costs.pattern + flags[kPattern], costs.vertical + flags[kSplitVertical],
                  costs.horizontal + flags[kSplitHorizontal]});
  }
  memo.solved = memo.known.size();
}

RootCosts ResidualSearch::Costs(int level, BlockId block) const {
  if (level >= kFirstMemoLevel) return memo_[level].entries[block].costs;
  if (level == 0) return {rates_->Pixel(static_cast<int>(block) - 255), kImpossible, kImpossible};
  const int32_t pattern = pairs_[level].pairs[block].pattern;
  const int32_t split = rates_->Pixel(PairPixel(block, 0)) + rates_->Pixel(PairPixel(block, 1));
  return level == 1 ? RootCosts{pattern, split, kImpossible}
                    : RootCosts{pattern, kImpossible, split};
}

int32_t ResidualSearch::Best(int level, BlockId block) const {
  if (level >= kFirstMemoLevel) return memo_[level].entries[block].best;
  return level == 0 ? rates_->Pixel(static_cast<int>(block) - 255)
                    : pairs_[level].pairs[block].best;
}

// The decision at a block below the root.
ResidualFlag ResidualSearch::BestFlag(int level, BlockId block) const {
  if (level == 0) return kPattern;
  const auto& flags = rates_->ResidualFlags(level);
  const RootCosts costs = Costs(level, block);
  const int32_t best = Best(level, block);
  if (costs.pattern + flags[kPattern] == best) return kPattern;
  return costs.vertical + flags[kSplitVertical] == best ? kSplitVertical : kSplitHorizontal;
}

int ResidualSearch::PatternIndex(int level, BlockId block) const {
  if (level == 0) return rates_->PixelIndex(static_cast<int>(block) - 255);
  const int16_t pair[2] = {static_cast<int16_t>(PairPixel(block, 0)),
                           static_cast<int16_t>(PairPixel(block, 1))};
  const int16_t* content =
      IsPairLevel(level) ? pair : &memo_[level].contents[size_t{block} * memo_[level].pixels];
  const Dictionary& dictionary = rates_->tile().dictionary;
  const PackedPatterns patterns = dictionary.Packed(level);
  const int32_t norm = ScaledNorm(content, memo_[level].pixels);
  // The block's least cost tells what to look for.
  return rates_->lambda().lossless()
             ? FindMatch(patterns, dictionary.Norms(level).data(), content, -norm)
             : FindMatch(patterns, rates_->Bias(level), content,
                         Costs(level, block).pattern - norm);
}

// Walks the best tree in coding order: visitor.Flag(flag) at each node below the root that has a flag,
// visitor.Pattern(level, index, y, x) at each leaf.
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
                           : memo_[level].entries[block].half[static_cast<int>(split)][half];
    const ResidualFlag half_flag = BestFlag(half_level, half_block);
    if (half_level > 0) visitor.Flag(half_flag);
    if (half == 1) {
      if (split == Split::kVertical) x += kLevelShapes[half_level].width();
      else y += kLevelShapes[half_level].height();
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
  } painter{rates_->tile().dictionary, values, kLevelShapes[level].width()};
  Visit(level, block, root, 0, 0, painter);
}

}  // namespace mmp
