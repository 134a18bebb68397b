// Arbitrary PNG files. Their chunks get the right checksums first, so that what lies behind these
// is reached; every other input, by its length, is taken as it is.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tests/fuzz/image_promises.h"

namespace {

constexpr size_t kSignatureBytes = 8;

// Writes the checksum of each whole chunk: of its name and data, big-endian, behind them.
void SealChunks(std::vector<uint8_t>& file) {
  for (size_t at = kSignatureBytes; file.size() - at >= 12;) {
    size_t size = 0;
    for (size_t k = 0; k < 4; ++k) size = size << 8 | file[at + k];
    if (size > file.size() - at - 12) return;
    const uLong crc = crc32(0, &file[at + 4], static_cast<uInt>(size + 4));
    for (size_t k = 0; k < 4; ++k)
      file[at + 8 + size + k] = static_cast<uint8_t>(crc >> (24 - 8 * k));
    at += size + 12;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> file(data, data + size);
  constexpr uint8_t kStart[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (size < sizeof(kStart)) return 0;
  std::copy(std::begin(kStart), std::end(kStart), file.begin());
  if (size % 2 == 0) SealChunks(file);
  mmp::ReadAndCheck(file);
  return 0;
}
