// Where the samples of a tile are decoded to.
#ifndef MMP_CODEC_DECODER_TILE_SAMPLES_H_
#define MMP_CODEC_DECODER_TILE_SAMPLES_H_

#include <cstddef>
#include <cstdint>

#include "mmp/image.h"
#include "mmp/types.h"

namespace mmp {

// Tiles that lie in the region that is decoded are decoded to their place in its image, others to
// memory of their own, of which the image gets its part at the end.
class TileSamples {
 public:
  // `image` is that of `region`, and the tile has pixels of it.
  TileSamples(const TileInfo& tile, const Region& region, Image& image);

  // Row y of the tile. Samples of more than 8 bits: the same, of uint16_t.
  uint8_t* Row(int y) { return data_ + static_cast<size_t>(y) * stride_; }
  uint16_t* Row16(int y) { return reinterpret_cast<uint16_t*>(Row(y)); }
  size_t stride() const { return stride_; }  // bytes
  int depth() const { return image_.depth(); }

  // The CRC-32C of all samples of the tile.
  uint32_t Crc() const;
  // The tile is complete: its part of the region is put into the image.
  void Finish();

 private:
  ImageView View() const;

  const TileInfo& tile_;
  const Region& region_;
  Image& image_;
  Image own_;  // empty if the tile lies in the region
  uint8_t* data_;
  size_t stride_;
};

// Fills the tile's part of the region with the gray of what is not known.
void FillGray(const TileInfo& tile, const Region& region, Image& image);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_TILE_SAMPLES_H_
