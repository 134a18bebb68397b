// One body of code for both directions: decisions go to an encoder or come from a decoder.
#ifndef MMP_CODEC_PIXEL_BIT_PORT_H_
#define MMP_CODEC_PIXEL_BIT_PORT_H_

#include <algorithm>
#include <cstdint>

#include "codec/bitstream/range_coder.h"
#include "codec/pixel/binary_coder.h"

namespace mmp {

class BitPort {
 public:
  explicit BitPort(BinaryEncoder& encoder) : encoder_(&encoder) {}
  explicit BitPort(BinaryDecoder& decoder) : decoder_(&decoder) {}
  // Among the symbols of a tile of patterns; adds what it takes to `rate_q12`.
  BitPort(RangeEncoder& encoder, int64_t& rate_q12)
      : range_encoder_(&encoder), rate_q12_(&rate_q12) {}
  explicit BitPort(RangeDecoder& decoder) : range_decoder_(&decoder) {}

  bool Encodes() const { return encoder_ != nullptr || range_encoder_ != nullptr; }
  // Encoding: codes `bit` and returns it. Decoding: returns what was coded, `bit` has no meaning.
  // It is 1 with probability `probability` / 2^16, which is in [1, 65535].
  int Bit(int bit, uint32_t probability) {
    if (encoder_ != nullptr) return encoder_->Bit(bit, probability);
    if (decoder_ != nullptr) return decoder_->Bit(probability);
    return RangeCodedBit(bit, probability);
  }
  int EvenBit(int bit) { return Bit(bit, 1u << 15); }
  // A number below 2^bits, all as probable.
  int EvenBits(int bits, int number) {
    int coded = 0;
    for (int i = bits - 1; i >= 0; --i) coded = coded * 2 + EvenBit(number >> i & 1);
    return coded;
  }

 private:
  int RangeCodedBit(int bit, uint32_t probability) {
    if (range_decoder_ != nullptr) return DecodeBit(*range_decoder_, probability);
    const SymbolInterval interval = BitInterval(bit, probability);
    range_encoder_->Encode(interval);
    *rate_q12_ += interval.RateQ12();
    return bit;
  }

  BinaryEncoder* encoder_ = nullptr;
  BinaryDecoder* decoder_ = nullptr;
  RangeEncoder* range_encoder_ = nullptr;
  RangeDecoder* range_decoder_ = nullptr;
  int64_t* rate_q12_ = nullptr;
};

// Codes a bit, or returns the one that was coded, with this probability of a 1.
inline int CodeBit(BitPort& port, int bit, double probability) {
  return port.Bit(bit, static_cast<uint32_t>(
                           std::min(std::max(static_cast<int>(probability * 65536.0), 1), 65535)));
}

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_BIT_PORT_H_
