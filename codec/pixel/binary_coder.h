// Arithmetic coding of binary decisions with 16-bit probabilities, byte-wise, with carry.
// The exact arithmetic is normative: docs/format-pixel.md, "Binary coder".
#ifndef MMP_CODEC_PIXEL_BINARY_CODER_H_
#define MMP_CODEC_PIXEL_BINARY_CODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mmp {

inline constexpr int kBinaryProbabilityBits = 16;

class BinaryEncoder {
 public:
  // Codes `bit`, which is 1 with probability `probability` / 2^16; 0 < probability < 2^16. Returns
  // `bit`.
  int Bit(int bit, uint32_t probability) {
    const uint32_t bound =
        static_cast<uint32_t>(uint64_t{range_} * probability >> kBinaryProbabilityBits);
    if (bit) {
      range_ = bound;
    } else {
      low_ += bound;
      range_ -= bound;
    }
    while (range_ < 1u << 24) {
      range_ <<= 8;
      ShiftLow();
    }
    return bit;
  }

  // Ends the stream and returns its bytes; up to four trailing zero bytes are left out, which the
  // decoder supplies.
  std::vector<uint8_t> Finish() {
    const uint64_t last = low_ + range_ - 1;
    for (int bits = 32; bits >= 0; --bits) {
      const uint64_t candidate = last >> bits << bits;
      if (candidate >= low_) {
        low_ = candidate;
        break;
      }
    }
    for (int i = 0; i < 5; ++i) ShiftLow();
    for (int i = 0; i < 4 && bytes_.back() == 0; ++i) bytes_.pop_back();
    return std::move(bytes_);
  }

 private:
  void ShiftLow() {
    const uint8_t carry = static_cast<uint8_t>(low_ >> 32);
    const uint32_t low = static_cast<uint32_t>(low_);
    // A top byte of 0xff could still overflow: hold it back until the carry is known.
    if (carry != 0 || low < 0xff000000u) {
      if (!first_) bytes_.push_back(static_cast<uint8_t>(cache_ + carry));
      bytes_.insert(bytes_.end(), pending_, static_cast<uint8_t>(0xff + carry));
      pending_ = 0;
      cache_ = static_cast<uint8_t>(low >> 24);
      first_ = false;
    } else {
      ++pending_;
    }
    low_ = static_cast<uint64_t>(low) << 8 & 0xffffffffu;
  }

  uint64_t low_ = 0;  // 33 bits: bit 32 is a carry not yet propagated
  uint32_t range_ = 0xffffffffu;
  uint8_t cache_ = 0;     // the last byte that a carry can still reach
  uint64_t pending_ = 0;  // 0xff bytes behind cache_
  bool first_ = true;     // cache_ holds no byte yet
  std::vector<uint8_t> bytes_;
};

class BinaryDecoder {
 public:
  explicit BinaryDecoder(std::span<const uint8_t> bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | Next();
  }

  // The next bit, which is 1 with probability `probability` / 2^16; 0 < probability < 2^16.
  int Bit(uint32_t probability) {
    const uint32_t bound =
        static_cast<uint32_t>(uint64_t{range_} * probability >> kBinaryProbabilityBits);
    const int bit = code_ < bound;
    if (bit) {
      range_ = bound;
    } else {
      code_ -= bound;
      range_ -= bound;
    }
    while (range_ < 1u << 24) {
      range_ <<= 8;
      code_ = code_ << 8 | Next();
    }
    return bit;
  }

  // True if the stream has been read further past its end than any that BinaryEncoder wrote.
  bool Overrun() const { return position_ > bytes_.size() + 4; }
  // True if all bytes of the stream have been taken in.
  bool AllRead() const { return position_ >= bytes_.size(); }

 private:
  uint8_t Next() {
    const uint8_t byte = position_ < bytes_.size() ? bytes_[position_] : 0;
    ++position_;
    return byte;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  uint32_t code_ = 0;
  uint32_t range_ = 0xffffffffu;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_BINARY_CODER_H_
