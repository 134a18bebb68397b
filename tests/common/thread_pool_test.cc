#include "common/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mmp {
namespace {

TEST(HardwareThreadsTest, AtLeastOne) { EXPECT_GE(HardwareThreads(), 1); }

class ThreadPoolTest : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolTest, CallsEachIndexOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (const int count : {0, 1, 2, 3, 31, 257, 5000}) {
    std::vector<std::atomic<int>> calls(count);
    pool.ParallelFor(count, [&](int index, int worker) {
      ++calls[index];
      if (worker < 0 || worker >= pool.threads()) ADD_FAILURE() << "worker " << worker;
    });
    for (int i = 0; i < count; ++i) ASSERT_EQ(calls[i], 1) << i << " of " << count;
  }
}

// Loops so short that workers often come too late; what one loop wrote, the next reads.
TEST_P(ThreadPoolTest, ManyShortLoops) {
  ThreadPool pool(GetParam());
  constexpr int kLoops = 3000;
  std::vector<int> values(7, 0);
  for (int loop = 0; loop < kLoops; ++loop) {
    const int count = loop % 8;
    std::vector<int> before = values;
    pool.ParallelFor(count, [&](int index, int /*worker*/) {
      values[index] = before[(index + 1) % before.size()] + 1;
    });
    for (int i = 0; i < count; ++i) ASSERT_EQ(values[i], before[(i + 1) % before.size()] + 1);
  }
}

// A worker's scratch memory is never used by two calls at once.
TEST_P(ThreadPoolTest, WorkersAreExclusive) {
  ThreadPool pool(GetParam());
  std::vector<int64_t> sums(pool.threads(), 0);  // plain: ThreadSanitizer would see a race
  constexpr int kCount = 20000;
  pool.ParallelFor(kCount, [&](int index, int worker) { sums[worker] += index; });
  int64_t sum = 0;
  for (const int64_t part : sums) sum += part;
  EXPECT_EQ(sum, int64_t{kCount} * (kCount - 1) / 2);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, testing::Values(1, 2, 3, 8));

TEST(ThreadPoolSingleTest, OneThreadRunsInOrderOnTheCaller) {
  ThreadPool pool(1);
  std::vector<int> order;
  pool.ParallelFor(5, [&](int index, int worker) {
    EXPECT_EQ(worker, 0);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(ThreadPoolSingleTest, CallsRunAtTheSameTime) {
  constexpr int kThreads = 4;
  ThreadPool pool(kThreads);
  std::atomic<int> inside{0};
  std::atomic<bool> all_met{true};
  // Each call waits for all the others: they meet only if each has a thread of its own.
  pool.ParallelFor(kThreads, [&](int /*index*/, int /*worker*/) {
    ++inside;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (inside < kThreads) {
      if (std::chrono::steady_clock::now() > deadline) {
        all_met = false;
        return;
      }
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(all_met);
}

// The first exception is handed on when all is quiet, the loop ends early, and the pool stays
// usable.
TEST_P(ThreadPoolTest, ThrowsOnWhatACallThrows) {
  ThreadPool pool(GetParam());
  std::atomic<int> inside{0};
  std::atomic<int> calls{0};
  const auto body = [&](int index, int /*worker*/) {
    ++inside;
    ++calls;
    if (index == 5) {
      --inside;
      throw std::runtime_error("five");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
  };
  for (int round = 0; round < 3; ++round) {
    try {
      pool.ParallelFor(100000, body);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "five");
    }
    EXPECT_EQ(inside, 0);
    EXPECT_LT(calls, 1000);
    calls = 0;
  }
  std::atomic<int> count{0};
  pool.ParallelFor(100, [&](int, int) { ++count; });
  EXPECT_EQ(count, 100);
}

TEST(ThreadPoolSingleTest, UnusedPoolEnds) { ThreadPool pool(5); }

}  // namespace
}  // namespace mmp
