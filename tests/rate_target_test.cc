#include "tools/rate_target.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "codec/mmp.h"

namespace mmp {
namespace {

using Kind = RateTarget::Kind;

// A codec whose PSNR and rate fall smoothly with lambda.
RateTrial Smooth(double lambda) {
  if (lambda == 0) return {lambda, 13, std::numeric_limits<double>::infinity()};
  const double exponent = std::log2(lambda);
  return {lambda, 3 * std::exp2(-exponent / 4), 47 - 2.3 * exponent - 0.02 * exponent * exponent};
}

RateSearch Find(const RateTarget& target, const std::function<RateTrial(double)>& codec) {
  const Result<RateSearch> search =
      FindLambda(target, [&codec](double lambda) -> Result<RateTrial> { return codec(lambda); });
  EXPECT_TRUE(search.ok());
  std::set<double> lambdas;
  for (const RateTrial& trial : search->trials) {
    EXPECT_GE(trial.lambda, 0);
    EXPECT_LE(trial.lambda, kMaxLambda);
    EXPECT_EQ(trial.lambda * 256, std::round(trial.lambda * 256));
    EXPECT_TRUE(lambdas.insert(trial.lambda).second) << "tried twice: " << trial.lambda;
  }
  EXPECT_LE(search->trials.size(), static_cast<size_t>(kMaxRateTrials));
  return *search;
}

TEST(RateTarget, FindsPsnrFromAbove) {
  for (double psnr = 25; psnr <= 50; psnr += 0.7) {
    SCOPED_TRACE(psnr);
    const RateSearch search = Find({Kind::kPsnr, psnr}, Smooth);
    EXPECT_TRUE(search.met);
    EXPECT_GE(search.trials[search.chosen].psnr, psnr);
    EXPECT_LE(search.trials[search.chosen].psnr, psnr + kPsnrTolerance);
    EXPECT_LE(search.trials.size(), 8u);
  }
}

TEST(RateTarget, FindsRateFromBelow) {
  for (double rate = 0.3; rate <= 5.5; rate *= 1.13) {
    SCOPED_TRACE(rate);
    const RateSearch search = Find({Kind::kBitsPerPixel, rate}, Smooth);
    EXPECT_TRUE(search.met);
    EXPECT_LE(search.trials[search.chosen].bits_per_pixel, rate);
    EXPECT_GE(search.trials[search.chosen].bits_per_pixel, rate * (1 - kRateTolerance));
    EXPECT_LE(search.trials.size(), 9u);
  }
}

TEST(RateTarget, FallsBackOnLosslessForMoreThanLambdaCanGive) {
  const auto codec = [](double lambda) {
    RateTrial trial = Smooth(lambda);
    if (lambda > 0) trial.psnr = std::min(trial.psnr, 55.0);
    return trial;
  };
  const RateSearch search = Find({Kind::kPsnr, 90}, codec);
  EXPECT_TRUE(search.met);
  EXPECT_EQ(search.trials[search.chosen].lambda, 0);
}

TEST(RateTarget, MeetsALowPsnrWithTheLargestLambda) {
  const RateSearch search = Find({Kind::kPsnr, 1}, Smooth);
  EXPECT_TRUE(search.met);
  EXPECT_EQ(search.trials[search.chosen].lambda, kMaxLambda);
}

TEST(RateTarget, SaysWhenARateCannotBeMet) {
  const RateSearch search = Find({Kind::kBitsPerPixel, 0.01}, Smooth);
  EXPECT_FALSE(search.met);
  EXPECT_EQ(search.trials[search.chosen].lambda, kMaxLambda);
}

TEST(RateTarget, MeetsAHighRateLosslessly) {
  const RateSearch search = Find({Kind::kBitsPerPixel, 16}, Smooth);
  EXPECT_TRUE(search.met);
  EXPECT_EQ(search.trials[search.chosen].lambda, 0);
}

// A step where the target lies: the cheapest of what meets it is just before the step.
TEST(RateTarget, TakesTheBetterSideOfAStep) {
  const auto codec = [](double lambda) {
    return RateTrial{lambda, Smooth(lambda).bits_per_pixel, lambda < 100 ? 41.0 : 33.0};
  };
  const RateSearch search = Find({Kind::kPsnr, 38}, codec);
  EXPECT_TRUE(search.met);
  EXPECT_NEAR(search.trials[search.chosen].lambda, 100, 2);
}

// Rate that rises with lambda in places, as it does on text.
TEST(RateTarget, ToleratesARateThatRisesWithLambda) {
  const auto codec = [](double lambda) {
    RateTrial trial = Smooth(lambda);
    trial.bits_per_pixel *= 1 + 0.2 * std::sin(9 * std::log2(lambda + 1));
    return trial;
  };
  for (double rate = 0.3; rate <= 5; rate *= 1.31) {
    SCOPED_TRACE(rate);
    EXPECT_TRUE(Find({Kind::kBitsPerPixel, rate}, codec).met);
  }
}

TEST(RateTarget, ConstantQualityEndsTheSearch) {
  const auto codec = [](double lambda) { return RateTrial{lambda, 1, 30}; };
  EXPECT_FALSE(Find({Kind::kPsnr, 40}, codec).met);
  EXPECT_TRUE(Find({Kind::kPsnr, 20}, codec).met);
}

TEST(RateTarget, PassesErrorsOn) {
  int calls = 0;
  const Result<RateSearch> search =
      FindLambda({Kind::kPsnr, 40}, [&calls](double lambda) -> Result<RateTrial> {
        if (++calls == 3) return Status(StatusCode::kCancelled, "stop");
        return RateTrial{lambda, 1, 30};
      });
  ASSERT_FALSE(search.ok());
  EXPECT_EQ(search.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace mmp
