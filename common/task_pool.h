// Threads that share one computation, for milliseconds or microseconds at a time: they wait awake,
// and any of them can hand a part of its work to one that has none.
#ifndef MMP_COMMON_TASK_POOL_H_
#define MMP_COMMON_TASK_POOL_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/spin_wait.h"

namespace mmp {

// Members 1 .. size - 1 are threads; member 0 is the thread that owns the pool. The others are idle
// until they are recruited, and once they have done what they were recruited for.
class TaskPool {
 public:
  static constexpr int kMostMembers = 64;

  // May become smaller than asked for if the system gives no more threads, or no memory for them.
  explicit TaskPool(int size);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // A pool of nobody but the caller, for any thread.
  static TaskPool& Alone() {
    static TaskPool alone(1);
    return alone;
  }

  int size() const { return static_cast<int>(members_.size()); }

  // Whether a member is idle at the moment.
  bool HasIdle() const { return idle_.load(std::memory_order_relaxed) != 0; }
  // Has one idle member awake the others, which have gone to sleep if they have been idle for some
  // time: there will be work for all. For member 0.
  void Rouse();

  // Work that is offered to another member.
  class Task {
   public:
    // `work` must live until the task is finished or abandoned.
    template <typename Work>
    explicit Task(Work& work)
        : function_([](void* w, int member) { (*static_cast<Work*>(w))(member); }), work_(&work) {}

    // Whether another member has done the work.
    bool IsDone() const { return is_done_; }

   private:
    friend class TaskPool;
    void (*const function_)(void*, int);
    void* const work_;
    int offered_by_ = 0, offered_to_ = 0;
    std::exception_ptr exception_;  // what the work threw
    std::atomic<bool> is_done_{false};
  };

  // Offers the task to an idle member, which calls work(member); called by member `self`. False if
  // none is idle: then nothing happens.
  bool Offer(int self, Task& task);
  // Returns when an offered task is done, or throws what it threw. Does it here, as `self`, if
  // nobody has begun it: on a busy machine a thread may not run for long.
  void Finish(int self, Task& task);
  // Takes an offered task back, or waits until it is done: what it works on may end its life.
  void Abandon(int self, Task& task) noexcept;

  // Calls work(member) here and on all members that are idle, and returns when all calls have;
  // those that other members have not begun by then are made here, too. Throws what a call throws.
  // The members are recruited at once: work that is offered while they begin reaches none of them.
  // For member 0.
  template <typename Work>
  void OnAll(Work& work) {
    OnSome(size() - 1, work);
  }
  // The same, here and on up to `most` of the members that are idle; the work may recruit the
  // others.
  template <typename Work>
  void OnSome(int most, Work& work) {
    OfferedToSome(*this, most, work).Finish();
  }

  // Calls body(index, member) once for each index in [0, count), in increasing order of start, from
  // all members that are idle and this one, and returns when all calls have. Members that find no
  // index left are idle: the bodies that still run may offer them work. So who has been offered
  // work by a body begins no further body. If a body throws, no further ones begin, and the
  // exception is thrown on. `self` must be 0.
  template <typename Body>
  void ForEach(int count, Body&& body) {
    if (size() == 1 || count == 1) {
      for (int i = 0; i < count; ++i) body(i, 0);
      return;
    }
    Indices all(count, body);
    OnSome(count - 1, all);
  }

 private:
  template <typename Body>
  friend class ForEachBeside;

  // What each member does that shares the calls of ForEach.
  template <typename Body>
  class Indices {
   public:
    Indices(int count, Body& body) : count_(count), body_(body) {}

    void operator()(int member) {
      try {
        for (int i; (i = next_.fetch_add(1)) < count_;) body_(i, member);
      } catch (...) {
        next_ = count_;
        throw;
      }
    }

    bool AreAllBegun() const { return next_.load(std::memory_order_relaxed) >= count_; }

   private:
    const int count_;
    Body& body_;
    std::atomic<int> next_{0};
  };

