// The adaptive dictionary: the patterns of every level that residual blocks are matched with.
// Normative: docs/format.md, "Dictionary".
#ifndef MMP_CODEC_DICTIONARY_H_
#define MMP_CODEC_DICTIONARY_H_

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "codec/levels.h"
#include "codec/matcher.h"
#include "codec/trained_patterns.h"
#include "common/aligned_vector.h"

namespace mmp {

inline constexpr int kInitialPatterns = 69;  // at every level but 1x1: homogeneous blocks
inline constexpr int kPixelPatterns = 511;   // at level 1x1: every value in [-255, 255]

// The value of initial pattern `index` of a level above 1x1: 0, then pairs +v, -v of growing v.
int InitialPatternValue(int index);
// The value of pattern `index` of level 1x1: 0, 1, -1, 2, -2 ... 255, -255.
constexpr int PixelPatternValue(int index) { return index % 2 == 1 ? (index + 1) / 2 : -index / 2; }
constexpr int PixelPatternIndex(int value) { return value > 0 ? 2 * value - 1 : -2 * value; }

// The concatenations of one macroblock in the order in which they were coded.
class PatternList {
 public:
  void Clear() {
    items_.clear();
    values_.clear();
  }
  void Add(int level, const int16_t* values) {
    items_.push_back({level, static_cast<int>(values_.size())});
    values_.insert(values_.end(), values, values + kLevelShapes[level].pixels());
  }
  int size() const { return static_cast<int>(items_.size()); }
  int level(int i) const { return items_[i].level; }
  const int16_t* values(int i) const { return values_.data() + items_[i].offset; }

 private:
  struct Item {
    int level;
    int offset;
  };
  std::vector<Item> items_;
  std::vector<int16_t> values_;
};

// Patterns of one level as the matcher wants them.
class PatternTable {
 public:
  explicit PatternTable(LevelShape shape) : shape_(shape), patterns_{shape.pixels()} {}

  int size() const { return size_; }
  PackedPatterns Packed() const { return patterns_.View(); }
  // kDistortionScale |d|^2 by pattern; kNoMatch for the padding up to a multiple of kPatternGroup.
  std::span<const int32_t> Norms() const { return patterns_.norms; }
  // All in pixels row by row, in [-255, 255].
  void Append(const int16_t* values) { Append(Describe(values)); }
  // Unless a pattern's squared distance to `values` is at most `threshold`. Of more than one pixel.
  // True if they are new.
  bool AppendUnlessNear(const int16_t* values, int64_t threshold);
  void Copy(int index, int16_t* values) const;

 private:
  // Vectors packed as PackedPatterns says, and a number for each.
  struct PackedVectors {
    int values;  // of a vector
    AlignedVector<int16_t> data = {};
    AlignedVector<int32_t> norms = {};

    int pairs() const { return (values + 1) / 2; }
    PackedPatterns View() const {
      return {data.data(), pairs(), static_cast<int>(norms.size()) / kPatternGroup};
    }
    // The place of a vector's first pair.
    size_t Offset(int index) const {
      return (static_cast<size_t>(index / kPatternGroup) * pairs() * kPatternGroup +
              index % kPatternGroup) *
             2;
    }
    // Vector number `index`, which comes next, times `factor`.
    void Append(int index, const int16_t* vector, int factor, int32_t norm);
  };

  SketchedBlock Describe(const int16_t* values) const;
  void Append(const SketchedBlock& block);

  LevelShape shape_;
  int size_ = 0;
  PackedVectors patterns_;
  PackedVectors sketches_{static_cast<int>(std::tuple_size_v<Sketch>)};
};

class Dictionary {
 public:
  // The initial state; at most `capacity` patterns a level (level 1x1 always has its 511).
  explicit Dictionary(int capacity);

  int size(int level) const { return levels_[level].size(); }
  // See PatternTable.
  PackedPatterns Packed(int level) const { return levels_[level].Packed(); }
  std::span<const int32_t> Norms(int level) const { return levels_[level].Norms(); }
  void Copy(int level, int index, int16_t* values) const { levels_[level].Copy(index, values); }

  // Adds the trained patterns in their order, scaled, as far as the capacity goes.
  void AddTrained(const TrainedPatterns& trained, uint8_t scale);

  // Adds each of `patterns`, rescaled, to every level above 1x1 in turn: unless the level is full
  // or has a pattern whose SSE to it is at most `threshold`.
  void Insert(const PatternList& patterns, uint32_t threshold);

  // Multiply-adds that Insert may have taken so far: of all it compared, were none left out.
  uint64_t multiply_adds() const { return multiply_adds_; }

 private:
  void InsertAtLevel(const PatternList& patterns, int level, int64_t threshold);

  int capacity_;
  uint64_t multiply_adds_ = 0;
  std::vector<PatternTable> levels_;
};

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_H_
