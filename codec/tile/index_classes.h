// Classes of the patterns of a level: an index is coded as the class of its pattern, and which of
// the class it is. Normative: docs/format-indices.md, "Classes".
#ifndef MMP_CODEC_TILE_INDEX_CLASSES_H_
#define MMP_CODEC_TILE_INDEX_CLASSES_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/tile/pattern_features.h"

namespace mmp {

// The trained classes of a level: a pattern belongs to the one whose centre is nearest to its
// features. There are none of level 1x1.
class IndexClasses {
 public:
  // `weights`: what the squared difference of each feature counts in a distance.
  IndexClasses(const std::array<uint8_t, kPatternFeatures>& weights,
               const std::array<FeaturesOfPattern, kPatternClasses>& centres);

  // The class of a pattern of these features, the first of those that are as near.
  int Of(const FeaturesOfPattern& features) const;
  // The same by plain distances, as it is specified: what Of is compared with.
  int PlainOf(const FeaturesOfPattern& features) const;

  // The centres, as a PatternGroup has the features of its patterns; one behind the other.
  const uint8_t* Centres() const { return centres_.data(); }

 private:
  std::array<uint8_t, kPatternFeatures> weights_;
  std::array<uint8_t, kPatternClasses * kPatternFeatures> centres_;
  // The distances are, but for what all have in common, these less twice the products of the
  // weighted features with the centres, by pair of features and class.
  std::array<int32_t, kPatternClasses> squares_;
  std::array<std::array<std::array<int16_t, 2>, kPatternClasses>, kPatternFeatures / 2> pairs_;
};

// Those of a level above 1x1.
const IndexClasses& StandardIndexClasses(int level);

}  // namespace mmp

#endif  // MMP_CODEC_TILE_INDEX_CLASSES_H_
