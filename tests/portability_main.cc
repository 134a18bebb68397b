// Prints the results of portability.h, for a machine or compiler without GoogleTest:
// tools/check-aarch64 compares them with those of this machine.
#include <cstdio>

#include "tests/portability.h"

int main() {
  for (const mmp::PortableResult& result : mmp::RunPortableCases())
    std::printf("%s %08x\n", result.name.c_str(), result.crc);
}
