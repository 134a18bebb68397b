// Encodes whose bytes, and decodes whose pixels, must be the same on every machine, with every
// compiler and SIMD target.
#ifndef MMP_TESTS_CODEC_PORTABILITY_H_
#define MMP_TESTS_CODEC_PORTABILITY_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mmp {

struct PortableResult {
  std::string name;
  uint32_t crc;  // CRC-32C of the bytes or pixels; 0 if the file does not decode
};

// Encodes and decodes all cases; the results are of the files' bytes.
std::vector<PortableResult> RunPortableCases();

// Decodes a file; the result is of the pixels.
PortableResult DecodePortably(const std::string& name, std::span<const uint8_t> file);

}  // namespace mmp

#endif  // MMP_TESTS_CODEC_PORTABILITY_H_
