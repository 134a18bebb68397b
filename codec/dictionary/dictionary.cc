#include "codec/dictionary/dictionary.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/decode_work.h"
#include "codec/dictionary/rescale.h"
#include "codec/dictionary/trained_scale.h"

namespace mmp {
namespace {

// Magnitudes of the initial homogeneous patterns: dense near zero, where residuals are.
constexpr int kInitialMagnitudes[(kInitialPatterns - 1) / 2] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 14,  16,  18,  20,  22,  25,
    28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 102, 116, 134, 160, 200, 255};

using Tables = std::array<std::shared_ptr<const PatternTable>, kLevelCount>;

Tables MakeInitialTables() {
  Tables tables;
  for (int level = 0; level < kLevelCount; ++level) {
    const int count = level == 0 ? kPixelPatterns : kInitialPatterns;
    auto table = std::make_shared<PatternTable>(kLevelShapes[level]);
    table->Append(count, [&](int16_t* to) {
      for (int index = 0; index < count; ++index) {
        const int value = level == 0 ? PixelPatternValue(index) : InitialPatternValue(index);
        to = std::fill_n(to, kLevelShapes[level].pixels(), static_cast<int16_t>(value));
      }
    });
    tables[level] = std::move(table);
  }
  return tables;
}

// The initial patterns, which all dictionaries have in common.
const Tables& InitialTables() {
  static const Tables tables = MakeInitialTables();
  return tables;
}

// Patterns that are rescaled before they are entered, for each thread; what they take is little.
constexpr int kRescaledAtATime = 32;
// Threads that this counts: what is entered once a limit of work is exceeded has an end, too.
constexpr int kMostRescaling = 8;

}  // namespace

int InitialPatternValue(int index) {
  if (index == 0) return 0;
  const int magnitude = kInitialMagnitudes[(index - 1) / 2];
  return index % 2 == 1 ? magnitude : -magnitude;
}

Dictionary::Dictionary(int capacity) : capacity_(capacity) {
  for (int level = 0; level < kLevelCount; ++level) levels_[level].shared = InitialTables()[level];
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
  if (!l.own) l.own = std::make_unique<PatternTable>(l.shared);
  return *l.own;
}

void Dictionary::AddTrained(const TrainedPatterns& trained, uint8_t scale) {
  for (int level = 1; level < kLevelCount; ++level) {
    const size_t pixels = static_cast<size_t>(kLevelShapes[level].pixels());
    const std::span<const int8_t> from = trained.levels[level].values;
    const size_t room = static_cast<size_t>(std::max(0, capacity_ - size(level)));
    const size_t count = std::min(from.size() / pixels, room);
    OwnTable(level).Append(static_cast<int>(count), [&](int16_t* to) {
      ScaleTrainedValues(from.first(count * pixels), scale, to);
    });
  }
}

uint64_t Dictionary::Insert(const PatternList& patterns, uint32_t threshold, TaskPool& pool,
                            const std::function<bool(uint64_t work)>& goes_on) {
  std::array<uint64_t, kLevelCount> work{};
  const auto all_work = [&] { return std::accumulate(work.begin(), work.end(), uint64_t{0}); };
  const NearLimit limit(threshold);
  const int at_a_time =
      std::min(patterns.size(), kRescaledAtATime * std::min(pool.size(), kMostRescaling));
  if (rescaled_room_ < at_a_time) {
    rescaled_ = std::make_unique_for_overwrite<int16_t[]>(static_cast<size_t>(at_a_time) *
                                                          kAllLevelsPixels);
    rescaled_room_ = at_a_time;
  }
  for (int first = 0; first < patterns.size(); first += at_a_time) {
    const int count = std::min(at_a_time, patterns.size() - first);
    const uint32_t growing = GrowingLevels();
    if (growing == 0 || (first > 0 && goes_on && !goes_on(all_work()))) break;
    pool.ForEach(count, [&](int i, int /*member*/) {
      RescaleToLevels(patterns.values(first + i), patterns.level(first + i), growing,
                      rescaled_.get() + static_cast<ptrdiff_t>(i) * kAllLevelsPixels);
    });
    // The levels of large blocks take longest.
    pool.ForEach(kLevelCount - 1, [&](int i, int /*member*/) {
      const int level = kLevelCount - 1 - i;
      work[level] += InsertAtLevel({rescaled_.get(), count}, level, limit);
    });
  }
  return all_work();
}

uint64_t Dictionary::MostInsertionWork(int patterns) const {
  uint64_t work = 0;
  for (int level = 1; level < kLevelCount; ++level)
    for (int i = 0; i < patterns && size(level) < capacity_; ++i)
      work += InsertionWork(std::min(size(level) + i, capacity_ - 1), kLevelShapes[level].pixels());
  return work;
}

uint32_t Dictionary::GrowingLevels() const {
  uint32_t levels = 0;
  for (int level = 1; level < kLevelCount; ++level)
    if (size(level) < capacity_) levels |= 1u << level;
  return levels;
}

uint64_t Dictionary::InsertAtLevel(RescaledPatterns patterns, int level, const NearLimit& limit) {
  const int pixels = kLevelShapes[level].pixels();
  const PatternTable* table = &Table(level);
  uint64_t work = 0;
  int size = table->size();
  for (int i = 0; i < patterns.count && size < capacity_; ++i) {
    work += InsertionWork(size, pixels);
    const int16_t* values =
        patterns.values + static_cast<ptrdiff_t>(i) * kAllLevelsPixels + kLevelOffsets[level];
    const SketchedBlock block = table->Describe(values);
    if (table->HasNear(block, limit)) continue;
    PatternTable& own = OwnTable(level);
    own.Append(block);
    table = &own;
    ++size;
  }
  return work;
}

}  // namespace mmp
