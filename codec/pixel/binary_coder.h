// Arithmetic coding of binary decisions with 16-bit probabilities.
// The exact arithmetic is normative: docs/format-pixel.md, "Binary coder".
#ifndef MMP_CODEC_PIXEL_BINARY_CODER_H_
#define MMP_CODEC_PIXEL_BINARY_CODER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "codec/bitstream/interval.h"

namespace mmp {

inline constexpr int kBinaryProbabilityBits = 16;

// The part of an interval of this range that stands for a 1.
inline uint32_t BinaryBound(uint32_t range, uint32_t probability) {
  return static_cast<uint32_t>(uint64_t{range} * probability >> kBinaryProbabilityBits);
}

class BinaryEncoder {
 public:
  // Codes `bit`, which is 1 with probability `probability` / 2^16; 0 < probability < 2^16. Returns
  // `bit`.
  int Bit(int bit, uint32_t probability) {
    const uint32_t bound = BinaryBound(interval_.range(), probability);
    if (bit != 0)
      interval_.Narrow(0, bound);
    else
      interval_.Narrow(bound, interval_.range() - bound);
    return bit;
  }

  // As IntervalWriter::Finish.
  std::vector<uint8_t> Finish() { return interval_.Finish(); }

 private:
  IntervalWriter interval_;
};

class BinaryDecoder {
 public:
  explicit BinaryDecoder(std::span<const uint8_t> bytes) : interval_(bytes) {}

  // The next bit, which is 1 with probability `probability` / 2^16; 0 < probability < 2^16.
  int Bit(uint32_t probability) {
    const uint32_t bound = BinaryBound(interval_.range(), probability);
    if (interval_.code() < bound) {
      interval_.Narrow(0, bound);
      return 1;
    }
    interval_.Narrow(bound, interval_.range() - bound);
    return 0;
  }

  // As those of IntervalReader.
  bool Overrun() const { return interval_.Overrun(); }
  bool AllRead() const { return interval_.AllRead(); }

 private:
  IntervalReader interval_;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_BINARY_CODER_H_
