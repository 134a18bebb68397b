// Watching the decoder at work: every element of a file, what it costs, and what becomes of it.
#ifndef MMP_CODEC_DECODE_OBSERVER_H_
#define MMP_CODEC_DECODE_OBSERVER_H_

#include <cstdint>
#include <functional>
#include <span>

#include "codec/levels.h"
#include "codec/mmp.h"
#include "common/status.h"

namespace mmp {

class CopyVectors;
class Dictionary;
struct WienerChoice;

enum class CodedElement : uint8_t {
  kPredictionFlag,  // its value: a PredictionFlag
  kMode,            // a PredictionMode
  kResidualFlag,    // a ResidualFlag
  kIndex,           // a pattern's
};
inline constexpr int kCodedElements = 4;

// Watches nothing, and costs nothing.
class NullObserver {
 public:
  void OnElement(CodedElement /*element*/, BlockRect /*rect*/, int /*value*/) {}
  void OnBlock(BlockRect /*rect*/, const uint8_t* /*prediction*/, const int16_t* /*residual*/) {}
  void OnCopyVectors(const CopyVectors& /*vectors*/) {}
  void OnFilter(const WienerChoice& /*choice*/) {}
};

// Watches one tile. Its functions are called in the order in which the tile is decoded.
class TileObserver {
 public:
  virtual ~TileObserver() = default;

  // Before the first macroblock.
  virtual void OnStart(const Dictionary& /*dictionary*/) {}
  // The macroblock whose top left pixel is (y, x) of the tile follows.
  virtual void OnMacroblock(int /*y*/, int /*x*/) {}
  // The vectors that its blocks can be copied by, with the bits that the new ones took in the
  // stream. Only if the file's modes have copies.
  virtual void OnCopyVectors(const CopyVectors& /*vectors*/, double /*bits*/) {}
  // An element of the block `rect` of the macroblock, with the bits it took in the stream: 0 if it
  // could have no other value and is not in the file.
  virtual void OnElement(CodedElement /*element*/, BlockRect /*rect*/, int /*value*/,
                         double /*bits*/) {}
  // A block predicted at once, all its elements known: of pixel (i, j) the prediction is
  // prediction[i * width + j] and the residual residual[i * width + j].
  virtual void OnBlock(BlockRect /*rect*/, const uint8_t* /*prediction*/,
                       const int16_t* /*residual*/) {}
  // After the last macroblock, if the file has a filter: how the tile's reconstruction is filtered,
  // with the bits that say so.
  virtual void OnFilter(const WienerChoice& /*choice*/, double /*bits*/) {}
  // At the end, with all that was learned.
  virtual void OnEnd(const Dictionary& /*dictionary*/) {}
};

// Decode, watched: `observer_of(tile)` is called for each tile by the thread that decodes it, maybe
// for several tiles at once; what it returns must live until the end.
Result<DecodedImage> DecodeObserved(std::span<const uint8_t> file, const DecodeOptions& options,
                                    const std::function<TileObserver&(int tile)>& observer_of);

}  // namespace mmp

#endif  // MMP_CODEC_DECODE_OBSERVER_H_
