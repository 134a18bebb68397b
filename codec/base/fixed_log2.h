// Base-2 logarithms in fixed point, the same on every machine: what rates are computed from.
#ifndef MMP_CODEC_BASE_FIXED_LOG2_H_
#define MMP_CODEC_BASE_FIXED_LOG2_H_

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

namespace mmp {

inline constexpr int kRateShift = 12;  // rates are in 1/4096 bit ("q12")

namespace internal {

inline constexpr int kLogTableBits = 11;

// log2(1 + i / 2^11) in q12, by repeated squaring of a 32-bit fraction; 32 bits an entry, as
// SIMD gathers load it.
constexpr std::array<int32_t, 1 << kLogTableBits> MakeLogTable() {
  std::array<int32_t, 1 << kLogTableBits> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint64_t x = ((uint64_t{1} << kLogTableBits) + i) << (31 - kLogTableBits);  // [1, 2) in q31
    uint32_t log = 0;
    for (int bit = 0; bit < kRateShift; ++bit) {
      x = x * x >> 31;
      log <<= 1;
      if (x >= uint64_t{1} << 32) {
        x >>= 1;
        log |= 1;
      }
    }
    table[i] = static_cast<int32_t>(log);
  }
  return table;
}

inline constexpr std::array<int32_t, 1 << kLogTableBits> kLogTable = MakeLogTable();

}  // namespace internal

// log2(value) in 1/4096 bit, at most 1/700 bit too small; value > 0.
constexpr int32_t Log2Q12(uint32_t value) {
  assert(value > 0);
  const int exponent = std::bit_width(value) - 1;
  const uint32_t mantissa = exponent >= internal::kLogTableBits
                                ? value >> (exponent - internal::kLogTableBits)
                                : value << (internal::kLogTableBits - exponent);
  return (exponent << kRateShift) +
         internal::kLogTable[mantissa & ((1u << internal::kLogTableBits) - 1)];
}

}  // namespace mmp

#endif  // MMP_CODEC_BASE_FIXED_LOG2_H_
