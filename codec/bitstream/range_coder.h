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

#include "codec/base/fixed_log2.h"
#include "codec/bitstream/interval.h"
#include "codec/bitstream/symbol_list.h"

namespace mmp {

inline constexpr uint32_t kMaxFrequencyTotal = 1u << 20;

// What a symbol owns: [cumulative, cumulative + frequency) of [0, total).
// 0 < frequency, cumulative + frequency <= total <= kMaxFrequencyTotal.
struct SymbolInterval {
  uint32_t cumulative, frequency, total;

  // Bits that the symbol costs, q12.
  int32_t RateQ12() const { return Log2Q12(total) - Log2Q12(frequency); }
};

// Keeps the symbols until the end, as what is decided last may have to be read first.
class RangeEncoder {
 public:
  void Encode(SymbolInterval symbol) { Fill(Reserve(), symbol); }
  // Leaves room for the next `count` symbols, to be filled in before Finish; returns the number of
  // the first one.
  size_t Reserve(size_t count = 1) { return symbols_.Append(count); }
  // Several threads may fill in different symbols that there is room for, while one calls Encode
  // or Reserve.
  void Fill(size_t number, SymbolInterval symbol) { symbols_[number] = Pack(symbol); }
  // The symbols so far that were encoded or reserved.
  size_t size() const { return symbols_.size(); }
  // Codes a symbol that comes before number `position` of those, and behind what has been coded
  // before that one already. Positions may not fall. One thread may do this while others call all
  // of the above.
  void EncodeBefore(size_t position, SymbolInterval symbol) {
    assert(between_.empty() || position >= between_.back().position);
    between_.push_back({position, Pack(symbol)});
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

  static uint64_t Pack(SymbolInterval symbol) {
    const auto [cumulative, frequency, total] = symbol;
    assert(frequency > 0 && cumulative + frequency <= total && total <= kMaxFrequencyTotal);
    return cumulative | uint64_t{frequency} << kBits | uint64_t{total} << 2 * kBits;
  }

  SymbolList symbols_;
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

// What a bit owns that is 1 with probability `probability` / 2^16, in (0, 2^16).
inline SymbolInterval BitInterval(int bit, uint32_t probability) {
  constexpr uint32_t kTotal = 1u << 16;
  if (bit != 0) return {0, probability, kTotal};
  return {probability, kTotal - probability, kTotal};
}
inline int DecodeBit(RangeDecoder& coder, uint32_t probability) {
  return coder.IsFirstOfTwo(probability, 16) ? 1 : 0;
}

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_RANGE_CODER_H_
