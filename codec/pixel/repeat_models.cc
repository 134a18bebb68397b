#include "codec/pixel/repeat_models.h"

#include <algorithm>

#include "codec/pixel/context_hash.h"

namespace mmp {
namespace {

constexpr int kTemplates = 10;
constexpr std::array<int, kTemplates> kTemplateSizes = {2, 4, 6, 9, 12, 16, 22, 30, 38, 48};

struct Offset {
  int x, up;
};
constexpr std::array<Offset, 48> kNearest = {
    {{-1, 0}, {0, 1}, {-1, 1}, {1, 1}, {-2, 0}, {0, 2}, {-1, 2}, {1, 2}, {-2, 1}, {2, 1},
     {-2, 2}, {2, 2}, {-3, 0}, {0, 3}, {-3, 1}, {3, 1}, {-1, 3}, {1, 3}, {-3, 2}, {3, 2},
     {-2, 3}, {2, 3}, {-4, 0}, {0, 4}, {-4, 1}, {4, 1}, {-1, 4}, {1, 4}, {-3, 3}, {3, 3},
     {-5, 0}, {0, 5}, {-4, 2}, {4, 2}, {-5, 1}, {5, 1}, {-2, 4}, {2, 4}, {-6, 0}, {0, 6},
     {-5, 2}, {5, 2}, {-4, 3}, {4, 3}, {-3, 4}, {3, 4}, {-1, 5}, {1, 5}}};

uint32_t AddSample(uint32_t hash, int sample) {
  return AddToHash(hash, static_cast<uint32_t>(sample));
}

uint32_t HashLeft(const RepeatRows& rows, int x, int columns, uint32_t seed) {
  uint32_t hash = seed;
  for (int i = 1; i <= columns; ++i) hash = AddSample(hash, rows.At(x - i, 0));
  return hash;
}

// Of the samples at most `left` columns to the left, and, in the 3, 6 or 9 rows above, also at most
// `right` columns to the right.
uint32_t HashBox(const RepeatRows& rows, int x, int left, int right, int threes, uint32_t seed) {
  uint32_t hash = HashLeft(rows, x, left, seed);
  for (int i = -left; i <= right; ++i) hash = AddToHash(hash, rows.ColumnHash(threes, x + i));
  return hash;
}

}  // namespace

void CountedProbability::Adapt(int bit, double inertia) {
  constexpr double kLeast = 1.0 / 8192.0;
  const double adapted = probability + ((bit ? 1.0 : 0.0) - probability) / (count + inertia);
  probability = std::min(std::max(adapted, kLeast), 1.0 - kLeast);
  if (count < 255.0) count = count + 1.0;
}

RepeatRows::RepeatRows(int width, uint8_t outside) : outside_(outside) {
  const size_t size = static_cast<size_t>(width) + 2 * kMargin;
  for (auto& row : rows_) row.assign(size, outside);
  for (auto& hashes : hashes_) hashes.resize(size);
  HashColumns();
}

void RepeatRows::NextRow() {
  std::rotate(rows_.begin(), rows_.end() - 1, rows_.end());
  std::fill(rows_[0].begin(), rows_[0].end(), outside_);
  HashColumns();
}

void RepeatRows::HashColumns() {
  for (size_t x = 0; x < rows_[0].size(); ++x) {
    uint32_t hash = 9;
    for (int up = 1; up <= kHashedRows; ++up) {
      hash = AddToHash(hash, rows_[up][x]);
      if (up % 3 == 0) hashes_[up / 3 - 1][x] = hash;
    }
  }
}

RepeatHashes HashSurroundings(const RepeatRows& rows, int x) {
  RepeatHashes hashes;
  uint32_t hash = 1;
  int nearest = 0;
  for (int i = 0; i < kTemplates; ++i) {
    for (; nearest < kTemplateSizes[i]; ++nearest)
      hash = AddSample(hash, rows.At(x + kNearest[nearest].x, kNearest[nearest].up));
    hashes[i] = hash;
  }
  const int west = rows.At(x - 1, 0), north = rows.At(x, 1);
  hashes[kWideBox] = HashBox(rows, x, 7, 7, 1, 2);
  hashes[11] = HashBox(rows, x, 3, 3, 2, 3);
  hashes[12] = HashBox(rows, x, 10, 10, 0, 4);
  hashes[13] = AddSample(HashBox(rows, x, 1, 0, 2, 5), rows.At(x + 1, 1));
  hashes[14] = AddSample(HashLeft(rows, x, 14, 6), north);
  hashes[15] = AddSample(AddSample(AddSample(AddSample(7, x), north), west), rows.At(x, 2));
  return hashes;
}

uint32_t HashNarrowBox(const RepeatRows& rows, int x) { return HashBox(rows, x, 4, 5, 0, 8); }

BitHistories::BitHistories() : meaning_(FirstMeanings()) {
  histories_.fill(std::vector<History>(size_t{1} << kTableBits));
}

const BitHistories::Meanings& BitHistories::FirstMeanings() {
  static const Meanings first = [] {
    constexpr double kLeast = 0.03;
    double more = 0.4 - kLeast;
    Meanings meanings;
    for (std::vector<CountedProbability>& meaning : meanings) {
      const double before = kLeast + more;  // of either bit, as if it had been seen so often
      more = more * 0.5;
      for (int zeros = 0; zeros <= kMostSeen; ++zeros)
        for (int ones = 0; ones <= kMostSeen; ++ones)
          meaning.push_back({(static_cast<double>(ones) + before) /
                                 (static_cast<double>(zeros + ones) + 2.0 * before),
                             4.0});
    }
    return meanings;
  }();
  return first;
}

void BitHistories::Predict(const PixelTables& tables, const RepeatHashes& hashes, uint32_t key,
                           double* logits) {
  known_ = 0;
  for (int i = 0; i < kRepeatContexts; ++i) {
    const uint32_t hash = HashOfDecision(hashes[i], key);
    History& history = histories_[i][hash >> (32 - kTableBits)];
    const uint8_t check = static_cast<uint8_t>(hash);
    if (history.check != check) history = {check, {}};
    history_[i] = &history;
    means_[i] =
        &meaning_[i][static_cast<size_t>(history.seen[0]) * (kMostSeen + 1) + history.seen[1]];
    logits[i] = history.IsEmpty() ? 0.0 : means_[i]->Stretched(tables);
    known_ += i >= 4 && i < kTemplates && !history.IsEmpty();
  }
}

void BitHistories::Learn(int bit) {
  for (int i = 0; i < kRepeatContexts; ++i) {
    History& history = *history_[i];
    if (!history.IsEmpty()) means_[i]->Adapt(bit);
    uint8_t& same = history.seen[bit];
    uint8_t& other = history.seen[1 - bit];
    if (same < kMostSeen) ++same;
    if (other > 2) other = static_cast<uint8_t>(other / 2 + 1);
  }
}

RepeatMatch::RepeatMatch(const uint16_t* samples, ptrdiff_t stride, int width)
    : samples_(samples), stride_(stride), width_(width), last_(size_t{1} << kTableBits, kNone) {
  for (auto& by_length : right_)
    for (int i = 0; i < kLengths; ++i)
      by_length[i] = {1.0 - 0.5 / (static_cast<double>(i) + 1.5), 6.0};
}

void RepeatMatch::Begin(int64_t position, uint32_t hash) {
  position_ = position;
  entry_ = hash >> (32 - kTableBits);
  if (source_ == kNone) {
    source_ = last_[entry_];
    length_ = 0;
    while (length_ < kMostCompared && length_ < source_ &&
           Sample(source_ - length_ - 1) == Sample(position - length_ - 1))
      ++length_;
    if (length_ == 0) source_ = kNone;
  }
  expected_ = source_ == kNone ? kNone : Sample(source_);
}

int RepeatMatch::Confidence() const {
  return expected_ == kNone ? 0 : length_ < 16 ? 1 : length_ < 32 ? 2 : 3;
}

double RepeatMatch::Predict(const PixelTables& tables, int value) {
  asked_ = nullptr;
  if (expected_ == kNone || value == kNone) return 0.0;
  says_ = expected_ == value;
  asked_ = &right_[says_][std::min(length_, kLengths - 1)];
  const double logit = asked_->Stretched(tables);
  return says_ ? logit : -logit;
}

void RepeatMatch::LearnDecision(int bit) {
  if (asked_ != nullptr) asked_->Adapt(bit == says_);
}

void RepeatMatch::Learn(int value) {
  last_[entry_] = position_;
  if (source_ == kNone) return;
  const bool met = expected_ == value;
  length_ = met ? length_ + 1 : 0;
  source_ = met ? source_ + 1 : kNone;
}

}  // namespace mmp
