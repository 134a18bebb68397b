// Functions that the pixel coder takes from tables, since a library's would differ from machine to
// machine. How the tables are made is normative: docs/format-pixel.md, "Tables".
#ifndef MMP_CODEC_PIXEL_PIXEL_TABLES_H_
#define MMP_CODEC_PIXEL_PIXEL_TABLES_H_

#include <bit>
#include <cstdint>

namespace mmp {

// Shapes of distributions: Student's t with 3 and with 7 degrees of freedom.
inline constexpr int kPixelShapes = 2;
// The distribution functions are tabulated from -16 to 16 mean deviations.
inline constexpr int kCdfStepsPerUnit = 32;
inline constexpr int kCdfSteps = 32 * kCdfStepsPerUnit;

struct PixelTables {
  double log2_mantissa[1024];                  // log2(1 + (i + 1/2) / 1024)
  double power_of_half[1024];                  // 2^(-i / 1024)
  double level[64];                            // 2^((i + 1/2) / 3 - 5)
  double cdf[kPixelShapes][kCdfSteps];         // at the step's beginning
  double cdf_growth[kPixelShapes][kCdfSteps];  // over the step
};

const PixelTables& GetPixelTables();

// About log2(x); x a positive, normal number.
inline double TableLog2(const PixelTables& tables, double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  return static_cast<double>(static_cast<int>(bits >> 52) - 1023) +
         tables.log2_mantissa[bits >> 42 & 1023];
}

// About 1 / (1 + 2^-x), x in [-31, 31].
inline double TableLogistic(const PixelTables& tables, double x) {
  const int steps = static_cast<int>((x + 32.0) * 1024.0);
  const uint64_t exponent = static_cast<uint64_t>(1023 + 32 - (steps >> 10));
  return 1.0 / (1.0 + tables.power_of_half[steps & 1023] * std::bit_cast<double>(exponent << 52));
}

// The level, of 64, that a mean deviation belongs to: three for each factor of two, from 1/32 on.
inline int DeviationLevel(const PixelTables& tables, double deviation) {
  const double level = (TableLog2(tables, deviation + 0.03125) + 5.0) * 3.0;
  return level >= 63.0 ? 63 : static_cast<int>(level);
}

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_PIXEL_TABLES_H_
