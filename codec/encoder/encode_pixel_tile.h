// A tile coded by the pixel coder.
#ifndef MMP_CODEC_ENCODER_ENCODE_PIXEL_TILE_H_
#define MMP_CODEC_ENCODER_ENCODE_PIXEL_TILE_H_

#include <functional>

#include "codec/bitstream/container.h"
#include "codec/encoder/encode_tile.h"
#include "mmp/image.h"
#include "mmp/status.h"

namespace mmp {

struct PixelTileJob {
  ImageView image;  // the tile's samples
  const FileHeader& header;
  std::function<bool(int)> step;  // as TileJob::step, and with 0 after each row
};

// `stats` must be new. Errors: kCancelled.
Result<EncodedTile> EncodePixelTile(const PixelTileJob& job, TileStats& stats);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_ENCODE_PIXEL_TILE_H_
