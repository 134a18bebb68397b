// Where an image is text and lines of few gray levels: what is coded exactly among patterns.
#ifndef MMP_CODEC_ENCODER_FIND_EXACT_BLOCKS_H_
#define MMP_CODEC_ENCODER_FIND_EXACT_BLOCKS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/pixel/exact_blocks.h"
#include "mmp/image.h"

namespace mmp {

struct ExactRegions {
  std::vector<uint8_t> is_exact;  // of each block of the image, see ExactBlocks, row by row
  Image filled;                   // the image with what lies behind them in their place
  // They are so large a part of what is not flat that, but at high lambdas, they pay beyond doubt.
  bool are_sure = false;
};

// Of an image of 8 bits; nothing if it has too little of that to pay.
std::optional<ExactRegions> FindExactRegions(const ImageView& image);

// Those of a tile of the image; unused if it has none, or if `regions` is null.
ExactBlocks ExactBlocksOf(const ExactRegions* regions, const ImageView& image,
                          const TileInfo& tile);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FIND_EXACT_BLOCKS_H_
