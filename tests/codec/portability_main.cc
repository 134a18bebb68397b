// Prints the results of portability.h, for a machine or compiler without GoogleTest:
// tools/check-machines compares them with those of this machine.
// Usage: portability_print [FILE...]     FILE: to decode, beside the cases
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/codec/portability.h"

namespace {

void Print(const mmp::PortableResult& result) {
  std::printf("%s %08x\n", result.name.c_str(), result.crc);
}

}  // namespace

int main(int argc, char** argv) {
  for (const mmp::PortableResult& result : mmp::RunPortableCases()) Print(result);
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.empty()) {
      std::fprintf(stderr, "portability_print: cannot read %s\n", argv[i]);
      return 1;
    }
    Print(mmp::DecodePortably(std::filesystem::path(argv[i]).stem().string(),
                              std::vector<uint8_t>(bytes.begin(), bytes.end())));
  }
}
