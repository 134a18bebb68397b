#include "tools/sweep/crew/task_ledger.h"

#include <algorithm>

namespace mmp {

TaskLedger::TaskLedger(size_t tasks, int workers)
    : workers_(workers), owners_(tasks, kNobody), done_(tasks), left_(tasks) {
  for (size_t task = 0; task < tasks; ++task) free_.insert(free_.end(), task);
}

std::optional<size_t> TaskLedger::Claim(size_t from, int worker) {
  const std::lock_guard lock(mutex_);
  return Take(from, worker);
}

std::optional<size_t> TaskLedger::Await(int worker) {
  std::unique_lock lock(mutex_);
  std::optional<size_t> task;
  changed_.wait(lock, [&] {
    task = Take(0, worker);
    return task || stopped_ || workers_[worker].retired || IsFinished();
  });
  return task;
}

std::optional<size_t> TaskLedger::Take(size_t from, int worker) {
  Worker& taker = workers_[worker];
  const auto task = free_.lower_bound(from);
  if (stopped_ || taker.retired || task == free_.end()) return std::nullopt;
  const size_t workers =
      std::ranges::count_if(workers_, [](const Worker& w) { return !w.retired; });
  if (taker.tasks * workers >= left_) return std::nullopt;
  ++taker.tasks;
  owners_[*task] = worker;
  const size_t taken = *task;
  free_.erase(task);
  return taken;
}

void TaskLedger::Disown(size_t task) {
  if (owners_[task] == kNobody) return;
  --workers_[owners_[task]].tasks;
  owners_[task] = kNobody;
}

bool TaskLedger::Complete(size_t task) {
  const std::lock_guard lock(mutex_);
  if (done_[task]) return false;
  done_[task] = true;
  --left_;
  Disown(task);
  free_.erase(task);
  changed_.notify_all();
  return true;
}

bool TaskLedger::IsLast(int worker) const {
  for (size_t i = 0; i < workers_.size(); ++i)
    if (!workers_[i].retired && i != static_cast<size_t>(worker)) return false;
  return true;
}

void TaskLedger::GiveBack(int worker) {
  workers_[worker].retired = true;
  for (size_t task = 0; task < owners_.size(); ++task) {
    if (owners_[task] != worker) continue;
    Disown(task);
    free_.insert(task);
  }
  changed_.notify_all();
}

void TaskLedger::Retire(int worker) {
  const std::lock_guard lock(mutex_);
  GiveBack(worker);
}

bool TaskLedger::StandBack(int worker) {
  const std::lock_guard lock(mutex_);
  if (IsLast(worker)) return false;
  GiveBack(worker);
  return true;
}

bool TaskLedger::StepIn(int worker) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || IsFinished() || IsLast(worker); });
  if (stopped_ || IsFinished()) return false;
  workers_[worker].retired = false;
  return true;
}

void TaskLedger::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool TaskLedger::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

bool TaskLedger::finished() const {
  const std::lock_guard lock(mutex_);
  return IsFinished();
}

bool TaskLedger::IsFinished() const {
  return left_ == 0 || (stopped_ && std::ranges::all_of(workers_, [](const Worker& worker) {
                          return worker.tasks == 0;
                        }));
}

}  // namespace mmp
