#include "codec/bitstream/logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "codec/bitstream/adaptive_bit.h"

namespace mmp {
namespace {

double Logistic(double logit) { return 1 / (1 + std::exp(-logit)); }

TEST(LogisticTest, SquashIsTheLogisticFunction) {
  int before = 0;
  for (int logit = -kMostLogit; logit <= kMostLogit; ++logit) {
    const int p = Squash(logit);
    const double exact = kProbabilityUnit * Logistic(logit / double{1 << kLogitBits});
    const double smaller = std::min(exact, kProbabilityUnit - exact);
    ASSERT_NEAR(p, exact, 1.5 + smaller / 100) << "logit " << logit;
    ASSERT_GE(p, before) << "logit " << logit;
    before = p;
  }
}

TEST(LogisticTest, StretchTurnsSquashRound) {
  for (int stretch = -5 << kStretchBits; stretch <= 5 << kStretchBits; ++stretch) {
    const int p = Squash(stretch * (1 << (kLogitBits - kStretchBits)));
    // Far out, a step of the table is more than one of the logit.
    const int tolerance = std::abs(stretch) <= 3 << kStretchBits ? 1 : 6;
    EXPECT_NEAR(Stretch(p), stretch, tolerance);
  }
  EXPECT_EQ(Stretch(kProbabilityUnit / 2), 0);
  EXPECT_GE(Stretch(0), -kMostStretch);
  EXPECT_LE(Stretch(kProbabilityUnit - 1), kMostStretch);
}

TEST(AdaptiveBitTest, FollowsWhatItIsTold) {
  AdaptiveBit estimates;
  EXPECT_EQ(estimates.slow(), kProbabilityUnit / 2);
  EXPECT_EQ(estimates.fast(), kProbabilityUnit / 2);
  // One in four is a 1.
  for (int i = 0; i < 1000; ++i) estimates.Update(i % 4 == 0);
  EXPECT_NEAR(estimates.slow(), kProbabilityUnit * 0.25, kProbabilityUnit * 0.025);
  EXPECT_NEAR(estimates.fast(), kProbabilityUnit * 0.25, kProbabilityUnit * 0.1);
  // The first forgets later.
  for (int i = 0; i < 40; ++i) estimates.Update(1);
  EXPECT_LT(estimates.slow(), kProbabilityUnit / 2);
  EXPECT_GT(estimates.fast(), kProbabilityUnit * 3 / 4);
}

TEST(AdaptiveBitTest, LearnsFastAtFirst) {
  AdaptiveBit estimates;
  estimates.Update(1);
  EXPECT_EQ(estimates.slow(), estimates.fast());
  EXPECT_NEAR(estimates.slow(), kProbabilityUnit * (0.5 + 0.5 / 1.6), 64);
}

TEST(AdaptiveBitTest, IsNeverCertain) {
  for (const int bit : {0, 1}) {
    AdaptiveBit estimates;
    for (int i = 0; i < 10000; ++i) estimates.Update(bit);
    for (const int p : {estimates.slow(), estimates.fast()}) {
      EXPECT_GT(p, kProbabilityUnit / 300);
      EXPECT_LT(p, kProbabilityUnit - kProbabilityUnit / 300);
      EXPECT_EQ(p > kProbabilityUnit / 2, bit == 1);
    }
  }
}

}  // namespace
}  // namespace mmp
