#include "codec/rdo/symbol_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "mmp/mmp.h"
#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(LambdaTest, CostsAreRounded) {
  // lambda 1: a bit costs as much as a squared error, 1/4096 bit 1/128 unit.
  EXPECT_EQ(Lambda{256}.Cost(4096), kDistortionScale);
  EXPECT_EQ(Lambda{256}.Cost(63), 0);
  EXPECT_EQ(Lambda{256}.Cost(64), 1);
  EXPECT_EQ(Lambda{2560}.Cost(4096), 10 * kDistortionScale);
  EXPECT_EQ(Lambda{1}.Cost(4096 * 16), 2);
  EXPECT_EQ(Lambda{0}.Cost(12345), 12345);
  // The largest lambda and rate stay far from overflow.
  const int32_t largest = Lambda{static_cast<int32_t>(kMaxLambda * 256)}.Cost(20 << kRateShift);
  EXPECT_EQ(largest, 20 * kDistortionScale * 65536);
  EXPECT_LT(largest, kImpossible / 8);
}

class SymbolCostsTest : public testing::TestWithParam<double> {
 protected:
  SymbolCostsTest()
      : random_(7),
        tile_(RandomTileState(random_, CodecParameters{.dictionary_size = 90, .modes = kAllModes},
                              16, 16)),
        lambda_{static_cast<int32_t>(GetParam() * 256)} {
    symbol_costs_.Update(tile_, lambda_);
  }

  Random random_;
  TileState tile_;
  const Lambda lambda_;
  SymbolCosts symbol_costs_;
};

TEST_P(SymbolCostsTest, IndicesAndBias) {
  for (int level = 0; level < kLevelCount; ++level) {
    SCOPED_TRACE(level);
    const int size = tile_.dictionary.size(level);
    const std::span<const int32_t> norms = tile_.dictionary.Norms(level);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(symbol_costs_.Bias(level)) % 64, 0u);
    int32_t cheapest = kImpossible;
    for (int i = 0; i < static_cast<int>(norms.size()); ++i) {
      if (i < size) {
        ASSERT_EQ(symbol_costs_.Index(level)[i],
                  lambda_.Cost(tile_.models.index[level].RateQ12(i)));
        ASSERT_EQ(symbol_costs_.Bias(level)[i], norms[i] + symbol_costs_.Index(level)[i]);
        if (i > 0) cheapest = std::min(cheapest, symbol_costs_.Index(level)[i]);
      } else {
        ASSERT_EQ(symbol_costs_.Index(level)[i], kImpossible);
        ASSERT_EQ(symbol_costs_.Bias(level)[i], kNoMatch);
      }
    }
    EXPECT_EQ(symbol_costs_.CheapestOtherIndex(level), cheapest);
  }
}

TEST_P(SymbolCostsTest, Flags) {
  for (int level = 0; level < kLevelCount; ++level) {
    SCOPED_TRACE(level);
    const uint32_t prediction = AllowedPartitions(level, tile_.parameters.prediction_level);
    for (int flag = 0; flag < kPartitions; ++flag) {
      const bool allowed = (prediction >> flag & 1) != 0;
      const int32_t rate =
          allowed ? tile_.models.partition[level].without_context().RateQ12(flag, prediction) : 0;
      EXPECT_EQ(symbol_costs_.PartitionCosts(level)[flag],
                allowed ? lambda_.Cost(rate) : kImpossible);
    }
    const uint32_t residual = AllowedResidualFlags(level);
    for (int flag = 0; flag < kResidualFlags; ++flag) {
      const bool allowed = (residual >> flag & 1) != 0;
      const int32_t rate = allowed ? tile_.models.residual_flag[level].RateQ12(flag, residual) : 0;
      EXPECT_EQ(symbol_costs_.ResidualFlagCosts(level)[flag],
                allowed ? lambda_.Cost(rate) : kImpossible);
    }
  }
}

TEST_P(SymbolCostsTest, Modes) {
  for (int level = 0; level < kLevelCount; ++level) {
    for (const uint32_t modes : {0x004u, 0x005u, 0x206u, kAllModes}) {
      const auto symbol_costs = symbol_costs_.ModeRatesQ12(level, modes);
      for (int mode = 0; mode < kPredictionModes; ++mode) {
        if ((modes >> mode & 1) == 0) continue;
        EXPECT_EQ(symbol_costs[mode],
                  modes == 0x004 ? 0 : tile_.models.mode[level].counts().RateQ12(mode, modes));
      }
    }
  }
}

// A single pixel: every value tried.
TEST_P(SymbolCostsTest, Pixels) {
  for (int residual = -255; residual <= 255; ++residual) {
    int64_t least = INT64_MAX;
    int index = -1;
    for (int i = 0; i < kPixelPatterns; ++i) {
      const int64_t error = residual - PixelPatternValue(i);
      if (lambda_.lossless() && error != 0) continue;
      const int64_t cost = kDistortionScale * error * error + symbol_costs_.Index(0)[i];
      if (cost >= least) continue;
      least = cost;
      index = i;
    }
    ASSERT_EQ(symbol_costs_.Pixel(residual), least) << residual;
    ASSERT_EQ(symbol_costs_.PixelIndex(residual), index) << residual;
  }
}

INSTANTIATE_TEST_SUITE_P(Lambdas, SymbolCostsTest, testing::Values(0, 0.004, 1, 10, 300, 65536));

}  // namespace
}  // namespace mmp
