// One body of code for both directions: decisions go to an encoder or come from a decoder.
#ifndef MMP_CODEC_PIXEL_BIT_PORT_H_
#define MMP_CODEC_PIXEL_BIT_PORT_H_

#include <algorithm>
#include <cstdint>

#include "codec/pixel/binary_coder.h"

namespace mmp {

class BitPort {
 public:
  explicit BitPort(BinaryEncoder& encoder) : encoder_(&encoder) {}
  explicit BitPort(BinaryDecoder& decoder) : decoder_(&decoder) {}

  bool Encodes() const { return encoder_ != nullptr; }
  // Encoding: codes `bit` and returns it. Decoding: returns what was coded, `bit` has no meaning.
  // It is 1 with probability `probability` / 2^16, which is in [1, 65535].
  int Bit(int bit, uint32_t probability) {
    return encoder_ != nullptr ? encoder_->Bit(bit, probability) : decoder_->Bit(probability);
  }
  int EvenBit(int bit) { return Bit(bit, 1u << 15); }
  // A number below 2^bits, all as probable.
  int EvenBits(int bits, int number) {
    int coded = 0;
    for (int i = bits - 1; i >= 0; --i) coded = coded * 2 + EvenBit(number >> i & 1);
    return coded;
  }

 private:
  BinaryEncoder* encoder_ = nullptr;
  BinaryDecoder* decoder_ = nullptr;
};

// Codes a bit, or returns the one that was coded, with this probability of a 1.
inline int CodeBit(BitPort& port, int bit, double probability) {
  return port.Bit(bit, static_cast<uint32_t>(
                           std::min(std::max(static_cast<int>(probability * 65536.0), 1), 65535)));
}

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_BIT_PORT_H_
