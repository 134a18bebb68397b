// Arbitrary JPEG and BMP files.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/image_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0 && (data[0] == 0xff || data[0] == 'B')) mmp::ReadAndCheck({data, size});
  return 0;
}
