#include "codec/decoder/pixel_tile.h"

#include <cstddef>
#include <vector>

#include "codec/base/decode_work.h"

namespace mmp {

PixelFormat PixelFormatOf(const FileHeader& header) {
  return {.depth = header.depth,
          .max_error = header.max_error,
          .effort = header.preset == Preset::kFast ? 1 : 2,
          .by_means = header.by_means,
          .may_be_jpeg = header.may_be_jpeg};
}

uint64_t PixelWork(const FileHeader& header, uint64_t pixels) {
  const bool is_small = PixelFormatOf(header).effort == 1 && !header.may_be_jpeg;
  return pixels * (is_small ? kSmallPixelWork : kLargePixelWork);
}

Status DecodePixelTile(std::span<const uint8_t> stream, const FileHeader& header,
                       const TileInfo& tile, TileSamples& samples, const GoesOn& goes_on) {
  const PixelFormat format = PixelFormatOf(header);
  if (samples.depth() > 8)
    return DecodePixels(stream, format, tile.width, tile.height, samples.Row16(0),
                        samples.stride() / sizeof(uint16_t), goes_on);
  std::vector<uint16_t> wide(static_cast<size_t>(tile.width) * tile.height);
  MMP_RETURN_IF_ERROR(
      DecodePixels(stream, format, tile.width, tile.height, wide.data(), tile.width, goes_on));
  auto next = wide.begin();
  for (int y = 0; y < tile.height; ++y)
    for (int x = 0; x < tile.width; ++x) samples.Row(y)[x] = static_cast<uint8_t>(*next++);
  return {};
}

}  // namespace mmp
