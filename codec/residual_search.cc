#include "codec/residual_search.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "codec/stopwatch.h"

namespace mmp {
namespace {

constexpr int kPairLevels = 3;        // levels below this have at most two pixels
constexpr int32_t kUnknown = -1;
constexpr uint32_t kPairKeys = 512 * 512;
constexpr uint32_t kGenerations = 255;
constexpr size_t kFirstSlots = 1024;

uint32_t Hash(const int16_t* content, int pixels) {
  uint64_t h = 0;
  for (int k = 0; k < pixels; k += 4) {
    uint64_t word;
    std::memcpy(&word, content + k, sizeof(word));
    h = (std::rotl(h, 23) ^ word) * 0x9e3779b97f4a7c15u;
  }
  return static_cast<uint32_t>((h ^ h >> 29) >> 32);
}

bool SameContent(const int16_t* a, const int16_t* b, int pixels) {
  for (int k = 0; k < pixels; k += 4) {
    uint64_t x, y;
    std::memcpy(&x, a + k, sizeof(x));
    std::memcpy(&y, b + k, sizeof(y));
    if (x != y) return false;
  }
  return true;
}

template <int kHalfWidth>
void CopyColumnsOf(const int16_t* from, int height, int16_t* to) {
  for (int i = 0; i < height; ++i)
    std::memcpy(to + i * kHalfWidth, from + i * 2 * kHalfWidth, kHalfWidth * sizeof(int16_t));
}

// The left half (or, given its first column, the right half) of a block.
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

void ResidualSearch::Memo::Clear() { entries.clear(); }

void ResidualSearch::Memo::Grow(uint32_t generation) {
  std::vector<uint64_t> old(std::max(kFirstSlots, 2 * slots.size()));
  old.swap(slots);
  const size_t mask = slots.size() - 1;
  for (const uint64_t slot : old) {
    if ((slot >> 24 & 0xff) != generation) continue;
    size_t at = slot >> 32 & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = slot;
  }
}

ResidualSearch::ResidualSearch() {
  for (PairMemo& memo : pairs_) memo.pairs.assign(kPairKeys, {kUnknown, 0});
  for (Memo& memo : memo_) memo.slots.assign(kFirstSlots, 0);
}

void ResidualSearch::Begin(const SearchRates& rates) {
  rates_ = &rates;
  arena_.Reset();
  if (++generation_ > kGenerations) {
    generation_ = 1;
    for (Memo& memo : memo_) std::fill(memo.slots.begin(), memo.slots.end(), 0);
  }
  for (Memo& memo : memo_) memo.Clear();
  for (PairMemo& memo : pairs_) {
    for (const uint32_t key : memo.known) memo.pairs[key].pattern = kUnknown;
    memo.known.clear();
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
      halves_[level][s] = {half, half < 0 ? 0 : kLevelShapes[half].pixels(), 0};
      if (half < 0) continue;
      const int32_t flag = flags[kSplitVertical + s];
      halves_[level][s].bound =
          2 * least[half] + std::min(flag - flags[kPattern],
                                     root_flags[kSplitResidualVertical + s] - root_flags[kLeaf]);
      least[level] = std::min(least[level], flag + 2 * least[half]);
    }
  }
}

uint32_t ResidualSearch::FindOrAdd(int level, const int16_t* content, bool* found) {
  Memo& memo = memo_[level];
  const int pixels = kLevelShapes[level].pixels();
  if (memo.entries.size() * 2 >= memo.slots.size()) memo.Grow(generation_);
  const size_t mask = memo.slots.size() - 1;
  const uint32_t hash = Hash(content, pixels);
  const uint64_t tag = static_cast<uint64_t>(hash) << 8 | generation_;
  size_t at = hash & mask;
  while (true) {
    const uint64_t slot = memo.slots[at];
    if ((slot >> 24 & 0xff) != generation_) break;  // empty, or of an older macroblock
    if (slot >> 24 == tag) {
      const uint32_t number = slot & 0xffffff;
      if (SameContent(memo.entries[number].content, content, pixels)) {
        *found = true;
        return number;
      }
    }
    at = (at + 1) & mask;
  }
  const uint32_t number = static_cast<uint32_t>(memo.entries.size());
  assert(number < 1u << 24);
  memo.slots[at] = tag << 24 | number;
  memo.entries.push_back({content, {}, 0, {}});
  *found = false;
  return number;
}

// Number (or pair key) of a half, remembered for solving if it is new. `content` may be a buffer.
uint32_t ResidualSearch::Half(int level, const int16_t* content) {
  if (level < kPairLevels) {
    const uint32_t key = PairKey(content);
    PairMemo& memo = pairs_[level - 1];
    if (memo.pairs[key].pattern == kUnknown) {
      memo.pairs[key].pattern = kImpossible;
      memo.known.push_back(key);
      memo.unsolved.push_back(key);
    }
    return key;
  }
  bool found;
  return FindOrAdd(level, content, &found);
}

void ResidualSearch::Solve(int level, const int16_t* const* blocks, int count, RootCosts* costs,
                           bool* reused) {
  if (level == 0) {
    for (int i = 0; i < count; ++i) {
      costs[i] = {rates_->Pixel(blocks[i][0]), kImpossible, kImpossible};
      reused[i] = true;
    }
    return;
  }
  if (level < kPairLevels) {
    for (int i = 0; i < count; ++i) {
      reused[i] = pairs_[level - 1].pairs[PairKey(blocks[i])].pattern != kUnknown;
      Half(level, blocks[i]);
    }
    SolvePairs(level);
    for (int i = 0; i < count; ++i) costs[i] = PairCosts(level, blocks[i]);
    return;
  }
  std::array<size_t, kLevelCount> first;
  for (int l = kPairLevels; l <= level; ++l) first[l] = memo_[l].entries.size();
  std::array<uint32_t, 64> numbers;
  assert(count <= static_cast<int>(numbers.size()));
  for (int i = 0; i < count; ++i) numbers[i] = FindOrAdd(level, blocks[i], &reused[i]);
  for (int l = level; l >= kPairLevels; --l) {
    MatchNew(l, first[l]);
    SplitNew(l, first[l]);
  }
  SolvePairs(1);
  SolvePairs(2);
  for (int l = kPairLevels; l <= level; ++l) CombineNew(l, first[l]);
  for (int i = 0; i < count; ++i) costs[i] = memo_[level].entries[numbers[i]].costs;
}

// costs[i] = least cost of a pattern for blocks_[i].
void ResidualSearch::MatchAll(int level, int32_t* costs) {
  const Stopwatch watch;
  const int count = static_cast<int>(blocks_.size());
  const int pixels = kLevelShapes[level].pixels();
  const Dictionary& dictionary = rates_->tile().dictionary;
  const PackedPatterns patterns = dictionary.Packed(level);
  const bool lossless = rates_->lambda().lossless();
  const int32_t* bias = lossless ? dictionary.Norms(level).data() : rates_->Bias(level);
  MatchBlocks(patterns, bias, blocks_.data(), count, costs);
  for (int i = 0; i < count; ++i) {
    const int32_t minimum = costs[i];
    costs[i] += ScaledNorm(blocks_[i], pixels);
    if (lossless)
      costs[i] = costs[i] > 0 ? kImpossible
                              : rates_->Index(level)[FindMatch(patterns, bias, blocks_[i], minimum)];
  }
  partitions_matched_ += count;
  multiply_adds_ += static_cast<int64_t>(count) * pixels * patterns.groups * kPatternGroup;
  seconds_matching_ += watch.Seconds();
}

// Finds the cheapest pattern of each entry from `first` on.
void ResidualSearch::MatchNew(int level, size_t first) {
  std::vector<Entry>& entries = memo_[level].entries;
  if (first == entries.size()) return;
  blocks_.clear();
  for (size_t i = first; i < entries.size(); ++i) blocks_.push_back(entries[i].content);
  costs_.resize(blocks_.size());
  MatchAll(level, costs_.data());
  for (size_t i = first; i < entries.size(); ++i) entries[i].costs.pattern = costs_[i - first];
}

// Looks up the halves of each entry from `first` on that may gain by splitting.
void ResidualSearch::SplitNew(int level, size_t first) {
  if (first == memo_[level].entries.size()) return;
  const Stopwatch watch;
  int16_t buffer[kMacroblockPixels];
  for (size_t i = first; i < memo_[level].entries.size(); ++i) {
    Entry* entry = &memo_[level].entries[i];
    for (Split split : {Split::kVertical, Split::kHorizontal}) {
      const int s = static_cast<int>(split);
      const Halves& halves = halves_[level][s];
      int32_t& cost = s == 0 ? entry->costs.vertical : entry->costs.horizontal;
      if (halves.level < 0 || entry->costs.pattern <= halves.bound) {
        cost = kImpossible;
        continue;
      }
      cost = 0;
      for (int half = 0; half < 2; ++half) {
        const int16_t* content = HalfContent(level, entry->content, split, half, buffer);
        const size_t known = halves.level < kPairLevels ? 0 : memo_[halves.level].entries.size();
        const uint32_t number = Half(halves.level, content);
        entry->half[2 * s + half] = number;
        // A new entry must keep its content.
        if (content == buffer && halves.level >= kPairLevels &&
            memo_[halves.level].entries.size() > known) {
          int16_t* kept = NewBlock(halves.level);
          std::memcpy(kept, buffer, halves.pixels * sizeof(int16_t));
          memo_[halves.level].entries[number].content = kept;
        }
      }
    }
  }
  seconds_trees_ += watch.Seconds();
}

int32_t ResidualSearch::BestOf(int level, uint32_t half) const {
  return level < kPairLevels ? pairs_[level - 1].pairs[half].best
                             : memo_[level].entries[half].best;
}

void ResidualSearch::CombineNew(int level, size_t first) {
  if (first == memo_[level].entries.size()) return;
  const Stopwatch watch;
  const auto& flags = rates_->ResidualFlags(level);
  std::vector<Entry>& entries = memo_[level].entries;
  for (size_t i = first; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    RootCosts& costs = entry.costs;
    if (costs.vertical != kImpossible)
      costs.vertical = BestOf(halves_[level][0].level, entry.half[0]) +
                       BestOf(halves_[level][0].level, entry.half[1]);
    if (costs.horizontal != kImpossible)
      costs.horizontal = BestOf(halves_[level][1].level, entry.half[2]) +
                         BestOf(halves_[level][1].level, entry.half[3]);
    entry.best = std::min({costs.pattern + flags[kPattern], costs.vertical + flags[kSplitVertical],
                           costs.horizontal + flags[kSplitHorizontal]});
  }
  seconds_trees_ += watch.Seconds();
}

RootCosts ResidualSearch::PairCosts(int level, const int16_t* pair) const {
  const int32_t pattern = pairs_[level - 1].pairs[PairKey(pair)].pattern;
  const int32_t split = rates_->Pixel(pair[0]) + rates_->Pixel(pair[1]);
  return level == 1 ? RootCosts{pattern, split, kImpossible}
                    : RootCosts{pattern, kImpossible, split};
}

void ResidualSearch::SolvePairs(int level) {
  PairMemo& memo = pairs_[level - 1];
  const size_t count = memo.unsolved.size();
  if (count == 0) return;
  pair_pixels_.resize(2 * count);
  blocks_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    pair_pixels_[2 * i] = static_cast<int16_t>(static_cast<int>(memo.unsolved[i] >> 9) - 255);
    pair_pixels_[2 * i + 1] = static_cast<int16_t>(static_cast<int>(memo.unsolved[i] & 511) - 255);
    blocks_[i] = &pair_pixels_[2 * i];
  }
  costs_.resize(count);
  MatchAll(level, costs_.data());
  const auto& flags = rates_->ResidualFlags(level);
  for (size_t i = 0; i < count; ++i) {
    Pair& pair = memo.pairs[memo.unsolved[i]];
    pair.pattern = costs_[i];
    const RootCosts costs = PairCosts(level, blocks_[i]);
    pair.best =
        std::min({costs.pattern + flags[kPattern], costs.vertical + flags[kSplitVertical],
                  costs.horizontal + flags[kSplitHorizontal]});
  }
  memo.unsolved.clear();
}

