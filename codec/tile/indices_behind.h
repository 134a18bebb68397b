// Indices by neighbours that an encoder codes behind the other symbols: a search asks for their
// counts alone, so that what the neighbours say can be computed beside the next front's search.
#ifndef MMP_CODEC_TILE_INDICES_BEHIND_H_
#define MMP_CODEC_TILE_INDICES_BEHIND_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/context_models.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/macroblock_writer.h"
#include "codec/tile/neighbour_indices.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/tile_state.h"

namespace mmp {

// Has models of its own, which follow those of the tile a front later.
class IndicesBehind {
 public:
  // `tile`: before any macroblock. `coders`: of its substreams.
  IndicesBehind(const TileState& tile, std::span<RangeEncoder> coders);

  // What the tile has learnt by now comes behind the macroblocks that are coded next. Not while a
  // level is coded.
  void Follow(const TileState& tile);
  // Codes those of a level of the next macroblocks, and returns what they cost, in 1/4096 bit.
  // Different levels may be coded by several threads; meanwhile another one may give the coder
  // further symbols, and the tile may learn.
  int64_t CodeLevel(int level, std::span<const WrittenMacroblock> macroblocks);

 private:
  struct NewPattern {
    FeaturesOfPattern features;
    int which;
  };
  // Apart from each other, as several threads code.
  struct alignas(64) Level {
    std::vector<NeighbourIndices> indices;  // of substreams
    IndexModel counts;
    CountedClasses classes;
    ClassedPatterns patterns;
    std::vector<NewPattern> behind;  // what the alphabet has more behind the next macroblocks
  };

  const bool learns_by_fronts_;
  std::span<RangeEncoder> coders_;
  std::array<Level, kLevelCount> levels_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_INDICES_BEHIND_H_
