// What the fuzzers of image files hold their parsers to.
#ifndef MMP_TESTS_FUZZ_IMAGE_PROMISES_H_
#define MMP_TESTS_FUZZ_IMAGE_PROMISES_H_

#include <cstdint>
#include <span>

#include "common/image_files/image_io.h"
#include "tests/fuzz/fuzz_input.h"

namespace mmp {

inline constexpr ReadImageOptions kAnyDepth = {.min_depth = 1, .max_depth = kMaxDepth};

// The image outlives being written with its metadata, too, of which none are added.
inline void CheckMetadata(const LoadedImage& loaded) {
  const ImageExtras extras = {loaded.metadata, loaded.is_signed};
  const auto as_tiff = ParseImage(EncodeTiff(loaded.image.View(), extras), "output", kAnyDepth);
  Promise(as_tiff.ok() && as_tiff->image == loaded.image);
  Promise(as_tiff->is_signed == loaded.is_signed);
  const auto as_png =
      ParseImage(EncodePng(loaded.image.View(), loaded.metadata), "output", kAnyDepth);
  Promise(as_png.ok() && as_png->image == loaded.image);
  Promise(as_png->metadata.size() <= loaded.metadata.size());
}

// Outlives being written and read again, as PGM and as PNG.
inline void WriteAndCheck(const Image& image) {
  for (const bool is_png : {false, true}) {
    const auto again =
        ParseImage(is_png ? EncodePng(image.View()) : EncodePgm(image.View()), "output", kAnyDepth);
    Promise(again.ok() && again->image == image && again->notice.empty());
  }
}

// Reads the file as it is, with at most 8 bits, and with ReadImageOptions::depth8. An image that is
// read is not larger than allowed, is the same wherever it has 8 bits, and outlives being written;
// a file that is refused has a reason.
inline void ReadAndCheck(std::span<const uint8_t> file) {
  constexpr uint64_t kMaxPixels = 1 << 16;
  const auto scaled = ParseImage(file, "input", {.max_pixels = kMaxPixels, .depth8 = true});
  const auto plain = ParseImage(file, "input", {.max_pixels = kMaxPixels});
  ReadImageOptions any_depth = kAnyDepth;
  any_depth.max_pixels = kMaxPixels;
  const auto as_it_is = ParseImage(file, "input", any_depth);
  Promise(as_it_is.ok() == scaled.ok());
  if (!scaled.ok()) {
    Promise(!plain.ok() && !scaled.status().message().empty());
    return;
  }
  const Image& image = scaled->image;
  Promise(image.width() > 0 && image.height() > 0);
  Promise(static_cast<uint64_t>(image.width()) * image.height() <= kMaxPixels);
  Promise(plain.ok() ? plain->image == image : plain.status().code() == StatusCode::kUnsupported);
  const Image& other = as_it_is->image;
  Promise(image.depth() == 8 && other.width() == image.width() && other.height() == image.height());
  if (other.depth() == 8) Promise(plain.ok() && other == image);
  if (other.depth() < 8) Promise(plain.ok());
  WriteAndCheck(image);
  WriteAndCheck(other);
  CheckMetadata(*as_it_is);
}

}  // namespace mmp

#endif  // MMP_TESTS_FUZZ_IMAGE_PROMISES_H_
