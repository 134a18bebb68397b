// Patterns as a few numbers, by which the neighbours of a leaf say which it may have, and in
// classes. Normative: docs/format-indices.md, "Features of patterns" and "Classes".
#ifndef MMP_CODEC_TILE_PATTERN_FEATURES_H_
#define MMP_CODEC_TILE_PATTERN_FEATURES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
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

inline constexpr int kPatternClasses = 32;

// Patterns of a class that are weighed side by side.
struct PatternGroup {
  static constexpr int kMost = 16;
  static constexpr int kNone = -1;

  std::array<uint16_t, kMost> members{};  // their indices
  int16_t next = kNone;                   // the number of the class's next group
  // [kPatternFeatures / 4][kMost][4]: of four features side by side.
  std::array<uint8_t, kMost * kPatternFeatures> features{};

  // Where a feature of pattern number `i` is among those of groups that follow each other, and as
  // what it is stored.
  static constexpr int Place(int i, int feature) {
    return i / kMost * kMost * kPatternFeatures + (feature / 4 * kMost + i % kMost) * 4 +
           feature % 4;
  }
  static constexpr int kOffset = 128;
  static constexpr uint8_t Stored(int feature) { return static_cast<uint8_t>(feature + kOffset); }
  static constexpr int Feature(const uint8_t* features, int i, int feature) {
    return features[Place(i, feature)] - kOffset;
  }
};

// The patterns of a level: their features, and in which class they are.
class ClassedPatterns {
 public:
  // Adds the next pattern, of this class.
  void Add(const FeaturesOfPattern& features, int which);

  int size() const { return static_cast<int>(features_.size()); }
  const FeaturesOfPattern& Of(int index) const { return features_[static_cast<size_t>(index)]; }
  int ClassOf(int index) const { return class_of_[static_cast<size_t>(index)]; }
  // How many patterns each class has.
  const std::array<uint32_t, kPatternClasses>& Members() const { return members_; }
  // Calls body(group, count) for the groups of a class, the first `count` of each are members, in
  // the order of their indices.
  template <typename Body>
  void ForGroups(int which, const Body& body) const {
    int number = groups_of_[static_cast<size_t>(which)].first;
    for (int left = static_cast<int>(members_[static_cast<size_t>(which)]); left > 0;
         left -= PatternGroup::kMost) {
      const PatternGroup& group = groups_[static_cast<size_t>(number)];
      body(group, left < PatternGroup::kMost ? left : PatternGroup::kMost);
      number = group.next;
    }
  }

 private:
  struct GroupsOfClass {
    int16_t first = PatternGroup::kNone, last = PatternGroup::kNone;
  };

  std::vector<FeaturesOfPattern> features_;
  std::vector<uint8_t> class_of_;
  std::vector<PatternGroup> groups_;
  std::array<uint32_t, kPatternClasses> members_{};
  std::array<GroupsOfClass, kPatternClasses> groups_of_{};
};

// Those of a dictionary.
class PatternFeatures {
 public:
  explicit PatternFeatures(const CodecParameters& parameters) : scale_(parameters) {}

  const ResidualScale& scale() const { return scale_; }
  // Adds the patterns that are new in `dictionary`.
  void AddNew(const Dictionary& dictionary);
  // Those of level 1x1 are all in class 0.
  const ClassedPatterns& OfLevel(int level) const { return levels_[level]; }
  const FeaturesOfPattern& Of(int level, int index) const { return levels_[level].Of(index); }

 private:
  ResidualScale scale_;
  std::array<ClassedPatterns, kLevelCount> levels_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_PATTERN_FEATURES_H_
