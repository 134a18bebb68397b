#include "tools/encode/rate_target.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>

#include "mmp/mmp.h"

namespace mmp {
namespace {

using Kind = RateTarget::Kind;
using Codec = std::function<RateTrial(double lambda)>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A codec whose PSNR and rate fall smoothly with lambda.
RateTrial Smooth(double lambda) {
  if (lambda == 0) return {lambda, 13, kInfinity};
  const double exponent = std::log2(lambda);
  return {lambda, 3 * std::exp2(-exponent / 4 - exponent * exponent / 50),
          47 - 2.3 * exponent - 0.02 * exponent * exponent};
}

// In [-1, 1], another at each lambda.
double Chance(double lambda, uint64_t seed) {
  uint64_t x = static_cast<uint64_t>(lambda * 256) + (seed << 40);
  for (int i = 0; i < 3; ++i) {
    x ^= x >> 31;
    x *= 0x9E3779B97F4A7C15u;
  }
  return static_cast<double>(x >> 11) / (uint64_t{1} << 52) - 1;
}

// As real ones: neighbouring lambdas come to rates and PSNRs that differ by chance.
Codec Noisy(double rate_noise, double psnr_noise, uint64_t seed) {
  return [=](double lambda) {
    RateTrial trial = Smooth(lambda);
    if (lambda == 0) return trial;
    trial.bits_per_pixel *= 1 + rate_noise * Chance(lambda, 2 * seed);
    trial.psnr += psnr_noise * Chance(lambda, 2 * seed + 1);
    return trial;
  };
}

RateSearch Find(const RateTarget& target, const Codec& codec, const RateSearchStart& start = {}) {
  std::set<double> tried;
  const auto evaluate = [&](const std::vector<double>& lambdas) -> Result<std::vector<RateTrial>> {
    EXPECT_GE(lambdas.size(), 1u);
    EXPECT_LE(lambdas.size(), static_cast<size_t>(kRateTrialsAtOnce));
    std::vector<RateTrial> trials;
    for (const double lambda : lambdas) {
      EXPECT_GE(lambda, 0);
      EXPECT_LE(lambda, kMaxLambda);
      EXPECT_EQ(lambda * 256, std::round(lambda * 256));
      EXPECT_TRUE(tried.insert(lambda).second) << "tried twice: " << lambda;
      trials.push_back(codec(lambda));
    }
    return trials;
  };
  const Result<RateSearch> search = FindLambda(target, start, evaluate);
  EXPECT_TRUE(search.ok());
  EXPECT_EQ(search->trials.size(), tried.size());
  EXPECT_LE(tried.size(), static_cast<size_t>(kMaxRateTrials));
  const RateTrial& chosen = search->trials[search->chosen];
  EXPECT_EQ(search->met, Meets(target, chosen));
  EXPECT_EQ(search->met_closely, MeetsClosely(target, chosen));
  return *search;
}

double ChosenLambda(const RateSearch& search) { return search.trials[search.chosen].lambda; }

TEST(RateTarget, WhatMeetsATarget) {
  const RateTarget psnr = {Kind::kPsnr, 40};
  EXPECT_FALSE(Meets(psnr, {1, 1, 39.999}));
  EXPECT_TRUE(Meets(psnr, {1, 1, 40}));
  EXPECT_TRUE(MeetsClosely(psnr, {1, 1, 40.049}));
  EXPECT_FALSE(MeetsClosely(psnr, {1, 1, 40.051}));
  EXPECT_FALSE(MeetsClosely(psnr, {1, 1, 39.999}));
  const RateTarget rate = {Kind::kBitsPerPixel, 0.5};
  EXPECT_FALSE(Meets(rate, {1, 0.5001, 40}));
  EXPECT_TRUE(Meets(rate, {1, 0.5, 40}));
  EXPECT_TRUE(MeetsClosely(rate, {1, 0.4951, 40}));
  EXPECT_FALSE(MeetsClosely(rate, {1, 0.4949, 40}));
  EXPECT_FALSE(MeetsClosely(rate, {1, 0.5001, 40}));
}

TEST(RateTarget, FindsPsnr) {
  for (double psnr = 25; psnr <= 50; psnr += 0.7) {
    SCOPED_TRACE(psnr);
    const RateSearch search = Find({Kind::kPsnr, psnr}, Smooth);
    EXPECT_TRUE(search.met_closely);
    EXPECT_LE(search.trials.size(), 8u);
  }
}

TEST(RateTarget, FindsRate) {
  for (double rate = 0.15; rate <= 3; rate *= 1.13) {
    SCOPED_TRACE(rate);
    const RateSearch search = Find({Kind::kBitsPerPixel, rate}, Smooth);
    EXPECT_TRUE(search.met_closely);
    EXPECT_LE(search.trials.size(), 10u);
  }
}

TEST(RateTarget, AGoodGuessSavesTrials) {
  size_t with = 0, without = 0;
  for (double exponent = 1; exponent <= 11; exponent += 0.7) {
    const RateTarget target = {Kind::kBitsPerPixel, Smooth(std::exp2(exponent)).bits_per_pixel};
    const RateSearch search =
        Find(target, Smooth, {.lambda = std::exp2(exponent + 0.1), .lossless_is_likely = false});
    EXPECT_TRUE(search.met_closely);
    with += search.trials.size();
    without += Find(target, Smooth).trials.size();
  }
  EXPECT_LE(with + 10, without);
}

TEST(RateTarget, ABadGuessCostsTrialsOnly) {
  for (const double guess : {0.0, 0.5, 5.0, 20000.0, kMaxLambda})
    EXPECT_TRUE(
        Find({Kind::kPsnr, 37}, Smooth, {.lambda = guess, .lossless_is_likely = false}).met_closely)
        << guess;
}

// Chance of half the tolerance, and of four times the tolerance, both ways.
TEST(RateTarget, FindsNoisyTargets) {
  const auto count_met = [](double noise, size_t& trials) {
    int met = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const Codec codec = Noisy(noise * kRateTolerance, noise * kPsnrTolerance, seed);
      const bool is_psnr = seed % 2 == 0;
      const double part = static_cast<double>(seed) / 100;
      const RateTarget target = is_psnr ? RateTarget{Kind::kPsnr, 28 + 16 * part}
                                        : RateTarget{Kind::kBitsPerPixel, 0.2 + 1.8 * part};
      const RateSearch search =
          Find(target, codec, {.lambda = is_psnr ? 100 : 20, .lossless_is_likely = false});
      EXPECT_TRUE(search.met);
      met += search.met_closely;
      trials += search.trials.size();
    }
    return met;
  };
  size_t trials = 0;
  EXPECT_EQ(count_met(0.5, trials), 100);
  EXPECT_LE(trials, 700u);
  EXPECT_GE(count_met(4, trials), 75);
}

TEST(RateTarget, FallsBackOnLosslessForMoreThanLambdaCanGive) {
  const auto codec = [](double lambda) {
    RateTrial trial = Smooth(lambda);
    if (lambda > 0) trial.psnr = std::min(trial.psnr, 55.0);
    return trial;
  };
  const RateSearch search = Find({Kind::kPsnr, 90}, codec);
  EXPECT_TRUE(search.met);
  EXPECT_EQ(ChosenLambda(search), 0);
}

TEST(RateTarget, MeetsALowPsnrWithTheLargestLambda) {
  const RateSearch search = Find({Kind::kPsnr, 1}, Smooth);
  EXPECT_TRUE(search.met);
  EXPECT_EQ(ChosenLambda(search), kMaxLambda);
}

TEST(RateTarget, SaysWhenARateCannotBeMet) {
  const RateSearch search = Find({Kind::kBitsPerPixel, 0.0001}, Smooth);
  EXPECT_FALSE(search.met);
  EXPECT_EQ(ChosenLambda(search), kMaxLambda);
}

TEST(RateTarget, MeetsAHighRateLosslessly) {
  const RateSearch search = Find({Kind::kBitsPerPixel, 16}, Smooth);
  EXPECT_TRUE(search.met);
  EXPECT_EQ(ChosenLambda(search), 0);
}

// As of deep images by patterns alone.
TEST(RateTarget, WithoutLosslessTheLeastLambdaIsTheLast) {
  for (const double least : {kLeastLambda, kLeastLambda / 2048 * 1.03}) {
    RateSearchStart start;
    start.least_lambda = least;
    start.lossless_is_possible = false;
    int trials = 0;
    const auto evaluate = [&](const std::vector<double>& lambdas) {
      std::vector<RateTrial> results;
      for (const double lambda : lambdas) {
        EXPECT_GE(lambda, least);
        results.push_back(Smooth(lambda));
        ++trials;
      }
      return Result<std::vector<RateTrial>>(results);
    };
    const Result<RateSearch> psnr = FindLambda({Kind::kPsnr, 140}, start, evaluate);
    const Result<RateSearch> rate = FindLambda({Kind::kBitsPerPixel, 16}, start, evaluate);
    ASSERT_TRUE(psnr.ok() && rate.ok());
    EXPECT_FALSE(psnr->met);
    EXPECT_TRUE(rate->met);
    EXPECT_EQ(ChosenLambda(*psnr), least);
    EXPECT_EQ(ChosenLambda(*rate), least);
    EXPECT_LE(trials, 12);  // of both
  }
}

// Lossless is no answer to a quality that lossy files have for less.
TEST(RateTarget, LosslessIsNotChosenForItsQuality) {
  const auto codec = [](double lambda) {
    return RateTrial{lambda, Smooth(lambda).bits_per_pixel,
                     lambda == 0    ? kInfinity
                     : lambda < 100 ? 41.0
                                    : 33.0};
  };
  const RateSearch search =
      Find({Kind::kPsnr, 38}, codec, {.lambda = {}, .lossless_is_likely = true});
  EXPECT_TRUE(search.met);
  EXPECT_NE(ChosenLambda(search), 0);
}

// On text a lossless file may be smaller than any other.
TEST(RateTarget, TakesALosslessFileThatIsSmallest) {
  const auto codec = [](double lambda) {
    return lambda == 0 ? RateTrial{0, 0.27, kInfinity} : RateTrial{lambda, 0.3, 37};
  };
  for (const RateTarget target :
       {RateTarget{Kind::kPsnr, 38}, RateTarget{Kind::kBitsPerPixel, 0.27}}) {
    const RateSearch search = Find(target, codec, {.lambda = {}, .lossless_is_likely = true});
    EXPECT_TRUE(search.met);
    EXPECT_EQ(ChosenLambda(search), 0);
    EXPECT_EQ(search.trials.size(), 2u);
  }
}

// A step where the target lies: the cheapest of what meets it is just before the step.
TEST(RateTarget, TakesTheBetterSideOfAStep) {
  const auto codec = [](double lambda) {
    return RateTrial{lambda, Smooth(lambda).bits_per_pixel, lambda < 100 ? 41.0 : 33.0};
  };
  const RateSearch search = Find({Kind::kPsnr, 38}, codec);
  EXPECT_TRUE(search.met);
  EXPECT_FALSE(search.met_closely);
  EXPECT_NEAR(ChosenLambda(search), 100, 2);
}

TEST(RateTarget, FindsATargetOnAStaircase) {
  const auto codec = [](double lambda) {
    return Smooth(std::exp2(std::floor(3 * std::log2(lambda + 1e-9)) / 3));
  };
  const RateTarget target = {Kind::kPsnr, codec(50).psnr - 0.02};
  EXPECT_TRUE(Find(target, codec).met_closely);
}

// Rate that rises with lambda in places, as it does on text.
TEST(RateTarget, ToleratesARateThatRisesWithLambda) {
  const auto codec = [](double lambda) {
    RateTrial trial = Smooth(lambda);
    trial.bits_per_pixel *= 1 + 0.2 * std::sin(9 * std::log2(lambda + 1));
    return trial;
  };
  for (double rate = 0.3; rate <= 2.5; rate *= 1.31) {
    SCOPED_TRACE(rate);
    EXPECT_TRUE(Find({Kind::kBitsPerPixel, rate}, codec).met_closely);
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
      FindLambda({Kind::kPsnr, 40}, {},
                 [&calls](const std::vector<double>& lambdas) -> Result<std::vector<RateTrial>> {
                   if (++calls == 3) return Status(StatusCode::kCancelled, "stop");
                   std::vector<RateTrial> trials;
                   for (const double lambda : lambdas) trials.push_back({lambda, 1, 30});
                   return trials;
                 });
  ASSERT_FALSE(search.ok());
  EXPECT_EQ(search.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace mmp
