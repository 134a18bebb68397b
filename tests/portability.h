// Encodes whose bytes must be the same on every machine, with every compiler and SIMD target.
#ifndef MMP_TESTS_PORTABILITY_H_
#define MMP_TESTS_PORTABILITY_H_

#include <cstdint>
#include <string>
#include <vector>

namespace mmp {

struct PortableResult {
  std::string name;
  uint32_t crc;  // CRC-32C of the file's bytes; 0 if it does not decode
};

// Encodes and decodes all cases.
std::vector<PortableResult> RunPortableCases();

}  // namespace mmp

#endif  // MMP_TESTS_PORTABILITY_H_
