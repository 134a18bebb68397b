#include "tools/sweep/sweep_progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace mmp {
namespace {

TEST(TimeEstimateTest, KindsHaveTheirOwnSpeed) {
  TimeEstimate estimate(2);
  for (int i = 0; i < 4; ++i) estimate.Add(0, 1000);
  for (int i = 0; i < 3; ++i) estimate.Add(1, 1000);
  EXPECT_FALSE(estimate.SecondsLeft(5));
  estimate.Remove(0, 1000, 2.0);
  // Six points like the one that took two seconds, one after the other
  EXPECT_DOUBLE_EQ(*estimate.SecondsLeft(2), 12);
  estimate.Remove(1, 1000, 10.0);
  EXPECT_DOUBLE_EQ(*estimate.SecondsLeft(12), 3 * 2 + 2 * 10);
  // and with all cores, four at a time.
  EXPECT_DOUBLE_EQ(*estimate.SecondsLeft(3), (3 * 2 + 2 * 10) / 4.0);
}

TEST(TimeEstimateTest, FailuresAreNoLongerLeft) {
  TimeEstimate estimate(1);
  for (int i = 0; i < 4; ++i) estimate.Add(0, 500);
  estimate.Remove(0, 500, 1.0);
  estimate.Remove(0, 500, std::nullopt);
  EXPECT_DOUBLE_EQ(*estimate.SecondsLeft(1), 2);
}

TEST(TimeEstimateTest, LargeImagesTakeLonger) {
  TimeEstimate estimate(1);
  estimate.Add(0, 100);
  estimate.Add(0, 10000);
  estimate.Remove(0, 100, 0.1);
  EXPECT_DOUBLE_EQ(*estimate.SecondsLeft(0.1), 10);
}

// Points of an earlier run say how long a kind takes, not how many run side by side.
TEST(TimeEstimateTest, LearnsFromEarlierRuns) {
  TimeEstimate estimate(2);
  estimate.Learn(1, 1000, 8.0);
  estimate.Add(0, 1000);
  estimate.Add(1, 1000);
  EXPECT_FALSE(estimate.SecondsLeft(1));
  estimate.Remove(0, 1000, 2.0);
  EXPECT_DOUBLE_EQ(*estimate.SecondsLeft(1), 4);
}

TEST(SweepProgressTest, SaysWhatIsDoneRunningAndLeft) {
  TimeEstimate estimate(1);
  for (int i = 0; i < 9; ++i) estimate.Add(0, 1000);
  SweepProgress progress(9, estimate);
  EXPECT_EQ(progress.Text(), "0 of 9 points");
  for (const char* label : {"a 1", "b 1", "c 1", "d 1", "e 1", "f 1"}) progress.Start(label);
  EXPECT_EQ(progress.Text(), "0 of 9 points: a 1, b 1, c 1, d 1 and 2 more");
  progress.End("b 1", 0, 1000, std::nullopt);
  EXPECT_EQ(progress.Text(), "0 of 9 points, 1 failed: a 1, c 1, d 1, e 1 and 1 more");
  progress.End("a 1", 0, 1000, 1e-9);  // done almost at once: so will the rest be, or so
  const std::string text = progress.Text();
  EXPECT_TRUE(text.starts_with("1 of 9 points, 1 failed, ")) << text;
  EXPECT_TRUE(text.ends_with(" left: c 1, d 1, e 1, f 1")) << text;
}

TEST(SweepProgressTest, InALogALineNowAndThen) {
  testing::internal::CaptureStderr();
  {
    SweepProgress progress(3, TimeEstimate(1), std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(log.starts_with("mmp: note: 0 of 3 points\nmmp: note: 0 of 3 points\n")) << log;
}

TEST(SweepProgressTest, AShortSweepLogsNothing) {
  testing::internal::CaptureStderr();
  { const SweepProgress progress(3, TimeEstimate(1)); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace mmp
