// Decoding of arbitrary bytes. Checksums are not compared in this build, so that what lies behind
// them is reached.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mmp/mmp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> file(data, size);
  mmp::DecodeOptions options;
  options.threads = 1;
  options.max_pixels = 1 << 16;
  options.max_work = uint64_t{1} << 28;
  const auto info = mmp::ReadInfo(file);
  const auto decoded = mmp::Decode(file, options);
  // What decodes has a header that can be read, and its size and depth.
  if (decoded.ok() &&
      (!info.ok() || decoded->image.width() != info->width ||
       decoded->image.height() != info->height || decoded->image.depth() != info->depth ||
       decoded->is_signed != info->is_signed || decoded->metadata != info->metadata ||
       decoded->damaged_metadata != info->damaged_metadata))
    std::abort();
  // A region of it, by the last bytes, has the same pixels.
  if (decoded.ok() && size > 4 && data[size - 1] % 4 == 1) {
    const mmp::Image& image = decoded->image;
    const int x = data[size - 2] % image.width(), y = data[size - 3] % image.height();
    const mmp::Region region = {x, y, 1 + data[size - 4] % (image.width() - x),
                                1 + data[size - 5] % (image.height() - y)};
    options.region = region;
    const auto part = mmp::Decode(file, options);
    if (!part.ok()) std::abort();
    const mmp::ImageView expected = image.View().Crop(x, y, region.width, region.height);
    for (int row = 0; row < region.height; ++row)
      if (std::memcmp(part->image.Row(row), expected.Row(row), part->image.stride()) != 0)
        std::abort();
    return 0;
  }
  // Its preview is small.
  options.preview = true;
  const auto preview = mmp::Decode(file, options);
  if (preview.ok() && preview->image.width() > mmp::kMaxImageSide / 8 + 1) std::abort();
  options.preview = false;
  // Decoding once more takes as long again, and mostly tells nothing new.
  if (size == 0 || data[size - 1] % 4 != 0) return 0;
  options.keep_going = true;
  const auto salvaged = mmp::Decode(file, options);
  if (decoded.ok() && (!salvaged.ok() || !(salvaged->image == decoded->image))) std::abort();
  return 0;
}
