// Encodes a gradient, decodes it again and prints how many bytes it took.
#include <mmp/mmp.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  mmp::Image image(64, 48);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) image.Row(y)[x] = static_cast<uint8_t>(2 * x + y);
  }

  const mmp::Result<std::vector<uint8_t>> file = mmp::Encode(image.View(), {.lambda = 10});
  if (!file.ok()) {
    std::fprintf(stderr, "encode: %s\n", file.status().message().c_str());
    return 1;
  }
  const mmp::Result<mmp::DecodedImage> decoded = mmp::Decode(*file);
  if (!decoded.ok()) {
    std::fprintf(stderr, "decode: %s\n", decoded.status().message().c_str());
    return 1;
  }

  std::printf("mmp %d.%d.%d: %dx%d pixels in %zu bytes\n", mmp::kVersionMajor, mmp::kVersionMinor,
              mmp::kVersionPatch, decoded->image.width(), decoded->image.height(), file->size());
  return decoded->image.width() == image.width() && decoded->image.height() == image.height() ? 0
                                                                                              : 1;
}
