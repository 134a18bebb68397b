// The interval that arithmetic coding narrows: 32 bits wide, put out byte by byte, with carry. What
// RangeEncoder and BinaryEncoder have in common, and their decoders. Normative: docs/format.md,
// "Range coder".
#ifndef MMP_CODEC_BITSTREAM_INTERVAL_H_
#define MMP_CODEC_BITSTREAM_INTERVAL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mmp {

inline constexpr uint32_t kLeastRange = 1u << 24;

class IntervalWriter {
 public:
  uint32_t range() const { return range_; }

  // The interval becomes [below, below + range) of what it was.
  void Narrow(uint32_t below, uint32_t range) {
    low_ += below;
    range_ = range;
    while (range_ < kLeastRange) {
      range_ <<= 8;
      ShiftLow();
    }
  }

  // Ends the stream and returns its bytes; up to four trailing zero bytes are left out, which
  // IntervalReader supplies.
  std::vector<uint8_t> Finish() {
    // Any value in [low, low + range) will do: take the one with the most trailing zero bits.
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

class IntervalReader {
 public:
  explicit IntervalReader(std::span<const uint8_t> bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | Next();
  }

  uint32_t range() const { return range_; }
  // Where in the interval the stream's value lies; below range() if IntervalWriter made it.
  uint32_t code() const { return code_; }

  // As IntervalWriter::Narrow.
  void Narrow(uint32_t below, uint32_t range) {
    code_ -= below;
    range_ = range;
    while (range_ < kLeastRange) {
      code_ = code_ << 8 | Next();
      range_ <<= 8;
    }
  }

  // The bytes taken, and zeros past the end.
  size_t taken() const { return taken_; }
  // True if the stream has been read further past its end than any that IntervalWriter wrote.
  bool Overrun() const { return taken_ > bytes_.size() + 4; }
  // True if all bytes of the stream have been taken.
  bool AllRead() const { return taken_ >= bytes_.size(); }

 private:
  uint8_t Next() {
    const uint8_t byte = taken_ < bytes_.size() ? bytes_[taken_] : 0;
    ++taken_;
    return byte;
  }

  std::span<const uint8_t> bytes_;
  size_t taken_ = 0;
  uint32_t code_ = 0;
  uint32_t range_ = 0xffffffffu;
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_INTERVAL_H_
