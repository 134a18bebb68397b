// The Lagrangian multiplier, and the unit of costs J = D + lambda R.
#ifndef MMP_CODEC_BASE_LAMBDA_H_
#define MMP_CODEC_BASE_LAMBDA_H_

#include <cstdint>

#include "codec/base/fixed_log2.h"
#include "common/host_device.h"

namespace mmp {

inline constexpr int kDistortionShift = 5;
inline constexpr int kDistortionScale = 1
                                        << kDistortionShift;  // units of J in a squared error of 1

// The Lagrangian multiplier, squared error per bit in 1/256; 0 is lossless.
struct Lambda {
  // The shift that makes a cost of the product of q8 and a rate in 1/4096 bit.
  static constexpr int kCostShift = 8 + kRateShift - kDistortionShift;

  int32_t q8 = 0;

  MMP_HOST_DEVICE bool lossless() const { return q8 == 0; }
  // Cost of a rate in 1/4096 bit.
  MMP_HOST_DEVICE int32_t Cost(int32_t rate_q12) const {
    if (lossless()) return rate_q12;
    return static_cast<int32_t>((static_cast<int64_t>(q8) * rate_q12 + (1 << (kCostShift - 1))) >>
                                kCostShift);
  }
};

inline constexpr int32_t kImpossible = 1 << 29;  // above any cost that can win

}  // namespace mmp

#endif  // MMP_CODEC_BASE_LAMBDA_H_
