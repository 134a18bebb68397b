// Encodes a gradient on a CUDA device or, if there is none, on the CPU.
#include <mmp/mmp.h>
#include <mmp/mmp_cuda.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  mmp::EnableCuda();
  mmp::Image image(64, 48);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) image.Row(y)[x] = static_cast<uint8_t>(2 * x + y);
  }

  mmp::EncodeStats stats;
  const mmp::Result<std::vector<uint8_t>> file = mmp::Encode(image.View(), {}, &stats);
  if (!file.ok()) {
    std::fprintf(stderr, "encode: %s\n", file.status().message().c_str());
    return 1;
  }
  const bool on_cuda = stats.backend == mmp::Backend::kCuda;
  std::printf("mmp %d.%d.%d: %zu bytes by %s\n", mmp::kVersionMajor, mmp::kVersionMinor,
              mmp::kVersionPatch, file->size(),
              on_cuda ? "CUDA" : ("the CPU: " + stats.backend_note).c_str());
}
