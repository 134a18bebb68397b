// Patterns as a few numbers, by which the neighbours of a leaf say which it may have.
// Normative: docs/format-indices.md, "Features of patterns".
#ifndef MMP_CODEC_TILE_PATTERN_FEATURES_H_
#define MMP_CODEC_TILE_PATTERN_FEATURES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/context_models.h"
#include "codec/dictionary/dictionary.h"

namespace mmp {

// In 1/16 of what a residual is measured by, in [-kMostFeature, kMostFeature].
enum PatternFeature : uint8_t {
  kLeftColumn = 0,  // the means of the four quarters of the first column
  kTopRow = 4,      // the same of the first row
  kMean = 8,
  kEnergy = 9,      // the mean of absolute values
  kLogEnergy = 10,  // the logarithm of the root of the mean square
  kStepsAcross = 11,
  kStepsDown = 12,
  kLeftEnergy = 13,  // kEnergy of the first column
  kTopEnergy = 14,
  kIsZero = 15,
};
inline constexpr int kPatternFeatures = 16;
inline constexpr int kMostFeature = 127;
using FeaturesOfPattern = std::array<int8_t, kPatternFeatures>;

// Residuals in what features are measured in: the patterns of a file grow with the root of lambda.
class ResidualScale {
 public:
  explicit ResidualScale(const CodecParameters& parameters);

  // The mean of 2^log2_count residuals whose sum is `sum`, as a feature.
  int Mean(int64_t sum, int log2_count) const;
  // Those of the quarters of a line of so many, 1 to 16; line[i * step] is number i.
  std::array<int, 4> Quarters(const int16_t* line, int log2_count, int step = 1) const;
  // The features of `values`, row by row.
  FeaturesOfPattern Features(const int16_t* values, LevelShape shape) const;

 private:
  uint64_t scale_;  // sixteen times what residuals are measured by
  int64_t reciprocal_;
};

// The features of a dictionary's patterns.
class PatternFeatures {
 public:
  // Patterns stored side by side: those whose counts are summed.
  static constexpr int kGroup = IndexModel::kBlock;

  explicit PatternFeatures(const CodecParameters& parameters) : scale_(parameters) {}

  const ResidualScale& scale() const { return scale_; }
  // Adds those of the patterns that are new in `dictionary`.
  void AddNew(const Dictionary& dictionary);
  // Adds those that are new in `other`, which has all that are here.
  void CopyNew(const PatternFeatures& other);
  FeaturesOfPattern Of(int level, int index) const;
  // [groups][kPatternFeatures / 4][kGroup][4]: of four features side by side, each with kOffset
  // added; anything behind the last.
  static constexpr int kOffset = 128;
  const uint8_t* Groups(int level) const { return levels_[level].groups.data(); }

 private:
  struct Level {
    int size = 0;
    std::vector<uint8_t> groups;
  };

  static size_t Place(int index, int feature) {
    const size_t in_group = static_cast<size_t>(feature / 4) * kGroup * 4;
    return static_cast<size_t>(index / kGroup) * kGroup * kPatternFeatures + in_group +
           static_cast<size_t>(index % kGroup) * 4 + static_cast<size_t>(feature % 4);
  }

  ResidualScale scale_;
  std::array<Level, kLevelCount> levels_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_PATTERN_FEATURES_H_
