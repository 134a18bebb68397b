// The adaptive models of a tile, one for each syntax element and level.
// Normative: docs/format.md, "Models".
#ifndef MMP_CODEC_TILE_TILE_MODELS_H_
#define MMP_CODEC_TILE_TILE_MODELS_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/context_models.h"
#include "codec/dictionary/dictionary.h"
#include "codec/intra/block_copy.h"
#include "codec/tile/contexts.h"
#include "codec/tile/filter_elements.h"
#include "codec/tile/mode_model.h"
#include "codec/tile/neighbour_indices.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/syntax_elements.h"

namespace mmp {

// Number of symbols of the mode models, given the modes of a file as a bit mask.
constexpr int ModeSymbols(uint32_t modes) {
  return modes <= kAllReferenceModes     ? kReferenceModes
         : modes < 1u << kFirstBlockCopy ? kFirstBlockCopy
                                         : kPredictionModes;
}

// By FilterElement.
struct FilterModels {
  FilterModels() {
    for (int e = 0; e < kFilterElements; ++e)
      of[e] = SymbolModel<kMostFilterSymbols>(kFilterSymbols[e]);
    for (const FilterElement size : {kPlainSize, kLimitedSize})
      of[size] = SymbolModel<kMostFilterSymbols>(kFirstSizeCounts);
    for (const FilterElement rare : {kHasJpegLattice, kHasExactBlocks})
      of[rare] = SymbolModel<kMostFilterSymbols>(kFirstRareCounts);
    of[kJpegPull] = SymbolModel<kMostFilterSymbols>(kFirstPullCounts);
    of[kJpegStepSize] = SymbolModel<kMostFilterSymbols>(kFirstStepSizeCounts);
    of[kLevelMapsKind] = SymbolModel<kMostFilterSymbols>(kFirstKindCounts);
    for (int last = 0; last < 3; ++last)
      of[kStepBehindNone + last] = SymbolModel<kMostFilterSymbols>(kFirstStepCounts[last]);
  }
  std::array<SymbolModel<kMostFilterSymbols>, kFilterElements> of;
};

struct TileModels {
  explicit TileModels(const CodecParameters& parameters) {
    const bool is_mixed = parameters.Uses(kMixedModels);
    partition.fill(ContextModel<kPartitions>(is_mixed ? LeafMap::kContexts : 0));
    mode.fill(ModeModel(ModeSymbols(parameters.modes), parameters.Uses(kNeighbourModes)));
    index.fill(IndexModel(is_mixed));
  }

  // Gives each pattern that is new in `dictionary` a symbol with this count.
  void AddSymbols(const Dictionary& dictionary, uint32_t count, PatternOrigin origin) {
    for (int level = 0; level < kLevelCount; ++level)
      index[level].Add(dictionary.size(level) - index[level].size(), count, origin);
  }

  // With tool kFlagNetwork these two do not code: see NetworkFlags. The encoder alone counts in
  // them, for what flags cost the search.
  std::array<ContextModel<kPartitions>, kLevelCount> partition;  // see LeafMap
  std::array<SymbolModel<kResidualFlags>, kLevelCount> residual_flag;
  std::array<ModeModel, kLevelCount> mode;
  std::array<IndexModel, kLevelCount> index;
  std::array<CountedClasses, kLevelCount> index_classes;  // with tool kNeighbourIndices
  FilterModels filter;
  SymbolModel<kMostNewBlockVectors + 1> block_vector_count;
  std::array<SymbolModel<kBlockVectorBits + 1>, 2> block_vector_class;  // down, across
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_TILE_MODELS_H_
