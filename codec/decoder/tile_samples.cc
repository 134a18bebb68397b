#include "codec/decoder/tile_samples.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "codec/base/sample_map.h"

namespace mmp {
namespace {

// The pixels that a tile and a region have in common.
Region Common(const TileInfo& tile, const Region& region) {
  const int x = std::max(tile.x, region.x), y = std::max(tile.y, region.y);
  return {x, y, std::min(tile.x + tile.width, region.x + region.width) - x,
          std::min(tile.y + tile.height, region.y + region.height) - y};
}

bool IsInside(const TileInfo& tile, const Region& region) {
  return Common(tile, region) == Region{tile.x, tile.y, tile.width, tile.height};
}

// Pixel (x, y) of the whole image in that of a region.
uint8_t* PlaceOf(int x, int y, const Region& region, Image& image) {
  return image.Row(y - region.y) + static_cast<size_t>(x - region.x) * SampleBytes(image.depth());
}

}  // namespace

TileSamples::TileSamples(const TileInfo& tile, const Region& region, Image& image)
    : tile_(tile), region_(region), image_(image) {
  if (IsInside(tile, region)) {
    data_ = PlaceOf(tile.x, tile.y, region, image);
    stride_ = image.stride();
  } else {
    own_ = Image::OfDepth(image.depth(), tile.width, tile.height);
    data_ = own_.Row(0);
    stride_ = own_.stride();
  }
}

ImageView TileSamples::View() const { return {data_, tile_.width, tile_.height, stride_, depth()}; }

uint32_t TileSamples::Crc() const {
  uint32_t crc = 0;
  for (int y = 0; y < tile_.height; ++y) crc = RowCrc(View().Row(y), tile_.width, depth(), crc);
  return crc;
}

void TileSamples::Finish() {
  if (own_.width() == 0) return;
  const Region part = Common(tile_, region_);
  const ImageView samples =
      View().Crop(part.x - tile_.x, part.y - tile_.y, part.width, part.height);
  for (int y = 0; y < part.height; ++y)
    std::copy_n(samples.Row(y), static_cast<size_t>(part.width) * SampleBytes(depth()),
                PlaceOf(part.x, part.y + y, region_, image_));
}

void FillGray(const TileInfo& tile, const Region& region, Image& image) {
  const int gray = 1 << (image.depth() - 1);
  const Region part = Common(tile, region);
  for (int y = 0; y < part.height; ++y) {
    uint8_t* row = PlaceOf(part.x, part.y + y, region, image);
    if (SampleBytes(image.depth()) == 2)
      std::fill_n(reinterpret_cast<uint16_t*>(row), part.width, static_cast<uint16_t>(gray));
    else
      std::memset(row, gray, part.width);
  }
}

}  // namespace mmp
