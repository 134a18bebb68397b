// What the fuzzers share: their input as numbers and bytes, and what they do when a promise is
// broken.
#ifndef MMP_TESTS_FUZZ_FUZZ_INPUT_H_
#define MMP_TESTS_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace mmp {

// Ends the fuzzer, which keeps the input, if a promise is broken.
inline void Promise(bool is_kept) {
  if (!is_kept) std::abort();
}

// Hands out a fuzzer's input from its start; behind its end there are zeros.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : left_(data, size) {}

  uint8_t Byte() {
    const std::span<const uint8_t> byte = Take(1);
    return byte.empty() ? 0 : byte[0];
  }

  // Of 1 to 4 bytes, little-endian.
  uint32_t Number(int bytes) {
    uint32_t number = 0;
    for (int k = 0; k < bytes; ++k) number |= static_cast<uint32_t>(Byte()) << 8 * k;
    return number;
  }

  // The next `most` bytes, or as many as are left.
  std::span<const uint8_t> Take(size_t most) {
    const std::span<const uint8_t> taken = left_.first(std::min(most, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

  std::span<const uint8_t> Rest() { return Take(left_.size()); }

 private:
  std::span<const uint8_t> left_;
};

inline std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace mmp

#endif  // MMP_TESTS_FUZZ_FUZZ_INPUT_H_
