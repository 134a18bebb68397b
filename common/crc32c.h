// CRC-32C (Castagnoli), the checksum of RFC 3720 (iSCSI).
#ifndef MMP_COMMON_CRC32C_H_
#define MMP_COMMON_CRC32C_H_

#include <cstdint>
#include <span>

namespace mmp {

// The CRC-32C of what `crc` is the checksum of followed by `bytes`: start with 0 and pass the last
// result on to go through data in pieces. Crc32c of the text "123456789" is 0xE3069283.
uint32_t Crc32c(std::span<const uint8_t> bytes, uint32_t crc = 0);

}  // namespace mmp

#endif  // MMP_COMMON_CRC32C_H_
