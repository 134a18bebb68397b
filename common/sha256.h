// SHA-256 (FIPS 180-4), to tell contents apart.
#ifndef MMP_COMMON_SHA256_H_
#define MMP_COMMON_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mmp {

// The hash of what is added, in pieces of any size.
class Sha256 {
 public:
  void Add(std::span<const uint8_t> bytes);
  void Add(std::string_view text);

  // 64 hexadecimal digits; nothing can be added after it.
  std::string Hex();

 private:
  static constexpr size_t kBlockBytes = 64;

  void AddBlock();

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, kBlockBytes> block_{};
  size_t filled_ = 0;  // bytes of block_
  uint64_t bytes_ = 0;
};

}  // namespace mmp

#endif  // MMP_COMMON_SHA256_H_
