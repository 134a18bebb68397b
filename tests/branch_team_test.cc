#include "codec/branch_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace mmp {
namespace {

TEST(BranchTeamTest, WorkIsDoneOnceAndThenVisible) {
  BranchTeam team(2);
  ASSERT_EQ(team.size(), 2);
  int64_t done = 0;  // plain: ThreadSanitizer would see a race
  for (int round = 0; round < 20000; ++round) {
    auto work = [&] { ++done; };
    team.Offer(1, work);
    // At times at once, at times after the member has had time to begin.
    for (std::atomic<int> wait{round % 300}; wait > 0; --wait) {
    }
    team.Finish(1);
    ASSERT_EQ(done, round + 1);
  }
}

// Adds up the numbers of [first, last), half of them on another member, who shares in turn.
void Sum(BranchTeam& team, int first, int last, int member, int others, int64_t& sum) {
  if (others == 0 || last - first < 2) {
    for (int k = first; k < last; ++k) sum += k;
    return;
  }
  const int middle = (first + last) / 2, shared = (others - 1) / 2;
  int64_t upper = 0;
  auto work = [&] { Sum(team, middle, last, member + 1, shared, upper); };
  team.Offer(member, work);
  Sum(team, first, middle, member + 1 + shared, others - 1 - shared, sum);
  team.Finish(member);
  sum += upper;
}

TEST(BranchTeamTest, MembersOfferToOthers) {
  for (const int size : {1, 2, 3, 4, 8}) {
    BranchTeam team(size);
    for (int round = 0; round < 500; ++round) {
      int64_t sum = 0;
      Sum(team, 0, 1000, 1, team.size() - 1, sum);
      ASSERT_EQ(sum, 499500) << size << " members";
    }
  }
}

// Long enough apart that the threads are asleep.
TEST(BranchTeamTest, SleepersWakeUp) {
  BranchTeam team(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<bool> done{false};
    auto work = [&] { done = true; };
    team.Offer(2, work);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(done);
    team.Finish(2);
  }
}

TEST(BranchTeamTest, UnusedTeamEnds) {
  BranchTeam spinning(5);
  BranchTeam sleeping(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace mmp