const ResidualSearch::Entry& ResidualSearch::Known(int level, const int16_t* content) const {
  const Memo& memo = memo_[level];
  const int pixels = kLevelShapes[level].pixels();
  const size_t mask = memo.slots.size() - 1;
  const uint32_t hash = Hash(content, pixels);
  const uint64_t tag = static_cast<uint64_t>(hash) << 8 | generation_;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    const uint64_t slot = memo.slots[at];
    assert((slot >> 24 & 0xff) == generation_);
    if (slot >> 24 != tag) continue;
    const Entry& entry = memo.entries[slot & 0xffffff];
    if (SameContent(entry.content, content, pixels)) return entry;
  }
}

int ResidualSearch::PatternIndex(int level, const int16_t* content) const {
  if (level == 0) return rates_->PixelIndex(content[0]);
  const Dictionary& dictionary = rates_->tile().dictionary;
  const PackedPatterns patterns = dictionary.Packed(level);
  const int32_t* bias = rates_->lambda().lossless() ? dictionary.Norms(level).data()
                                                    : rates_->Bias(level);
  int32_t minimum;
  MatchBlocks(patterns, bias, &content, 1, &minimum);
  return FindMatch(patterns, bias, content, minimum);
}

// The decision at a block below the root.
ResidualFlag ResidualSearch::BestFlag(int level, const int16_t* content) const {
  if (level == 0) return kPattern;
  const auto& flags = rates_->ResidualFlags(level);
  RootCosts costs;
  int32_t best;
  if (level < kPairLevels) {
    costs = PairCosts(level, content);
    best = pairs_[level - 1].pairs[PairKey(content)].best;
  } else {
    const Entry& entry = Known(level, content);
    costs = entry.costs;
    best = entry.best;
  }
  if (costs.pattern + flags[kPattern] == best) return kPattern;
  return costs.vertical + flags[kSplitVertical] == best ? kSplitVertical : kSplitHorizontal;
}

