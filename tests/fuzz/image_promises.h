// What the fuzzers of image files hold their parsers to.
#ifndef MMP_TESTS_FUZZ_IMAGE_PROMISES_H_
#define MMP_TESTS_FUZZ_IMAGE_PROMISES_H_

#include <cstdint>
#include <span>

#include "common/image_files/image_io.h"
#include "tests/fuzz/fuzz_input.h"

namespace mmp {

// Reads the file with and without ReadImageOptions::depth8. An image that is read is not larger
// than allowed, is the same with both if it is read with both, and outlives being written and read
// again; a file that is refused has a reason.
inline void ReadAndCheck(std::span<const uint8_t> file) {
  constexpr uint64_t kMaxPixels = 1 << 16;
  const auto scaled = ParseImage(file, "input", {.max_pixels = kMaxPixels, .depth8 = true});
  const auto plain = ParseImage(file, "input", {.max_pixels = kMaxPixels});
  if (!scaled.ok()) {
    Promise(!plain.ok() && !scaled.status().message().empty());
    return;
  }
  const Image& image = scaled->image;
  Promise(image.width() > 0 && image.height() > 0);
  Promise(static_cast<uint64_t>(image.width()) * image.height() <= kMaxPixels);
  Promise(plain.ok() ? plain->image == image : plain.status().code() == StatusCode::kUnsupported);
  const auto again = ParseImage(EncodePgm(image.View()), "output");
  Promise(again.ok() && again->image == image && again->notice.empty());
}

}  // namespace mmp

#endif  // MMP_TESTS_FUZZ_IMAGE_PROMISES_H_
