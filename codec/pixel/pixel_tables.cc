#include "codec/pixel/pixel_tables.h"

#include <cstddef>

namespace mmp {
namespace {

// log2(1 + (i + 1/2) / 1024) to 24 bits, by repeated squaring of a 32-bit fraction.
double MakeLog2(uint64_t i) {
  uint64_t x = (2048 + 2 * i + 1) << 20;  // [1, 2) with 31 bits behind the point
  uint32_t log = 0;
  for (int bit = 0; bit < 24; ++bit) {
    x = x * x >> 31;
    log <<= 1;
    if (x >= uint64_t{1} << 32) {
      x >>= 1;
      log |= 1;
    }
  }
  return static_cast<double>(log) / 16777216.0;
}

// Student's t distribution, cut off and scaled to a mean deviation of 1: midpoint sums, 16 a step.
// `power`: (degrees of freedom + 1) / 2; `mean`: its mean deviation before scaling.
void MakeDistribution(double degrees, int power, double mean, double* cdf, double* growth) {
  double total = 0.0;
  for (int i = 0; i < kCdfSteps; ++i) {
    double sum = 0.0;
    for (int j = 0; j < 16; ++j) {
      const int step = (i - kCdfSteps / 2) * 16 + j;
      const double t = (static_cast<double>(step) + 0.5) / (16.0 * kCdfStepsPerUnit);
      const double base = 1.0 / (1.0 + t * t * (mean * mean / degrees));
      double density = base;
      for (int k = 1; k < power; ++k) density = density * base;
      sum = sum + density;
    }
    cdf[i] = total;
    growth[i] = sum;
    total = total + sum;
  }
  for (int i = 0; i < kCdfSteps; ++i) {
    cdf[i] = cdf[i] / total;
    growth[i] = growth[i] / total;
  }
}

PixelTables MakeTables() {
  PixelTables tables;
  for (uint64_t i = 0; i < 1024; ++i) tables.log2_mantissa[i] = MakeLog2(i);
  double power = 1.0;
  for (double& entry : tables.power_of_half) {
    entry = power;
    power = power * 0.9993233275026507;  // 2^(-1/1024)
  }
  double level = 0.03507693900966791;  // 2^(1/6) / 32
  for (double& entry : tables.level) {
    entry = level;
    level = level * 1.2599210498948732;  // 2^(1/3)
  }
  MakeDistribution(3.0, 2, 1.1026577908435842, tables.cdf[0], tables.cdf_growth[0]);
  MakeDistribution(7.0, 4, 0.8983133852752907, tables.cdf[1], tables.cdf_growth[1]);
  return tables;
}

}  // namespace

const PixelTables& GetPixelTables() {
  static const PixelTables tables = MakeTables();
  return tables;
}

}  // namespace mmp
