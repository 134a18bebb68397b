#include "codec/base/sample_map.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "common/crc32c.h"

namespace mmp {

SampleRange RangeOf(const ImageView& image) {
  SampleRange range = {image.Sample(0, 0), image.Sample(0, 0)};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      range.low = std::min(range.low, image.Sample(y, x));
      range.high = std::max(range.high, image.Sample(y, x));
    }
  }
  return range;
}

Image CodedImage(const ImageView& image, const SampleMap& map) {
  Image coded(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) coded.Row(y)[x] = map.Coded(image.Sample(y, x));
  return coded;
}

uint32_t RowCrc(const uint8_t* row, int width, int depth, uint32_t crc) {
  const size_t bytes = static_cast<size_t>(width) * SampleBytes(depth);
  if (depth <= 8 || std::endian::native == std::endian::little) return Crc32c({row, bytes}, crc);
  std::vector<uint8_t> swapped(row, row + bytes);
  for (size_t i = 0; i < bytes; i += 2) std::swap(swapped[i], swapped[i + 1]);
  return Crc32c(swapped, crc);
}

}  // namespace mmp
