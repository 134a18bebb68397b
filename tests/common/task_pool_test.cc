#include "common/task_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mmp {
namespace {

TEST(TaskPoolTest, WorkIsDoneOnceAndThenVisible) {
  TaskPool pool(2);
  ASSERT_EQ(pool.size(), 2);
  int64_t done = 0;  // plain: ThreadSanitizer would see a race
  int64_t by_other = 0;
  for (int round = 0; round < 20000; ++round) {
    auto work = [&](int member) {
      ++done;
      by_other += member;
    };
    TaskPool::Task task(work);
    ASSERT_TRUE(pool.Offer(0, task));
    // At times at once, at times after the member has had time to begin.
    for (std::atomic<int> wait{round % 300}; wait > 0; --wait) {
    }
    pool.Finish(0, task);
    ASSERT_EQ(done, round + 1);
  }
  EXPECT_GT(by_other, 0);
}

TEST(TaskPoolTest, OffersFailWhereNobodyIsIdle) {
  TaskPool pool(2);
  std::atomic<bool> may_end{false};
  auto work = [&](int) {
    while (!may_end) std::this_thread::yield();
  };
  TaskPool::Task first(work), second(work);
  ASSERT_TRUE(pool.Offer(0, first));
  EXPECT_FALSE(pool.HasIdle());
  EXPECT_FALSE(pool.Offer(0, second));
  may_end = true;
  pool.Finish(0, first);
  EXPECT_FALSE(TaskPool::Alone().HasIdle());
  EXPECT_FALSE(TaskPool::Alone().Offer(0, second));
}

// Adds up the numbers of [first, last), half of them on another member if one is idle, who shares
// in turn.
int64_t Sum(TaskPool& pool, int self, int first, int last) {
  if (last - first < 4) {
    int64_t sum = 0;
    for (int k = first; k < last; ++k) sum += k;
    return sum;
  }
  const int middle = (first + last) / 2;
  int64_t upper = 0;
  auto work = [&](int member) { upper = Sum(pool, member, middle, last); };
  TaskPool::Task task(work);
  if (!pool.Offer(self, task))
    return Sum(pool, self, first, middle) + Sum(pool, self, middle, last);
  const int64_t lower = Sum(pool, self, first, middle);
  pool.Finish(self, task);
  return lower + upper;
}

TEST(TaskPoolTest, MembersOfferToOthers) {
  for (const int size : {1, 2, 3, 4, 8}) {
    TaskPool pool(size);
    for (int round = 0; round < 300; ++round)
      ASSERT_EQ(Sum(pool, 0, 0, 1000), 499500) << size << " members";
  }
}

// What a member did for another one's body may be in use until that one ends.
TEST(TaskPoolTest, WhoHasHelpedBeginsNoBody) {
  constexpr int kSize = TaskPool::kMostMembers;
  TaskPool pool(kSize);
  for (int round = 0; round < 100; ++round) {
    std::array<std::atomic<bool>, kSize> has_helped{};
    std::atomic<bool> begins{false};
    pool.ForEach(kSize, [&](int, int self) {
      if (has_helped[self]) begins = true;
      std::this_thread::sleep_for(std::chrono::microseconds(50));  // others begin theirs
      for (int k = 0; k < 3; ++k) {
        std::atomic<bool> has_begun{false};
        auto help = [&](int member) {
          has_helped[member] = member != self;
          has_begun = true;
        };
        TaskPool::Task task(help);
        if (!pool.Offer(self, task)) continue;
        for (int wait = 0; wait < 200 && !has_begun; ++wait) std::this_thread::yield();
        pool.Finish(self, task);
      }
    });
    ASSERT_FALSE(begins) << "round " << round;
  }
}

TEST(TaskPoolTest, EachIndexOnceAndHelpedByThoseWhoAreDone) {
  for (const int size : {1, 2, 5, 64, 100}) {
    TaskPool pool(size);
    ASSERT_LE(pool.size(), TaskPool::kMostMembers);
    for (const int count : {0, 1, 2, 3, 64, 1000}) {
      std::vector<int64_t> sums(count);
      pool.ForEach(count, [&](int i, int member) {
        ASSERT_GE(member, 0);
        ASSERT_LT(member, pool.size());
        sums[i] += Sum(pool, member, 0, i);
      });
      for (int i = 0; i < count; ++i) ASSERT_EQ(sums[i], int64_t{i} * (i - 1) / 2);
    }
  }
}

// Long enough apart that the threads are asleep.
// A loop within work that some members were not recruited for is shared with those alone.
TEST(TaskPoolTest, WorkOnSomeRecruitsTheOthers) {
  TaskPool pool(4);
  ASSERT_EQ(pool.size(), 4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<uint32_t> waiting{0}, looping{0};
    std::atomic<bool> is_over{false};
    auto work = [&](int member) {
      if (member != 0) {
        waiting |= 1u << member;
        while (!is_over) std::this_thread::yield();
        return;
      }
      if (is_over) return;
      while (waiting == 0) std::this_thread::yield();
      pool.ForEach(3, [&](int /*index*/, int looper) {
        looping |= 1u << looper;
        while (std::popcount(looping.load()) < 3) std::this_thread::yield();
      });
      is_over = true;
    };
    pool.OnSome(1, work);
    ASSERT_EQ(std::popcount(waiting.load()), 1);
    ASSERT_EQ(looping & waiting, 0u);
  }
}

TEST(TaskPoolTest, SleepersWakeUp) {
  TaskPool pool(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<bool> done{false};
    auto work = [&](int) { done = true; };
    TaskPool::Task task(work);
    ASSERT_TRUE(pool.Offer(0, task));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(done);
    pool.Finish(0, task);
  }
}

// What the work throws comes out of Finish, whoever did it, and of Abandon does not.
TEST(TaskPoolTest, HandsOnWhatWorkThrows) {
  TaskPool pool(2);
  for (int round = 0; round < 2000; ++round) {
    auto work = [](int) { throw std::runtime_error("work"); };
    TaskPool::Task task(work);
    ASSERT_TRUE(pool.Offer(0, task));
    if (round % 3 == 0) std::this_thread::yield();
    if (round % 2 == 0) {
      EXPECT_THROW(pool.Finish(0, task), std::runtime_error);
    } else {
      pool.Abandon(0, task);
    }
    int64_t done = 0;
    auto more = [&](int) { ++done; };
    TaskPool::Task another(more);
    ASSERT_TRUE(pool.Offer(0, another));
    pool.Finish(0, another);
    ASSERT_EQ(done, 1);
  }
}

TEST(TaskPoolTest, LoopsEndAndHandOnWhatABodyThrows) {
  TaskPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> begun{0};
    EXPECT_THROW(pool.ForEach(1000,
                              [&](int i, int) {
                                ++begun;
                                if (i == round % 20) throw std::runtime_error("body");
                                std::this_thread::sleep_for(std::chrono::microseconds(5));
                              }),
                 std::runtime_error);
    EXPECT_LT(begun, 1000);
  }
  std::vector<int> all(100);
  pool.ForEach(100, [&](int i, int) { all[i] = 1; });
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 100);
}

