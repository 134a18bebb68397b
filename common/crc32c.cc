#include "common/crc32c.h"

#include <array>
#include <cstddef>

namespace mmp {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // bit-reversed 0x1EDC6F41
constexpr int kSlices = 8;                    // bytes taken at once

using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b]: the register after byte b and then k zero bytes, from a register of 0.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (int k = 1; k < kSlices; ++k) {
    for (int byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

}  // namespace

uint32_t Crc32c(std::span<const uint8_t> bytes, uint32_t crc) {
  crc = ~crc;
  const uint8_t* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= kSlices; left -= kSlices, p += kSlices) {
    crc = kTables[7][p[0] ^ (crc & 0xFF)] ^ kTables[6][p[1] ^ (crc >> 8 & 0xFF)] ^
          kTables[5][p[2] ^ (crc >> 16 & 0xFF)] ^ kTables[4][p[3] ^ (crc >> 24)] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; left > 0; --left, ++p) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 0xFF];
  return ~crc;
}

}  // namespace mmp
