// Arbitrary PBM, PGM and PPM files, plain and binary.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/image_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0 && data[0] == 'P') mmp::ReadAndCheck({data, size});
  return 0;
}
