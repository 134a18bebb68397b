// What filters see of a tile.
#ifndef MMP_CODEC_POSTFILTER_PREDICTED_TILE_H_
#define MMP_CODEC_POSTFILTER_PREDICTED_TILE_H_

#include <cstddef>
#include <cstdint>

namespace mmp {

// A plane of height rows of width samples, multiples of 16, which begins with the tile's pixels.
struct PlaneSize {
  int width, height;
  int tile_width, tile_height;
};

// A tile before it is filtered, or what a filter sees of it: of both planes height rows of width
// samples, even numbers, `stride` samples from a row to the next.
struct PredictedTile {
  const uint8_t* pixels;
  const uint8_t* prediction;
  int width, height;
  size_t stride = static_cast<size_t>(width);
};

// The pixel of a tile, in row and column 0 or 1, that a network's first position begins with. As
// many rows and columns as are before it are behind the last one, too: networks do not see these.
struct NetworkOrigin {
  int row = 0, column = 0;

  // Of that pixel, in a plane.
  size_t Offset(size_t stride) const {
    return static_cast<size_t>(row) * stride + static_cast<size_t>(column);
  }
  friend bool operator==(const NetworkOrigin&, const NetworkOrigin&) = default;
};

// What a network sees of a tile.
inline PredictedTile Within(PredictedTile tile, NetworkOrigin origin) {
  tile.pixels += origin.Offset(tile.stride);
  tile.prediction += origin.Offset(tile.stride);
  tile.width -= 2 * origin.column;
  tile.height -= 2 * origin.row;
  return tile;
}

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_PREDICTED_TILE_H_
