// What tiles counted, added up for the public interface.
#ifndef MMP_CODEC_ENCODER_ENCODE_STATS_H_
#define MMP_CODEC_ENCODER_ENCODE_STATS_H_

#include "codec/encoder/encode_tile.h"
#include "mmp/mmp.h"

namespace mmp {

// Adds a tile's to a file's; of dictionary sizes the largest stays.
void AddTileStats(const TileStats& from, EncodeStats& to);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_ENCODE_STATS_H_
