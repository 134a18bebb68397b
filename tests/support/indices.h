// What tests of indices and modes by neighbours have in common.
#ifndef MMP_TESTS_SUPPORT_INDICES_H_
#define MMP_TESTS_SUPPORT_INDICES_H_

#include <cstdint>
#include <vector>

#include "codec/bitstream/range_coder.h"
#include "codec/tile/index_classes.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/tile_state.h"
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

// What an index of a level is for the coder; without a context by its counts alone. The tile does
// not learn it.
inline std::vector<SymbolInterval> EncodeIndex(TileState& tile, int level,
                                               const IndexContext* context, int index,
                                               int substream = 0) {
  const TileModels& models = tile.models;
  if (context == nullptr) return {models.index[level].IntervalOf(index)};
  const auto [of_class, within] = tile.substreams[substream].indices[level].Encode(
      models.index[level], models.index_classes[level], StandardIndexClasses(level),
      tile.pattern_features.OfLevel(level), *context, index);
  return {of_class, within};
}

// The same of a mode.
inline SymbolInterval EncodeMode(TileState& tile, int level, ModeNeighbours neighbours,
                                 uint32_t allowed, int mode, int substream = 0) {
  return tile.models.mode[level].Encode(tile.substreams[substream].mode_mixers[level], mode,
                                        neighbours, allowed);
}

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_INDICES_H_
