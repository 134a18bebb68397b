// Arithmetic coding of symbols given by integer frequencies (range coder).
// The exact arithmetic is normative: docs/format.md, "Range coder".
#ifndef MMP_CODEC_BITSTREAM_RANGE_CODER_H_
#define MMP_CODEC_BITSTREAM_RANGE_CODER_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/bitstream/interval.h"

namespace mmp {

inline constexpr uint32_t kMaxFrequencyTotal = 1u << 20;

// Keeps the symbols until the end, as what is decided last may have to be read first.
class RangeEncoder {
 public:
  // Codes the symbol that owns [cumulative, cumulative + frequency) of [0, total).
  // 0 < frequency, cumulative + frequency <= total <= kMaxFrequencyTotal.
  void Encode(uint32_t cumulative, uint32_t frequency, uint32_t total) {
    assert(frequency > 0 && cumulative + frequency <= total && total <= kMaxFrequencyTotal);
    symbols_.push_back(Pack(cumulative, frequency, total));
  }
  // The symbols so far that Encode was given.
  size_t size() const { return symbols_.size(); }
  // Codes a symbol that comes before number `position` of those, and behind what has been coded
  // before that one already. Positions may not fall. One thread may do this while another calls
  // Encode and size.
  void EncodeBefore(size_t position, uint32_t cumulative, uint32_t frequency, uint32_t total) {
    assert(between_.empty() || position >= between_.back().position);
    between_.push_back({position, Pack(cumulative, frequency, total)});
  }
  // The stream of the symbols from number `first` on and then of those before, with those that come
  // before each: see IntervalWriter::Finish.
  std::vector<uint8_t> Finish(size_t first = 0) const;

 private:
  static constexpr int kBits = 21;  // of each of the three numbers of a symbol
  static_assert(kMaxFrequencyTotal < 1u << kBits);

  struct Between {
    size_t position;
    uint64_t symbol;
  };

  static uint64_t Pack(uint32_t cumulative, uint32_t frequency, uint32_t total) {
    return cumulative | uint64_t{frequency} << kBits | uint64_t{total} << 2 * kBits;
  }

  std::vector<uint64_t> symbols_;
  // What EncodeBefore was given; apart from the others, as another thread may add to it.
  alignas(64) std::vector<Between> between_;
};

class RangeDecoder {
 public:
  explicit RangeDecoder(std::span<const uint8_t> bytes) : interval_(bytes) {}

  // A value in [0, total) inside the next symbol's interval; Consume must follow.
  uint32_t Target(uint32_t total) {
    step_ = interval_.range() / total;
    // Only a damaged stream reaches the part of the range that belongs to no symbol.
    return std::min(interval_.code() / step_, total - 1);
  }
  void Consume(uint32_t cumulative, uint32_t frequency) {
    interval_.Narrow(step_ * cumulative, step_ * frequency);
  }
  // Decodes one of two symbols, of which the first has `frequency` of [0, 2^total_bits): returns
  // whether it is the first. As Target and Consume would.
  bool IsFirstOfTwo(uint32_t frequency, int total_bits) {
    const uint32_t step = interval_.range() >> total_bits, first = step * frequency;
    if (interval_.code() < first) {
      interval_.Narrow(0, first);
      return true;
    }
    interval_.Narrow(first, (step << total_bits) - first);
    return false;
  }
  // What the symbols read so far have taken, in bits: it grows by -log2 of each one's probability.
  double BitsRead() const;
  // As those of IntervalReader.
  bool Overrun() const { return interval_.Overrun(); }
  bool AllRead() const { return interval_.AllRead(); }

 private:
  IntervalReader interval_;
  uint32_t step_ = 0;
};

// The part of [0, 2^16) that a bit owns which is 1 with probability `probability` / 2^16, in (0,
// 2^16).
struct BitInterval {
  static constexpr uint32_t kTotal = 1u << 16;

  BitInterval(int bit, uint32_t probability)
      : cumulative(bit != 0 ? 0 : probability),
        frequency(bit != 0 ? probability : kTotal - probability) {}

  uint32_t cumulative, frequency;
};
inline void EncodeBit(RangeEncoder& coder, int bit, uint32_t probability) {
  const BitInterval of_bit(bit, probability);
  coder.Encode(of_bit.cumulative, of_bit.frequency, BitInterval::kTotal);
}
inline int DecodeBit(RangeDecoder& coder, uint32_t probability) {
  return coder.IsFirstOfTwo(probability, 16) ? 1 : 0;
}

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_RANGE_CODER_H_
