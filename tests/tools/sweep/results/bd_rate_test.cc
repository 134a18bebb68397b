#include "tools/sweep/results/bd_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace mmp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const std::map<std::string, RdCurve>& Curves() {
  static const std::map<std::string, RdCurve> curves = {
      {"webp",
       {{0.07513, 28.0768},
        {0.13293, 31.0448},
        {0.25909, 34.107},
        {0.53809, 37.2614},
        {1.11206, 40.5752}}},
      {"x265", {{0.10483, 31.8934}, {0.21249, 34.9219}, {0.43661, 37.8273}, {1.01923, 41.4191}}},
      {"avif",
       {{0.02243, 26.3773},
        {0.0654, 30.434},
        {0.18723, 34.8557},
        {0.53857, 38.8962},
        {1.20889, 42.6993},
        {2.6882, 50.5558}}},
      {"bent", {{0.1, 30}, {0.2, 30.2}, {0.4, 36}, {0.8, 36.1}, {1.6, 44}}},
      {"two", {{0.2, 32}, {1, 40}}},
      {"dominated",
       {{0.4, 36},
        {0.1, 30},
        {0.3, 29},
        {0.3, 34.5},
        {0.9, 35.9},
        {1.6, 44},
        {3, kInfinity},
        {kNone, 40},
        {0, 50}}},
      {"apart", {{0.1, 60}, {0.2, 70}}},
      {"one", {{0.3, 35}}},
      {"none", {}},
  };
  return curves;
}

void ExpectValue(const std::optional<double>& value, double expected) {
  ASSERT_EQ(value.has_value(), !std::isnan(expected));
  if (!value) return;
  EXPECT_NEAR(*value, expected, 1e-9 * std::abs(expected) + 1e-12);
}

// Computed by a Python program with SciPy 1.10's PchipInterpolator: log of the rate over PSNR (and
// PSNR over it), integrated over what both curves have, after dropping points that are not finite
// or no better than a cheaper one.
TEST(BdRateTest, AsComputedBySciPy) {
  const struct {
    const char* anchor;
    const char* test;
    double rate, psnr;
  } kExpected[] = {
      {"webp", "x265", -30.173447118282514, 1.5821190551243909},
      {"webp", "avif", -39.18277262248976, 1.997000225618333},
      {"webp", "bent", 49.85793935714105, -1.5658332484406996},
      {"webp", "two", 11.576585499706615, -0.48360257122596023},
      {"webp", "dominated", -2.891215845436823, 0.17648046978031956},
      {"webp", "apart", kNone, 33.67806247924454},
      {"x265", "webp", 43.21199582828432, -1.5821190551243909},
      {"x265", "avif", -7.775085866792875, 0.3243703090911193},
      {"x265", "bent", 103.20045251531505, -3.1505585050903737},
      {"x265", "two", 60.492281624500286, -1.9598275409985435},
      {"x265", "dominated", 35.17016869045335, -1.4466626836336862},
      {"avif", "x265", 8.430569916891173, -0.3243703090911193},
      {"avif", "bent", 109.93009568963413, -3.330293705059183},
      {"avif", "two", 74.95005773208368, -2.218236623801241},
      {"avif", "dominated", 41.87993470606264, -1.575940845267226},
      {"bent", "two", -22.911573314403487, 1.1516588415994775},
      {"bent", "dominated", -32.41562900260786, 1.7543528597919569},
      {"bent", "apart", kNone, 34.93222222222223},
      {"two", "dominated", -12.446947855973434, 0.6974835831792986},
      {"two", "apart", kNone, kNone},
      {"dominated", "two", 14.21646367678644, -0.6974835831792986},
      {"one", "webp", kNone, kNone},
      {"webp", "one", kNone, kNone},
      {"none", "webp", kNone, kNone},
  };
  for (const auto& expected : kExpected) {
    SCOPED_TRACE(std::string(expected.anchor) + " " + expected.test);
    ExpectValue(BdRate(Curves().at(expected.anchor), Curves().at(expected.test)), expected.rate);
    ExpectValue(BdPsnr(Curves().at(expected.anchor), Curves().at(expected.test)), expected.psnr);
  }
}

TEST(BdRateTest, TheSameCurve) {
  for (const char* name : {"webp", "bent", "two", "dominated"}) {
    EXPECT_NEAR(*BdRate(Curves().at(name), Curves().at(name)), 0, 1e-12);
    EXPECT_NEAR(*BdPsnr(Curves().at(name), Curves().at(name)), 0, 1e-12);
  }
}

TEST(BdRateTest, ScaledAndShiftedCurves) {
  RdCurve cheaper = Curves().at("avif");
  for (CurvePoint& point : cheaper) point.rate *= 0.8;
  EXPECT_NEAR(*BdRate(Curves().at("avif"), cheaper), -20, 1e-9);
  RdCurve better = Curves().at("avif");
  for (CurvePoint& point : better) point.psnr += 0.7;
  EXPECT_NEAR(*BdPsnr(Curves().at("avif"), better), 0.7, 1e-9);
}

// One dB at five dB an octave is 2^(-1/5) of the rate, whatever the points.
TEST(BdRateTest, StraightLines) {
  RdCurve line;
  RdCurve higher;
  for (const double rate : {0.1, 0.2, 0.35, 0.6, 1.0, 1.6})
    line.push_back({rate, 30 + 5 * std::log2(rate)});
  for (const double rate : {0.07, 0.3, 0.31, 2.2})
    higher.push_back({rate, 31 + 5 * std::log2(rate)});
  EXPECT_NEAR(*BdRate(line, higher), 100 * (std::exp2(-0.2) - 1), 1e-9);
  EXPECT_NEAR(*BdPsnr(line, higher), 1, 1e-9);
}

}  // namespace
}  // namespace mmp
