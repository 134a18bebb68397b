// Tiles of the pixel coder.
#ifndef MMP_CODEC_DECODER_PIXEL_TILE_H_
#define MMP_CODEC_DECODER_PIXEL_TILE_H_

#include <cstdint>
#include <span>

#include "codec/bitstream/container.h"
#include "codec/decoder/tile_samples.h"
#include "codec/pixel/pixel_coder.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

// What the header fixes for the pixel coder.
PixelFormat PixelFormatOf(const FileHeader& header);

// The work of decoding so many pixels, see decode_work.h.
uint64_t PixelWork(const FileHeader& header, uint64_t pixels);

// Decodes a tile's stream to `samples`, which are not finished; asks behind each row whether it
// goes on. Errors: kCorrupt; kCancelled if it does not.
Status DecodePixelTile(std::span<const uint8_t> stream, const FileHeader& header,
                       const TileInfo& tile, TileSamples& samples, const GoesOn& goes_on);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_PIXEL_TILE_H_