  // Work that up to `most` of the members that are idle have been recruited for, by member 0.
  template <typename Work>
  class OfferedToSome {
   public:
    OfferedToSome(TaskPool& pool, int most, Work& work) : pool_(pool), work_(work) {
      for (uint64_t recruits = pool.Recruit(most); recruits != 0; recruits &= recruits - 1)
        pool.Give(0, std::countr_zero(recruits), tasks_[offered_++].emplace(work));
    }
    // Given up if it was not finished.
    ~OfferedToSome() {
      for (int i = 0; i < offered_; ++i) pool_.Abandon(0, *tasks_[i]);
    }
    OfferedToSome(const OfferedToSome&) = delete;
    OfferedToSome& operator=(const OfferedToSome&) = delete;

    // Does it here, too, and returns when all calls have, or throws what one threw. Called once at
    // most.
    void Finish() {
      std::exception_ptr exception;
      try {
        work_(0);
      } catch (...) {
        exception = std::current_exception();
      }
      const int offered = std::exchange(offered_, 0);
      for (int i = 0; i < offered; ++i) {
        try {
          pool_.Finish(0, *tasks_[i]);
        } catch (...) {
          if (!exception) exception = std::current_exception();
        }
      }
      if (exception) std::rethrow_exception(exception);
    }

   private:
    TaskPool& pool_;
    Work& work_;
    std::array<std::optional<Task>, kMostMembers> tasks_;
    int offered_ = 0;
  };

  struct alignas(64) Member {
    std::atomic<Task*> offered{nullptr};
    News news;           // for the member
    std::thread thread;  // not of member 0
  };

  void Run(int member);
  // Tells all members but `self` and 0.
  void AwakeOthers(int self);
  // Makes up to `most` idle members busy; returns their bits.
  uint64_t Recruit(int most);
  // To a member that `self` has recruited.
  void Give(int self, int member, Task& task);
  // Takes the task back if the member has not begun it.
  bool TakeBack(const Task& task);

  std::vector<std::unique_ptr<Member>> members_;
  std::atomic<uint64_t> idle_{0};  // bit m: member m is
  std::function<void(int)> awake_others_ = [this](int self) { AwakeOthers(self); };
  std::optional<Task> rousing_;
  std::atomic<bool> is_ending_{false};
};

// Work beside what member 0 of a pool does meanwhile: an idle member begins it at once, if there is
// one; if none has begun it by then, Finish does it. Given up if it was not finished.
template <typename Work>
class WorkBeside {
 public:
  // `work` is called with the number of a member; it must live as long as this. `is_much`: whether
  // it is worth another member's while.
  WorkBeside(TaskPool& pool, Work& work, bool is_much = true)
      : pool_(pool), work_(work), task_(work), is_offered_(is_much && pool.Offer(0, task_)) {}
  ~WorkBeside() {
    if (is_offered_) pool_.Abandon(0, task_);
  }
  WorkBeside(const WorkBeside&) = delete;
  WorkBeside& operator=(const WorkBeside&) = delete;

  // Returns when the work is done, or throws what it threw. Called once at most.
  void Finish() {
    if (std::exchange(is_offered_, false))
      pool_.Finish(0, task_);
    else
      work_(0);
  }

 private:
  TaskPool& pool_;
  Work& work_;
  TaskPool::Task task_;
  bool is_offered_;
};

// TaskPool::ForEach beside what member 0 does meanwhile: up to `most` members, if they are idle,
// begin at once, and Finish does what is left.
template <typename Body>
class ForEachBeside {
 public:
  // `body` must live as long as this.
  ForEachBeside(TaskPool& pool, int count, Body& body, int most)
      : pool_(pool), all_(count, body), offered_(pool, std::min(most, count), all_) {}
  // The same of up to half of the members.
  ForEachBeside(TaskPool& pool, int count, Body& body)
      : ForEachBeside(pool, count, body, pool.size() / 2) {}

  // Returns when all calls have, or throws what one threw. Called once at most; without it, some
  // calls may not be made.
  void Finish() {
    if (!all_.AreAllBegun()) pool_.OnSome(pool_.size() - 1, all_);
    offered_.Finish();
  }

 private:
  TaskPool& pool_;
  TaskPool::Indices<Body> all_;
  TaskPool::OfferedToSome<TaskPool::Indices<Body>> offered_;
};

}  // namespace mmp

#endif  // MMP_COMMON_TASK_POOL_H_
