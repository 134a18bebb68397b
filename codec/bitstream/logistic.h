// Probabilities and their logits in integers: what logistic mixing is made of.
// Normative: docs/format-flags.md, "Numbers".
#ifndef MMP_CODEC_BITSTREAM_LOGISTIC_H_
#define MMP_CODEC_BITSTREAM_LOGISTIC_H_

#include <algorithm>
#include <array>
#include <cstdint>

namespace mmp {

// Probabilities are in 1/2^16.
inline constexpr int kProbabilityBits = 16;
inline constexpr int kProbabilityUnit = 1 << kProbabilityBits;

// Logits, ln(p / (1 - p)), are in 1/256 here, in [-kMostLogit, kMostLogit].
inline constexpr int kLogitBits = 8;
inline constexpr int kMostLogit = (8 << kLogitBits) - 1;

namespace internal {

inline constexpr int kCurveStepBits = kLogitBits - 2;
// 2^16 / (1 + exp(-k / 4)), rounded, for k = -32 ... 32.
inline constexpr std::array<uint16_t, 65> kLogisticCurve = {
    22,    28,    36,    47,    60,    77,    98,    126,   162,   208,   267,   342,   439,
    562,   720,   922,   1179,  1506,  1921,  2446,  3108,  3938,  4971,  6249,  7812,  9702,
    11955, 14595, 17625, 21025, 24743, 28693, 32768, 36843, 40793, 44511, 47911, 50941, 53581,
    55834, 57724, 59287, 60565, 61598, 62428, 63090, 63615, 64030, 64357, 64614, 64816, 64974,
    65097, 65194, 65269, 65328, 65374, 65410, 65438, 65459, 65476, 65489, 65500, 65508, 65514};

}  // namespace internal

constexpr int LimitLogit(int logit) { return std::clamp(logit, -kMostLogit, kMostLogit); }

// The probability of a logit in [-kMostLogit, kMostLogit]; within 1/100 of it, itself and what it
// leaves to 1.
constexpr int Squash(int logit) {
  const int position = logit + kMostLogit + 1;
  const int step = position >> internal::kCurveStepBits;
  const int rest = position & ((1 << internal::kCurveStepBits) - 1);
  const int low = internal::kLogisticCurve[step], high = internal::kLogisticCurve[step + 1];
  return low + ((high - low) * rest >> internal::kCurveStepBits);
}

// Logits that are inputs of a network are coarser, in 1/16, in [-kMostStretch, kMostStretch].
inline constexpr int kStretchBits = 4;
inline constexpr int kMostStretch = 120;

namespace internal {

inline constexpr int kStretchTableBits = 9;

constexpr std::array<int8_t, 1 << kStretchTableBits> MakeStretchTable() {
  constexpr int kUnit = 1 << (kLogitBits - kStretchBits);
  constexpr int kWidth = kProbabilityUnit >> kStretchTableBits;
  std::array<int8_t, 1 << kStretchTableBits> table{};
  int stretch = -kMostStretch;
  for (int i = 0; i < 1 << kStretchTableBits; ++i) {
    while (stretch < kMostStretch &&
           Squash((stretch + 1) * kUnit - kUnit / 2) <= i * kWidth + kWidth / 2)
      ++stretch;
    table[i] = static_cast<int8_t>(stretch);
  }
  return table;
}

inline constexpr std::array<int8_t, 1 << kStretchTableBits> kStretchTable = MakeStretchTable();

}  // namespace internal

// The logit of a probability in [0, kProbabilityUnit), in 1/16.
constexpr int Stretch(int probability) {
  return internal::kStretchTable[probability >> (kProbabilityBits - internal::kStretchTableBits)];
}

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_LOGISTIC_H_
