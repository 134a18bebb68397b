// What filters see of a tile.
#ifndef MMP_CODEC_POSTFILTER_PREDICTED_TILE_H_
#define MMP_CODEC_POSTFILTER_PREDICTED_TILE_H_

#include <cstdint>

namespace mmp {

// A tile before it is filtered: of both planes height rows of width samples, multiples of 16.
struct PredictedTile {
  const uint8_t* pixels;
  const uint8_t* prediction;
  int width, height;
};

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_PREDICTED_TILE_H_
