// Observers of a tile: they are told every syntax element, its bits, and what is decoded from it.
#ifndef MMP_CODEC_TILE_TILE_OBSERVER_H_
#define MMP_CODEC_TILE_TILE_OBSERVER_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/tile/syntax_elements.h"

namespace mmp {

class BlockVectorList;
class Dictionary;
struct ExactBlocks;
struct FilterChoice;

// An observer that does nothing, at no cost at run time.
class NullObserver {
 public:
  void OnElement(CodedElement /*element*/, BlockRect /*rect*/, int /*value*/) {}
  void OnBlock(MacroblockPlace /*place*/, BlockRect /*rect*/, const uint8_t* /*prediction*/,
               const int16_t* /*residual*/) {}
  void OnBlockVectors(const BlockVectorList& /*vectors*/) {}
  void OnFilter(const FilterChoice& /*choice*/) {}
  void OnExactBlocks(const ExactBlocks& /*blocks*/) {}
};

// Observes one tile. Its functions are called in the order in which the tile is decoded.
class TileObserver {
 public:
  virtual ~TileObserver() = default;

  // Before the first macroblock.
  virtual void OnStart(const Dictionary& /*dictionary*/) {}
  // The block vectors that the macroblocks of the next front can use, with the bits that the new
  // ones took in the stream. Called only if the file's modes include intra block copy.
  virtual void OnBlockVectors(const BlockVectorList& /*vectors*/, double /*bits*/) {}
  // The elements of the macroblock at `place` of the tile follow.
  virtual void OnMacroblock(MacroblockPlace /*place*/) {}
  // An element of the block `rect` of the macroblock, with the bits it took in the stream: 0 if it
  // could have no other value and is not in the file.
  virtual void OnElement(CodedElement /*element*/, BlockRect /*rect*/, int /*value*/,
                         double /*bits*/) {}
  // A block predicted at once, of the macroblock at `place`, after all elements of its front: of
  // pixel (i, j) the prediction is prediction[i * width + j] and the residual residual[i * width +
  // j].
  virtual void OnBlock(MacroblockPlace /*place*/, BlockRect /*rect*/, const uint8_t* /*prediction*/,
                       const int16_t* /*residual*/) {}
  // After the last macroblock, if the file has a filter: how the tile's reconstruction is filtered,
  // with the bits that say so.
  virtual void OnFilter(const FilterChoice& /*choice*/, double /*bits*/) {}
  // Behind that, if the tile has any: its exact blocks, which are not in the choice, with the bits
  // that they take.
  virtual void OnExactBlocks(const ExactBlocks& /*blocks*/, double /*bits*/) {}
  // Called at the end, with the final dictionary.
  virtual void OnEnd(const Dictionary& /*dictionary*/) {}
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_TILE_OBSERVER_H_
