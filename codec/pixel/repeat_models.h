// What samples of few values are predicted by: what followed the same surroundings before.
// Normative: docs/format-pixel.md, "Repeats".
#ifndef MMP_CODEC_PIXEL_REPEAT_MODELS_H_
#define MMP_CODEC_PIXEL_REPEAT_MODELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/pixel/pixel_tables.h"

namespace mmp {

inline constexpr int kRepeatContexts = 16;
inline constexpr int kRepeatMatches = 2;
inline constexpr int kWideBox = 10;  // the context that a match is looked up by

// The probability of a bit, with how often it was adapted.
struct CountedProbability {
  double probability;
  double count;

  // The larger `inertia`, the less the first bits count.
  void Adapt(int bit, double inertia = 1.5);
  double Stretched(const PixelTables& tables) const {
    return TableLog2(tables, probability) - TableLog2(tables, 1.0 - probability);
  }
};

// The rows of samples that surroundings reach to, with columns beyond both edges.
class RepeatRows {
 public:
  static constexpr int kMargin = 14;
  static constexpr int kRows = 10;
  static constexpr int kHashedRows = 9;

  // `outside` is the value of all samples outside of the rectangle.
  RepeatRows(int width, uint8_t outside);

  // The sample `up` rows above the current one, in [0, kRows); x in [-kMargin, width + kMargin).
  int At(int x, int up) const { return rows_[up][x + kMargin]; }
  void Set(int x, int value) { rows_[0][x + kMargin] = static_cast<uint8_t>(value); }
  // The hash of the samples of column `x` in the 3, 6 or 9 rows above, for `threes` 0, 1 and 2.
  uint32_t ColumnHash(int threes, int x) const { return hashes_[threes][x + kMargin]; }

  // The current row becomes the one above, and a new one begins.
  void NextRow();

 private:
  void HashColumns();

  const uint8_t outside_;
  std::array<std::vector<uint8_t>, kRows> rows_;
  std::array<std::vector<uint32_t>, kHashedRows / 3> hashes_;
};

// Hashes of the surroundings of a sample.
using RepeatHashes = std::array<uint32_t, kRepeatContexts>;
RepeatHashes HashSurroundings(const RepeatRows& rows, int x);
uint32_t HashNarrowBox(const RepeatRows& rows, int x);

// What decisions were in the same surroundings: how many 0 and 1, and what such numbers have meant.
class BitHistories {
 public:
  BitHistories();

  // Writes what each context says of the decision `key`, kRepeatContexts logits to base 2, 0 where
  // there is no history.
  void Predict(const PixelTables& tables, const RepeatHashes& hashes, uint32_t key, double* logits);
  // How many of the contexts of 12 to 48 samples have a history, in [0, 6].
  int Known() const { return known_; }
  void Learn(int bit);

 private:
  struct History {
    uint8_t check = 0;
    std::array<uint8_t, 2> seen{};  // 0s and 1s
    bool IsEmpty() const { return seen[0] == 0 && seen[1] == 0; }
  };
  static constexpr int kTableBits = 16;
  static constexpr int kMostSeen = 30;

  // Of a context and of how many 0s and 1s it has seen.
  using Meanings = std::array<std::vector<CountedProbability>, kRepeatContexts>;
  static const Meanings& FirstMeanings();

  std::array<std::vector<History>, kRepeatContexts> histories_;
  Meanings meaning_;
  std::array<History*, kRepeatContexts> history_{};
  std::array<CountedProbability*, kRepeatContexts> means_{};
  int known_ = 0;
};

// A place earlier in the rectangle that the samples to come are compared with, one by one.
class RepeatMatch {
 public:
  static constexpr int kNone = -1;

  // `samples`: rows of `width`, `stride` apart, of which those before the current one are read.
  RepeatMatch(const uint16_t* samples, ptrdiff_t stride, int width);

  // Sets out for the sample `position`, in raster order, whose surroundings have this hash.
  void Begin(int64_t position, uint32_t hash);
  // The value that is expected, or kNone.
  int Expected() const { return expected_; }
  // 1 ... 3 by how long expectations have been met; 0 if there is none.
  int Confidence() const;
  // What is known of the decision whether the sample is `value`, a logit to base 2; 0 if nothing,
  // or if `value` is kNone.
  double Predict(const PixelTables& tables, int value);
  // The decision about a value that was predicted, and the sample.
  void LearnDecision(int bit);
  void Learn(int value);
  // Samples follow that are not coded.
  void Leave() { source_ = kNone; }

 private:
  static constexpr int kTableBits = 16;
  static constexpr int kLengths = 32;
  static constexpr int kMostCompared = 24;

  uint16_t Sample(int64_t position) const {
    return samples_[position / width_ * stride_ + position % width_];
  }

  const uint16_t* const samples_;
  const ptrdiff_t stride_;
  const int width_;
  std::vector<int64_t> last_;  // where surroundings of a hash were last, or kNone
  std::array<std::array<CountedProbability, kLengths>, 2> right_;
  int64_t position_ = 0, source_ = kNone;
  uint32_t entry_ = 0;
  int length_ = 0;
  int expected_ = kNone;
  int says_ = 0;
  CountedProbability* asked_ = nullptr;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_REPEAT_MODELS_H_
