#include "tools/sweep/crew/task_ledger.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace mmp {
namespace {

using Task = std::optional<size_t>;

TEST(TaskLedgerTest, TasksAreGivenOnceInOrder) {
  TaskLedger ledger(6, 2);
  EXPECT_EQ(ledger.Claim(0, 0), Task(0));
  EXPECT_EQ(ledger.Claim(0, 1), Task(1));
  EXPECT_EQ(ledger.Claim(4, 0), Task(4));
  EXPECT_EQ(ledger.Claim(4, 1), Task(5));
  EXPECT_EQ(ledger.Claim(4, 1), Task());  // but before it are some
  EXPECT_EQ(ledger.Claim(0, 1), Task(2));
  EXPECT_FALSE(ledger.finished());
  for (size_t task = 0; task < 6; ++task) EXPECT_TRUE(ledger.Complete(task));
  EXPECT_TRUE(ledger.finished());
  EXPECT_EQ(ledger.Await(0), Task());
}

TEST(TaskLedgerTest, NobodyGetsMoreThanItsShareOfWhatIsLeft) {
  TaskLedger ledger(7, 3);
  for (size_t task = 0; task < 3; ++task) EXPECT_EQ(ledger.Claim(0, 0), Task(task));
  EXPECT_EQ(ledger.Claim(0, 0), Task());
  EXPECT_EQ(ledger.Claim(0, 1), Task(3));
  ledger.Complete(0);
  EXPECT_EQ(ledger.Claim(0, 0), Task());  // it has 2 of 6
  EXPECT_EQ(ledger.Claim(0, 1), Task(4));
  ledger.Retire(2);
  EXPECT_EQ(ledger.Claim(0, 0), Task(5));  // there are two to share now
}

TEST(TaskLedgerTest, WhatARetiredWorkerHasCanBeHadAgain) {
  TaskLedger ledger(4, 2);
  EXPECT_EQ(ledger.Claim(0, 1), Task(0));
  EXPECT_EQ(ledger.Claim(0, 1), Task(1));
  ledger.Complete(0);
  ledger.Retire(1);
  EXPECT_EQ(ledger.Claim(0, 1), Task());
  EXPECT_EQ(ledger.Await(1), Task());
  EXPECT_EQ(ledger.Claim(0, 0), Task(1));
  // It was not dead, and comes late or first.
  EXPECT_TRUE(ledger.Complete(1));
  EXPECT_FALSE(ledger.Complete(1));
  EXPECT_EQ(ledger.Claim(0, 0), Task(2));
}

TEST(TaskLedgerTest, AwaitReturnsWhenATaskIsGivenBack) {
  TaskLedger ledger(2, 2);
  EXPECT_EQ(ledger.Claim(0, 0), Task(0));
  EXPECT_EQ(ledger.Claim(0, 1), Task(1));
  ledger.Complete(0);
  Task task;
  std::thread waiting([&] { task = ledger.Await(0); });
  ledger.Retire(1);
  waiting.join();
  EXPECT_EQ(task, Task(1));
}

TEST(TaskLedgerTest, AwaitReturnsAtTheEnd) {
  TaskLedger ledger(2, 2);
  EXPECT_EQ(ledger.Claim(0, 0), Task(0));
  EXPECT_EQ(ledger.Claim(0, 1), Task(1));
  ledger.Complete(0);
  Task task = 9;
  std::thread waiting([&] { task = ledger.Await(0); });
  ledger.Complete(1);
  waiting.join();
  EXPECT_EQ(task, Task());
}

TEST(TaskLedgerTest, TheLastWorkerDoesNotStandBack) {
  TaskLedger ledger(3, 2);
  EXPECT_EQ(ledger.Claim(0, 0), Task(0));
  EXPECT_TRUE(ledger.StandBack(0));
  EXPECT_TRUE(ledger.StandBack(0));  // another thread of it
  EXPECT_EQ(ledger.Await(0), Task());
  EXPECT_EQ(ledger.Claim(0, 1), Task(0));
  EXPECT_FALSE(ledger.StandBack(1));
  EXPECT_TRUE(ledger.Complete(0));
  bool steps_in = false;
  std::thread waiting([&] { steps_in = ledger.StepIn(0); });
  ledger.Retire(1);
  waiting.join();
  EXPECT_TRUE(steps_in);
  EXPECT_EQ(ledger.Claim(0, 0), Task(1));
  EXPECT_FALSE(ledger.StandBack(0));
}

TEST(TaskLedgerTest, NobodyStepsInAtTheEnd) {
  TaskLedger ledger(1, 2);
  EXPECT_TRUE(ledger.StandBack(0));
  bool steps_in = true;
  std::thread waiting([&] { steps_in = ledger.StepIn(0); });
  ledger.Complete(0);
  waiting.join();
  EXPECT_FALSE(steps_in);
  TaskLedger stopped(1, 2);
  EXPECT_TRUE(stopped.StandBack(0));
  stopped.Stop();
  EXPECT_FALSE(stopped.StepIn(0));
}

TEST(TaskLedgerTest, AfterStopOnlyWhatIsAtWorkIsWaitedFor) {
  TaskLedger ledger(5, 2);
  EXPECT_EQ(ledger.Claim(0, 0), Task(0));
  EXPECT_EQ(ledger.Claim(0, 1), Task(1));
  ledger.Stop();
  EXPECT_TRUE(ledger.stopped());
  EXPECT_EQ(ledger.Claim(0, 0), Task());
  EXPECT_EQ(ledger.Await(0), Task());
  EXPECT_FALSE(ledger.finished());
  ledger.Complete(1);
  EXPECT_FALSE(ledger.finished());
  ledger.Retire(0);
  EXPECT_TRUE(ledger.finished());
}

}  // namespace
}  // namespace mmp
