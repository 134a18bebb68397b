// Decoding of arbitrary bytes. Checksums are not compared in this build, so that what lies behind
// them is reached.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

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
       decoded->image.height() != info->height || decoded->image.depth() != info->depth))
    std::abort();
  // Decoding once more takes as long again, and mostly tells nothing new.
  if (size == 0 || data[size - 1] % 4 != 0) return 0;
  options.keep_going = true;
  const auto salvaged = mmp::Decode(file, options);
  if (decoded.ok() && (!salvaged.ok() || !(salvaged->image == decoded->image))) std::abort();
  return 0;
}
