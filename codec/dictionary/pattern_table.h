// The patterns of one level of the dictionary, and what is derived from them: the layouts in which
// they are matched and tested for redundancy.
#ifndef MMP_CODEC_DICTIONARY_PATTERN_TABLE_H_
#define MMP_CODEC_DICTIONARY_PATTERN_TABLE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/matcher.h"
#include "codec/dictionary/packed_patterns.h"
#include "codec/dictionary/sketch.h"

namespace mmp {

// Patterns as MatchBlocks takes them. They are packed when they are first asked for, as decoders
// never do. A copy has packed none yet.
class MatchingLayout {
 public:
  explicit MatchingLayout(int pixels) : pixels_(pixels), list_(pixels) {}
  MatchingLayout(const MatchingLayout& other) : MatchingLayout(other.pixels_) {}

  // The first `size` patterns; fill(list) appends those that it lacks. May be called by several
  // threads at once.
  template <typename Fill>
  const PackedPatternList& Of(int size, Fill fill) const {
    if (packed_.load(std::memory_order_acquire) < size) {
      const std::lock_guard lock(mutex_);
      fill(list_);
      packed_.store(static_cast<int>(list_.size()), std::memory_order_release);
    }
    return list_;
  }
  // Forgets all from number `size` on.
  void Truncate(int size) {
    if (packed_ <= size) return;
    list_.Truncate(size);
    packed_ = size;
  }

 private:
  int pixels_;
  mutable std::mutex mutex_;
  mutable std::atomic<int> packed_ = 0;  // those in list_
  mutable PackedPatternList list_;       // grows under the mutex
};

class PatternTable {
 public:
  explicit PatternTable(LevelShape shape) : shape_(shape), packed_(shape.pixels()) {}
  // Begins with the patterns of `start`, which must not change any more: most of them are not
  // copied, but used in common.
  explicit PatternTable(std::shared_ptr<const PatternTable> start);

  int size() const { return common_ + static_cast<int>(norms_.size()); }
  // A pattern's pixels row by row, in [-255, 255], until the next Append.
  const int16_t* Values(int index) const {
    if (index < common_) return start_->Values(index);
    return values_.data() + static_cast<size_t>(index - common_) * shape_.pixels();
  }
  // Its squared norm.
  int32_t Norm(int index) const {
    return index < common_ ? start_->Norm(index) : norms_[index - common_];
  }
  // All, as MatchBlocks takes them, until the next Append.
  PackedPatterns Packed() const { return Matching().View(); }
  // kDistortionScale |d|^2 by pattern; kNoMatch for the padding up to a multiple of kPatternGroup.
  std::span<const int32_t> Norms() const { return Matching().norms(); }

  // A pattern in pixels row by row, in [-255, 255], which are not copied.
  SketchedBlock Describe(const int16_t* values) const;
  // Whether the squared distance of a pattern here to this one is at most `threshold`. For patterns
  // of more than one pixel.
  bool HasNear(const SketchedBlock& block, const NearLimit& limit) const {
    return HasNear(size(), block, limit);
  }
  bool HasNear(const SketchedBlock& block, int64_t threshold) const {
    return HasNear(block, NearLimit(threshold));
  }
  void Append(const SketchedBlock& block);
  void Append(const int16_t* values) { Append(Describe(values)); }
  // Appends `count` patterns, whose values, one pattern behind the other, write(to) writes.
  template <typename Write>
  void Append(int count, const Write& write) {
    const size_t before = values_.size();
    values_.resize(before + static_cast<size_t>(count) * shape_.pixels());
    write(values_.data() + before);
    AppendDerived(values_.data() + before, count);
  }
  // Keeps the first `size`: no more than there are, no fewer than it began with.
  void Truncate(int size);

 private:
  const PackedPatternList& Matching() const {
    return packed_.Of(size(), [this](PackedPatternList& list) { Pack(list); });
  }
  void Pack(PackedPatternList& list) const;
  // Among the first `count` patterns.
  bool HasNear(int count, const SketchedBlock& block, const NearLimit& limit) const;
  void AppendDerived(const SketchedBlock& block);
  void AppendDerived(const int16_t* values, int count);

  LevelShape shape_;
  std::shared_ptr<const PatternTable> start_;  // has the first common_ patterns
  int common_ = 0;                             // whole groups
  // Of the other patterns:
  std::vector<int16_t> values_;  // one behind the other
  std::vector<int32_t> norms_;   // squared
  PackedPatternList sketches_{static_cast<int>(std::tuple_size_v<Sketch>)};
  // Of all patterns:
  MatchingLayout packed_;
};

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_PATTERN_TABLE_H_