// Walks the best tree in coding order: visitor.Flag(level, flag) below the root, and
// visitor.Pattern(level, index, y, x).
template <typename Visitor>
void ResidualSearch::Visit(int level, const int16_t* content, ResidualFlag flag, int y, int x,
                           Visitor& visitor) const {
  if (flag == kPattern) {
    visitor.Pattern(level, PatternIndex(level, content), y, x);
    return;
  }
  const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
  const int half_level = HalfLevel(level, split);
  int16_t buffer[kMacroblockPixels];
  for (int half = 0; half < 2; ++half) {
    const int16_t* half_content = HalfContent(level, content, split, half, buffer);
    const ResidualFlag half_flag = BestFlag(half_level, half_content);
    if (half_level > 0) visitor.Flag(half_flag);
    Visit(half_level, half_content, half_flag,
          y + (split == Split::kHorizontal ? half * kLevelShapes[half_level].height() : 0),
          x + (split == Split::kVertical ? half * kLevelShapes[half_level].width() : 0), visitor);
  }
}

void ResidualSearch::Emit(int level, const int16_t* block, ResidualFlag root,
                          MacroblockSymbols& symbols) const {
  struct Emitter {
    MacroblockSymbols& symbols;
    void Flag(ResidualFlag flag) { symbols.push_back(flag); }
    void Pattern(int, int index, int, int) { symbols.push_back(static_cast<uint32_t>(index)); }
  } emitter{symbols};
  Visit(level, block, root, 0, 0, emitter);
}

void ResidualSearch::Reconstruct(int level, const int16_t* block, ResidualFlag root,
                                 int16_t* values, int stride) const {
  struct Painter {
    const Dictionary& dictionary;
    int16_t* values;
    int stride;
    void Flag(ResidualFlag) {}
    void Pattern(int pattern_level, int index, int y, int x) {
      int16_t pattern[kMacroblockPixels];
      dictionary.Copy(pattern_level, index, pattern);
      const LevelShape shape = kLevelShapes[pattern_level];
      for (int i = 0; i < shape.height(); ++i)
        std::memcpy(values + (y + i) * stride + x, pattern + i * shape.width(),
                    shape.width() * sizeof(int16_t));
    }
  } painter{rates_->tile().dictionary, values, stride};
  Visit(level, block, root, 0, 0, painter);
}

}  // namespace mmp
