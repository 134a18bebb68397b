// The layout in which patterns are matched: many side by side, for SIMD.
#ifndef MMP_CODEC_DICTIONARY_PACKED_PATTERNS_H_
#define MMP_CODEC_DICTIONARY_PACKED_PATTERNS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mmp {

inline constexpr int kPatternGroup = 32;  // patterns stored side by side

// The patterns of a level, packed for matching: group g holds patterns 32 g .. 32 g + 31; its word
// [pair][pattern] has pixels 2 pair and 2 pair + 1 of a pattern, times -2 kDistortionScale, as two
// int16_t in memory order. Patterns of one pixel have a zero second pixel.
struct PackedPatterns {
  const int16_t* data = nullptr;  // [groups][pairs][32][2], aligned to 64 bytes
  int pairs = 0;
  int groups = 0;

  const int16_t* Group(int g) const {
    return data + static_cast<ptrdiff_t>(g) * pairs * kPatternGroup * 2;
  }
};

inline constexpr int32_t kNoMatch = 0x3fffffff;  // number of the padding behind the last pattern

// Owns packed vectors (patterns, or their sketches), and a number for each: its norm.
class PackedPatternList {
 public:
  // Of vectors of `values` numbers each.
  explicit PackedPatternList(int values) : values_(values) {}

  size_t size() const { return size_; }
  // A view that lasts until the next Append.
  PackedPatterns View() const {
    return {reinterpret_cast<const int16_t*>(data_.data()), pairs(), static_cast<int>(groups())};
  }
  // By vector; kNoMatch of the padding up to a multiple of kPatternGroup.
  std::span<const int32_t> norms() const {
    return {reinterpret_cast<const int32_t*>(norms_.data()), groups() * kPatternGroup};
  }

  // So many do not have to be moved when more are appended.
  void Reserve(size_t size);
  // Appends `vector` times `factor`.
  void Append(const int16_t* vector, int factor, int32_t norm);
  // Becomes the first groups of another list of such vectors, all of which are full.
  void CopyGroups(const PackedPatternList& other, size_t groups);
  // Keeps the first `size`, which are no more than there are.
  void Truncate(size_t size);

 private:
  // Vectors of lines are copied and freed without a step for each number, also where nothing is
  // optimised away.
  template <typename T>
  struct alignas(64) CacheLine {
    T numbers[64 / sizeof(T)];
  };
  static constexpr size_t kGroupNormLines = kPatternGroup * sizeof(int32_t) / 64;

  int pairs() const { return (values_ + 1) / 2; }
  size_t groups() const { return (size_ + kPatternGroup - 1) / kPatternGroup; }
  size_t group_values() const { return static_cast<size_t>(pairs()) * kPatternGroup * 2; }
  size_t group_lines() const { return group_values() * sizeof(int16_t) / 64; }
  int16_t* Group(size_t g) { return reinterpret_cast<int16_t*>(data_.data()) + g * group_values(); }
  int32_t& Norm(size_t place) { return reinterpret_cast<int32_t*>(norms_.data())[place]; }

  int values_;
  size_t size_ = 0;
  std::vector<CacheLine<int16_t>> data_;
  std::vector<CacheLine<int32_t>> norms_;
};

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_PACKED_PATTERNS_H_
