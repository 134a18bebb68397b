#include "codec/dictionary/dictionary.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codec/base/decode_work.h"
#include "codec/dictionary/rescale.h"

namespace mmp {
namespace {

// Magnitudes of the initial homogeneous patterns: dense near zero, where residuals are.
constexpr int kInitialMagnitudes[(kInitialPatterns - 1) / 2] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 14,  16,  18,  20,  22,  25,
    28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 102, 116, 134, 160, 200, 255};

constexpr size_t kLeastRoom = 2 * kPatternGroup;  // for what a level grows by, when it first does

}  // namespace

int InitialPatternValue(int index) {
  if (index == 0) return 0;
  const int magnitude = kInitialMagnitudes[(index - 1) / 2];
  return index % 2 == 1 ? magnitude : -magnitude;
}

Dictionary::Dictionary(int capacity) : capacity_(capacity) {
  int16_t values[kMacroblockPixels];
  for (int level = 0; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    const int count = level == 0 ? kPixelPatterns : kInitialPatterns;
    levels_[level].own = std::make_unique<PatternTable>(kLevelShapes[level]);
    for (int index = 0; index < count; ++index) {
      const int value = level == 0 ? PixelPatternValue(index) : InitialPatternValue(index);
      std::fill_n(values, pixels, static_cast<int16_t>(value));
      levels_[level].own->Append(values);
    }
  }
}

Dictionary::Dictionary(const Dictionary& start) : capacity_(start.capacity_) {
  for (int level = 0; level < kLevelCount; ++level) {
    const Level& from = start.levels_[level];
    levels_[level].shared = from.shared;
    if (from.own) levels_[level].own = std::make_unique<PatternTable>(*from.own);
  }
}

void Dictionary::Share() {
  for (Level& level : levels_)
    if (level.own) level.shared = std::move(level.own);
}

void Dictionary::Restart(const Dictionary& start) {
  capacity_ = start.capacity_;
  for (int i = 0; i < kLevelCount; ++i) {
    Level& level = levels_[i];
    if (level.own && level.shared == start.levels_[i].shared)
      level.own->Truncate(level.shared->size());
    else
      level.own.reset();
    level.shared = start.levels_[i].shared;
  }
}

PatternTable& Dictionary::OwnTable(int level) {
  Level& l = levels_[level];
  if (!l.own) {
    const size_t size = static_cast<size_t>(l.shared->size());
    l.own = std::make_unique<PatternTable>(*l.shared, kLeastRoom + size / 4);
  }
  return *l.own;
}

void Dictionary::AddTrained(const TrainedPatterns& trained, uint8_t scale) {
  int16_t values[kMacroblockPixels];
  for (int level = 1; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    const std::vector<int8_t>& from = trained.levels[level].values;
    for (size_t at = 0; at < from.size() && size(level) < capacity_; at += pixels) {
      for (int k = 0; k < pixels; ++k) values[k] = ScaleTrainedValue(from[at + k], scale);
      OwnTable(level).Append(values);
    }
  }
}

uint64_t Dictionary::Insert(const PatternList& patterns, uint32_t threshold, TaskPool& pool) {
  std::array<uint64_t, kLevelCount> work{};
  // The levels of large blocks take longest.
  pool.ForEach(kLevelCount - 1, [&](int i, int /*member*/) {
    const int level = kLevelCount - 1 - i;
    work[level] = InsertAtLevel(patterns, level, threshold);
  });
  return std::accumulate(work.begin(), work.end(), uint64_t{0});
}

uint64_t Dictionary::InsertAtLevel(const PatternList& patterns, int level, int64_t threshold) {
  if (size(level) >= capacity_) return 0;
  const int pixels = kLevelShapes[level].pixels();
  uint64_t work = 0;
  int16_t candidate[kMacroblockPixels];
  for (int i = 0; i < patterns.size() && size(level) < capacity_; ++i) {
    work += InsertionWork(size(level), pixels);
    RescalePattern(patterns.values(i), patterns.level(i), level, candidate);
    const SketchedBlock block = Table(level).Describe(candidate);
    if (!Table(level).HasNear(block, threshold)) OwnTable(level).Append(block);
  }
  return work;
}

}  // namespace mmp
