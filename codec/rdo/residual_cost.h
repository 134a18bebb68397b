// What a residual is likely to cost, before anything is searched: an estimate in bits.
#ifndef MMP_CODEC_RDO_RESIDUAL_COST_H_
#define MMP_CODEC_RDO_RESIDUAL_COST_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codec/base/fixed_log2.h"
#include "codec/base/lambda.h"
#include "codec/rdo/satd.h"

namespace mmp {

// At a lambda, by a model of transform coding: a coefficient of variance v costs D + lambda R least
// with log2(v / D) / 2 bits at D = lambda / (2 ln 2), and one of much less is left as it is, which
// costs v / lambda bits. log2(1 + v / D) / 2 does both.
class ResidualCost {
 public:
  // `most_bits`: of 4x4 values.
  ResidualCost(Lambda lambda, int most_bits)
      : distortion_(static_cast<uint32_t>(
            std::max(kLeastDistortion, int64_t{lambda.q8} * kSquaredScale * 10000 / 13863 >> 8))),
        most_q12_(most_bits << kRateShift) {}

  // Of 4x4 values whose rows are `stride` apart, each within +-255; in 1/4096 bit.
  int32_t Of4x4(const int16_t* residual, int stride) const {
    int coefficients[4][4];
    Hadamard4x4(residual, stride, coefficients);
    int32_t logs = -8 * LogOfSums(0, 0);
    for (const auto& row : coefficients)
      for (int j = 0; j < 4; j += 2) logs += LogOfSums(row[j], row[j + 1]);
    return std::min(logs / 2, most_q12_);
  }

 private:
  static constexpr int kSquaredScale = 16;  // of the transform, which is not normalised
  static constexpr int64_t kLeastDistortion = kSquaredScale / 2;

  // log2((a a + D) (b b + D)); the factors have 25 bits each, 32 of the product are enough.
  int32_t LogOfSums(int a, int b) const {
    const uint64_t product =
        (static_cast<uint64_t>(a * a) + distortion_) * (static_cast<uint64_t>(b * b) + distortion_);
    const int shift = std::max(0, static_cast<int>(std::bit_width(product)) - 32);
    return Log2Q12(static_cast<uint32_t>(product >> shift)) + (shift << kRateShift);
  }

  uint32_t distortion_;  // of coefficients
  int32_t most_q12_;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_RESIDUAL_COST_H_
