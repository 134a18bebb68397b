// How often a binary decision has been a 1 in a context, as two estimates: of long and of short
// memory. Normative: docs/format-flags.md, "Estimates".
#ifndef MMP_CODEC_BITSTREAM_ADAPTIVE_BIT_H_
#define MMP_CODEC_BITSTREAM_ADAPTIVE_BIT_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/bitstream/logistic.h"

namespace mmp {

class AdaptiveBit {
 public:
  // Probabilities of a 1, within [kLeast, kProbabilityUnit - kLeast].
  int slow() const { return slow_; }
  int fast() const { return fast_; }

  void Update(int bit) {
    slow_ = Towards(bit, slow_, count_);
    fast_ = Towards(bit, fast_, std::min<int>(count_, kFastCount));
    if (count_ < kSlowCount) ++count_;
  }

 private:
  static constexpr int kLeast = 262;
  // The bits that an estimate remembers grow from one to these, about.
  static constexpr int kSlowCount = 118;
  static constexpr int kFastCount = 18;

  static constexpr int kRateBits = 12;
  // 1 / (count + 1.6)
  static constexpr std::array<uint16_t, kSlowCount + 1> MakeRates() {
    std::array<uint16_t, kSlowCount + 1> rates{};
    for (int count = 0; count <= kSlowCount; ++count)
      rates[count] = static_cast<uint16_t>((10 << kRateBits) / (10 * count + 16));
    return rates;
  }

  static uint16_t Towards(int bit, int probability, int count) {
    static constexpr std::array<uint16_t, kSlowCount + 1> kRates = MakeRates();
    const int target = bit << kProbabilityBits;
    const int moved = probability + ((target - probability) * kRates[count] >> kRateBits);
    return static_cast<uint16_t>(std::clamp(moved, kLeast, kProbabilityUnit - kLeast));
  }

  uint16_t slow_ = kProbabilityUnit / 2;
  uint16_t fast_ = kProbabilityUnit / 2;
  uint8_t count_ = 0;  // of the bits so far, up to kSlowCount
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_ADAPTIVE_BIT_H_