// Counts how often it was begun and has ended.
struct SlowWork {
  void operator()(int /*member*/) {
    ++begun;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    ++ended;
  }

  int64_t begun = 0, ended = 0;
};

// What was given up is not running any more.
TEST(TaskPoolTest, AbandonedWorkHasEnded) {
  TaskPool pool(2);
  for (int round = 0; round < 200; ++round) {
    SlowWork work;
    TaskPool::Task task(work);
    ASSERT_TRUE(pool.Offer(0, task));
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(30));
    pool.Abandon(0, task);
    ASSERT_EQ(work.begun, work.ended);
  }
}

TEST(TaskPoolTest, WorkBesideIsDoneOnceByWhoeverIsIdle) {
  for (const int size : {1, 2}) {
    TaskPool pool(size);
    for (int round = 0; round < 200; ++round) {
      int64_t done = 0;
      std::atomic<int> by{-1};
      auto work = [&](int member) {
        ++done;
        by = member;
      };
      WorkBeside beside(pool, work, round % 4 != 0);
      while (size == 2 && round % 4 == 1 && by < 0) std::this_thread::yield();
      beside.Finish();
      ASSERT_EQ(done, 1);
      if (size == 1 || round % 4 == 0) {
        ASSERT_EQ(by, 0);
      } else if (round % 4 == 1) {
        ASSERT_EQ(by, 1);
      }
    }
  }
}

TEST(TaskPoolTest, WorkBesideMayThrowOrBeGivenUp) {
  TaskPool pool(2);
  for (int round = 0; round < 200; ++round) {
    SlowWork slow;
    auto work = [&](int member) {
      slow(member);
      throw std::runtime_error("beside");
    };
    {
      WorkBeside beside(pool, work);
      if (round % 2 == 0) {
        EXPECT_THROW(beside.Finish(), std::runtime_error);
      }
    }
    ASSERT_EQ(slow.begun, slow.ended);
    ASSERT_LE(slow.begun, 1);
  }
}

TEST(TaskPoolTest, ForEachBesideCallsEachOnce) {
  for (const int size : {1, 2, 5}) {
    TaskPool pool(size);
    for (int round = 0; round < 300; ++round) {
      const int count = 1 + round % 40;
      std::vector<int> calls(count);
      std::atomic<int> by_others{0};
      auto body = [&](int i, int member) {
        ++calls[i];
        if (member != 0) ++by_others;
      };
      ForEachBeside beside(pool, count, body);
      // All are idle before the first round, and begin at once.
      while (round == 0 && size > 1 && by_others == 0) std::this_thread::yield();
      // What is done meanwhile may need the pool itself.
      std::atomic<int> sum{0};
      pool.ForEach(10, [&](int i, int /*member*/) { sum += i; });
      ASSERT_EQ(sum, 45);
      beside.Finish();
      ASSERT_EQ(calls, std::vector<int>(count, 1));
    }
  }
}

TEST(TaskPoolTest, ForEachBesideMayThrowOrBeGivenUp) {
  TaskPool pool(3);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> running{0};
    auto body = [&](int i, int /*member*/) {
      ++running;
      std::this_thread::yield();
      --running;
      if (i == 5) throw std::runtime_error("beside");
    };
    {
      ForEachBeside beside(pool, 100, body);
      if (round % 2 == 0) {
        EXPECT_THROW(beside.Finish(), std::runtime_error);
      }
    }
    ASSERT_EQ(running, 0);
  }
}

// Those asleep can be given work as before, and a pool may end while one rouses the others.
TEST(TaskPoolTest, Rouse) {
  TaskPool::Alone().Rouse();
  for (int round = 0; round < 20; ++round) {
    TaskPool pool(1 + round % 5);
    if (round % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.Rouse();
    pool.Rouse();
    if (round % 3 == 0) continue;
    std::vector<int> all(50);
    pool.ForEach(50, [&](int i, int /*member*/) { all[i] = 1; });
    pool.Rouse();
    ASSERT_EQ(std::accumulate(all.begin(), all.end(), 0), 50);
  }
}

TEST(TaskPoolTest, UnusedPoolEnds) {
  TaskPool spinning(5);
  TaskPool sleeping(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace mmp
