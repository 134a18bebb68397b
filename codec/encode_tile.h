// The coding of one tile: for each macroblock asks a search for the symbols, writes and learns
// them.
#ifndef MMP_CODEC_ENCODE_TILE_H_
#define MMP_CODEC_ENCODE_TILE_H_

#include <functional>

#include "codec/format.h"
#include "codec/mmp.h"
#include "codec/parameters.h"
#include "codec/search.h"
#include "common/image.h"
#include "common/status.h"

namespace mmp {

// Encodes `image`, a tile's samples, and adds to `stats` what was coded and what `search` counted
// for it. `trained` is as for TileState. `step` is called after each macroblock; false cancels. If
// `timing`, coding and learning are timed. Errors, with only stats.macroblocks of any use: those of
// `search`; kCancelled.
Result<EncodedTile> EncodeTile(const ImageView& image, const CodecParameters& parameters,
                               const TrainedPatterns* trained, Lambda lambda,
                               MacroblockSearch& search, bool timing,
                               const std::function<bool()>& step, EncodeStats& stats);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODE_TILE_H_
