// Arbitrary TIFF files.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/image_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 3 && data[0] == data[1] && (data[0] == 'I' || data[0] == 'M'))
    mmp::ReadAndCheck({data, size});
  return 0;
}
