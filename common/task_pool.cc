#include "common/task_pool.h"

#include <algorithm>
#include <cassert>

namespace mmp {
namespace {

constexpr uint64_t Bit(int member) { return uint64_t{1} << member; }

}  // namespace

TaskPool::TaskPool(int size) {
  size = std::min(size, kMostMembers);
  members_.reserve(size);
  members_.push_back(std::make_unique<Member>());
  try {
    for (int i = 1; i < size; ++i) {
      auto member = std::make_unique<Member>();
      // Started once the vector has it, which never moves its place.
      members_.push_back(std::move(member));
      members_[i]->thread = std::thread([this, i] { Run(i); });
      idle_ |= Bit(i);
    }
  } catch (const std::exception&) {
    // No more threads, or no memory for them: those started are enough.
    if (members_.size() > 1 && !members_.back()->thread.joinable()) members_.pop_back();
  }
}

TaskPool::~TaskPool() {
  is_ending_ = true;
  for (int i = 1; i < size(); ++i) {
    members_[i]->news.Tell();
    members_[i]->thread.join();
  }
}

void TaskPool::Run(int self) {
  Member& member = *members_[self];
  while (true) {
    member.news.Await([&] { return member.offered.load() != nullptr || is_ending_; });
    Task* const task = member.offered.exchange(nullptr);
    if (task == nullptr) {
      if (is_ending_) return;
      continue;
    }
    try {
      task->function_(task->work_, self);
    } catch (...) {
      task->exception_ = std::current_exception();
    }
    // Whoever offered it may end the task's life once it is done.
    const int offered_by = task->offered_by_;
    idle_ |= Bit(self);
    task->is_done_ = true;
    members_[offered_by]->news.Tell();
  }
}

uint64_t TaskPool::Recruit(int most) {
  uint64_t idle = idle_, left;
  do {
    left = idle;
    for (int i = 0; i < most && left != 0; ++i) left &= left - 1;
  } while (!idle_.compare_exchange_weak(idle, left));
  return idle & ~left;
}

void TaskPool::Give(int self, int member, Task& task) {
  task.offered_by_ = self;
  task.offered_to_ = member;
  assert(members_[member]->offered.load() == nullptr);
  members_[member]->offered = &task;
  members_[member]->news.Tell();
}

bool TaskPool::Offer(int self, Task& task) {
  const uint64_t recruit = Recruit(1);
  if (recruit == 0) return false;
  Give(self, std::countr_zero(recruit), task);
  return true;
}

void TaskPool::Rouse() {
  if (rousing_ && !rousing_->IsDone()) return;
  if (HasIdle() && !Offer(0, rousing_.emplace(awake_others_))) rousing_.reset();
}

void TaskPool::AwakeOthers(int self) {
  for (int i = 1; i < size(); ++i)
    if (i != self) members_[i]->news.Tell();
}

bool TaskPool::TakeBack(const Task& task) {
  Task* offered = const_cast<Task*>(&task);
  if (!members_[task.offered_to_]->offered.compare_exchange_strong(offered, nullptr)) return false;
  idle_ |= Bit(task.offered_to_);
  return true;
}

void TaskPool::Finish(int self, Task& task) {
  if (TakeBack(task)) {
    task.function_(task.work_, self);
    return;
  }
  members_[self]->news.Await([&] { return task.is_done_.load(); });
  if (task.exception_) std::rethrow_exception(task.exception_);
}

void TaskPool::Abandon(int self, Task& task) noexcept {
  if (!TakeBack(task)) members_[self]->news.Await([&] { return task.is_done_.load(); });
}

}  // namespace mmp
