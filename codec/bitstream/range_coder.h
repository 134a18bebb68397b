// Arithmetic coding of symbols given by integer frequencies (range coder, byte-wise, with carry).
// The exact arithmetic is normative: docs/format.md, "Range coder".
#ifndef MMP_CODEC_BITSTREAM_RANGE_CODER_H_
#define MMP_CODEC_BITSTREAM_RANGE_CODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mmp {

inline constexpr uint32_t kMaxFrequencyTotal = 1u << 20;

class RangeEncoder {
 public:
  // Codes the symbol that owns [cumulative, cumulative + frequency) of [0, total).
  // 0 < frequency, cumulative + frequency <= total <= kMaxFrequencyTotal.
  void Encode(uint32_t cumulative, uint32_t frequency, uint32_t total);
  // Ends the stream and returns its bytes; up to four trailing zero bytes are left out, which the
  // decoder supplies.
  std::vector<uint8_t> Finish();

 private:
  void ShiftLow();

  uint64_t low_ = 0;  // 33 bits: bit 32 is a carry not yet propagated
  uint32_t range_ = 0xffffffffu;
  uint8_t cache_ = 0;     // the last byte that a carry can still reach
  uint64_t pending_ = 0;  // 0xff bytes behind cache_
  bool first_ = true;     // cache_ holds no byte yet
  std::vector<uint8_t> bytes_;
};

class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const uint8_t> bytes);

  // A value in [0, total) inside the next symbol's interval; Consume must follow.
  uint32_t Target(uint32_t total);
  void Consume(uint32_t cumulative, uint32_t frequency);
  // True if the stream has been read further past its end than any that RangeEncoder wrote.
  bool Overrun() const { return position_ > bytes_.size() + 4; }
  // What the symbols read so far have taken, in bits: it grows by -log2 of each one's probability.
  double BitsRead() const;
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
  uint32_t step_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_RANGE_CODER_H_
