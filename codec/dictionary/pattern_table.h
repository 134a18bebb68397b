// The patterns of one level of the dictionary, and what is derived from them: the layouts in which
// they are matched and tested for redundancy.
#ifndef MMP_CODEC_DICTIONARY_PATTERN_TABLE_H_
#define MMP_CODEC_DICTIONARY_PATTERN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/matcher.h"
#include "codec/dictionary/packed_patterns.h"
#include "codec/dictionary/sketch.h"

namespace mmp {

class PatternTable {
 public:
  explicit PatternTable(LevelShape shape) : shape_(shape), packed_(shape.pixels()) {}
  PatternTable(const PatternTable&) = default;
  // A copy that can take so many more patterns without being copied once again.
  PatternTable(const PatternTable& other, size_t room);

  int size() const { return size_; }
  // A pattern's pixels row by row, in [-255, 255], until the next Append.
  const int16_t* Values(int index) const {
    return values_.data() + static_cast<size_t>(index) * shape_.pixels();
  }
  // All, as MatchBlocks takes them, until the next Append.
  PackedPatterns Packed() const { return packed_.View(); }
  // kDistortionScale |d|^2 by pattern; kNoMatch for the padding up to a multiple of kPatternGroup.
  std::span<const int32_t> Norms() const { return packed_.norms(); }

  // A pattern in pixels row by row, in [-255, 255], which are not copied.
  SketchedBlock Describe(const int16_t* values) const;
  // Whether the squared distance of a pattern here to this one is at most `threshold`. For patterns
  // of more than one pixel.
  bool HasNear(const SketchedBlock& block, int64_t threshold) const;
  void Append(const SketchedBlock& block);
  void Append(const int16_t* values) { Append(Describe(values)); }
  // Keeps the first `size`, which are no more than there are.
  void Truncate(int size);

 private:
  LevelShape shape_;
  int size_ = 0;
  std::vector<int16_t> values_;  // the patterns, one behind the other
  PackedPatternList packed_;     // the same, for matching
  PackedPatternList sketches_{static_cast<int>(std::tuple_size_v<Sketch>)};
};

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_PATTERN_TABLE_H_
