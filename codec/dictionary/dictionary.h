// The adaptive dictionary: the patterns of every level that residual blocks are matched with.
// Normative: docs/format.md, "Dictionary".
#ifndef MMP_CODEC_DICTIONARY_DICTIONARY_H_
#define MMP_CODEC_DICTIONARY_DICTIONARY_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/matcher.h"
#include "codec/dictionary/pattern_table.h"
#include "codec/dictionary/trained_patterns.h"
#include "common/task_pool.h"

namespace mmp {

inline constexpr int kInitialPatterns = 69;  // at every level but 1x1: homogeneous blocks
inline constexpr int kPixelPatterns = 511;   // at level 1x1: every value in [-255, 255]

// The value of initial pattern `index` of a level above 1x1: 0, then pairs +v, -v of growing v.
int InitialPatternValue(int index);
// The value of pattern `index` of level 1x1: 0, 1, -1, 2, -2 ... 255, -255.
constexpr int PixelPatternValue(int index) { return index % 2 == 1 ? (index + 1) / 2 : -index / 2; }
constexpr int PixelPatternIndex(int value) { return value > 0 ? 2 * value - 1 : -2 * value; }

// The concatenations of a front in the order in which they were coded.
class PatternList {
 public:
  // Has room for what most macroblocks leave.
  PatternList() {
    items_.reserve(64);
    values_.resize(8 * kMacroblockPixels);
  }
  void Clear() {
    items_.clear();
    end_ = 0;
  }
  // A pattern whose values follow.
  void Add(int level) {
    items_.push_back({level, end_});
    end_ += kLevelShapes[level].pixels();
  }
  void Add(int level, const int16_t* values) {
    Add(level);
    std::copy_n(values, kLevelShapes[level].pixels(), Values() + items_.back().offset);
  }
  int size() const { return static_cast<int>(items_.size()); }
  int level(int i) const { return items_[i].level; }
  const int16_t* values(int i) const { return values_.data() + items_[i].offset; }
  // Where the values of the next pattern will begin among those of all.
  int end() const { return end_; }
  // The values of all, one pattern behind the other, to be filled in. Until the next Add.
  int16_t* Values() {
    if (static_cast<int>(values_.size()) < end_) values_.resize(static_cast<size_t>(end_));
    return values_.data();
  }

 private:
  struct Item {
    int level;
    int offset;
  };
  std::vector<Item> items_;
  std::vector<int16_t> values_;  // the first end_ are in use
  int end_ = 0;
};

class Dictionary {
 public:
  // The initial state; at most `capacity` patterns a level (level 1x1 always has its 511).
  explicit Dictionary(int capacity);
  // A copy; has the levels of a dictionary that has been shared in common until they grow, and
  // then most of their patterns.
  Dictionary(const Dictionary& start);
  Dictionary(Dictionary&&) = default;
  Dictionary& operator=(const Dictionary&) = delete;
  Dictionary& operator=(Dictionary&&) = default;

  // From now on, copies have the patterns of this one in common, which must not grow any more.
  void Share();
  // Becomes a copy of `start`, which has been shared; costs little for what has been one before.
  void Restart(const Dictionary& start);

  int size(int level) const { return Table(level).size(); }
  // See PatternTable.
  PackedPatterns Packed(int level) const { return Table(level).Packed(); }
  int32_t Norm(int level, int index) const { return Table(level).Norm(index); }
  std::span<const int32_t> Norms(int level) const { return Table(level).Norms(); }
  void Copy(int level, int index, int16_t* values) const {
    std::copy_n(Table(level).Values(index), kLevelShapes[level].pixels(), values);
  }

  // Adds the trained patterns in their order, scaled, as far as the capacity goes.
  void AddTrained(const TrainedPatterns& trained, uint8_t scale);

  // Adds each of `patterns`, rescaled, to every level above 1x1 in turn: unless the level is full
  // or has a pattern whose SSE to it is at most `threshold`. Returns the work, as decode_work.h
  // counts it: that of comparing each with all patterns of its level. The pool shares the levels.
  // goes_on(work), if there is one, is asked after every few patterns: false ends it there, with a
  // dictionary that is of no use any more.
  uint64_t Insert(const PatternList& patterns, uint32_t threshold,
                  TaskPool& pool = TaskPool::Alone(),
                  const std::function<bool(uint64_t work)>& goes_on = {});
  // Whether no pattern can be added any more.
  bool IsFull() const { return GrowingLevels() == 0; }
  // A bound on the work of inserting so many: as if each entered every level that is not full, and
  // the last one's place stayed free.
  uint64_t MostInsertionWork(int patterns) const;

 private:
  struct Level {
    std::shared_ptr<const PatternTable> shared;  // what it begins with, if that is not its own
    std::unique_ptr<PatternTable> own;           // in place of `shared`, if there is one
  };

  const PatternTable& Table(int level) const {
    const Level& l = levels_[level];
    return l.own ? *l.own : *l.shared;
  }
  PatternTable& OwnTable(int level);
  // Those above 1x1 that are not full, a bit each.
  uint32_t GrowingLevels() const;
  // Patterns at every growing level, see kLevelOffsets.
  struct RescaledPatterns {
    const int16_t* values;  // [count][kAllLevelsPixels]
    int count;
  };
  uint64_t InsertAtLevel(RescaledPatterns patterns, int level, const NearLimit& limit);

  int capacity_;
  std::array<Level, kLevelCount> levels_;
  // Room for those that are being inserted, see RescaledPatterns.
  std::unique_ptr<int16_t[]> rescaled_;
  int rescaled_room_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_DICTIONARY_H_
