// What tests of indices by neighbours have in common.
#ifndef MMP_TESTS_SUPPORT_INDICES_H_
#define MMP_TESTS_SUPPORT_INDICES_H_

#include <vector>

#include "codec/bitstream/range_coder.h"
#include "codec/tile/index_classes.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/tile_models.h"
#include "tests/support/pictures.h"

namespace mmp {

// Each in [-most, most].
inline FeaturesOfPattern RandomFeatures(Random& random, int most) {
  FeaturesOfPattern features;
  for (int8_t& feature : features) feature = static_cast<int8_t>(random.Between(-most, most));
  return features;
}

// Factors in [-most, most].
inline IndexContext RandomContext(Random& random, int most, int most_shift) {
  IndexContext context;
  for (int8_t& factor : context.factors) factor = static_cast<int8_t>(random.Between(-most, most));
  context.shift = static_cast<uint8_t>(random.Between(0, most_shift));
  return context;
}

// What an index of a level is for the coder; without a context by its counts alone.
inline std::vector<SymbolInterval> EncodeIndex(TileModels& models, const PatternFeatures& features,
                                               int level, const IndexContext* context, int index) {
  if (context == nullptr) return {models.index[level].Encode(index)};
  const auto [of_class, within] = models.neighbour_index[level].Encode(
      models.index[level], StandardIndexClasses(level), features.OfLevel(level), *context, index);
  return {of_class, within};
}

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_INDICES_H_
