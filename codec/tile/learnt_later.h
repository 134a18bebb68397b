// Modes and indices that the models of a tile learn at the end of their front.
#ifndef MMP_CODEC_TILE_LEARNT_LATER_H_
#define MMP_CODEC_TILE_LEARNT_LATER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_state.h"

namespace mmp {

struct LearntSymbol {
  CodedElement element;  // kMode or kIndex
  uint8_t level;
  uint16_t value;
};
using LearntSymbols = std::vector<LearntSymbol>;

// The tile's models learn a symbol that has been coded.
inline void Learn(LearntSymbol symbol, TileState& tile) {
  if (symbol.element == CodedElement::kMode)
    tile.models.mode[symbol.level].Count(symbol.value);
  else
    tile.CountIndex(symbol.level, symbol.value);
}

class LearntLater {
 public:
  // Begins with a front of so many macroblocks.
  void Begin(size_t macroblocks) {
    if (of_macroblocks_.size() < macroblocks) of_macroblocks_.resize(macroblocks);
    for (LearntSymbols& symbols : of_macroblocks_) symbols.clear();
  }
  // Of number i of the front, in coding order. Several threads may add to those of different ones.
  LearntSymbols& Of(size_t i) { return of_macroblocks_[i]; }
  // The models learn all of them.
  void Learn(TileState& tile) const {
    for (const LearntSymbols& symbols : of_macroblocks_)
      for (const LearntSymbol& symbol : symbols) mmp::Learn(symbol, tile);
  }

 private:
  std::vector<LearntSymbols> of_macroblocks_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_LEARNT_LATER_H_
