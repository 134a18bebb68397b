// Decoding under observation, for the pictures and tables of mmp inspect.
#ifndef MMP_CODEC_DECODER_DECODE_OBSERVED_H_
#define MMP_CODEC_DECODER_DECODE_OBSERVED_H_

#include <functional>
#include <span>

#include "codec/tile/tile_observer.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

// Decode with observers: `observer_of(tile)` is called for each tile by the thread that decodes it,
// maybe for several tiles at once; what it returns must live until the end. Also fails with
// kUnsupported if the file is not by patterns and of 8 bits a sample.
Result<DecodedImage> DecodeObserved(std::span<const uint8_t> file, const DecodeOptions& options,
                                    const std::function<TileObserver&(int tile)>& observer_of);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_DECODE_OBSERVED_H_
