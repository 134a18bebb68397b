#include "common/thread_pool.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

namespace mmp {

int HardwareThreads() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return std::max(1, CPU_COUNT(&allowed));
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads) {
  assert(threads >= 1);
  workers_.reserve(threads - 1);
  try {
    for (int worker = 1; worker < threads; ++worker) {
      workers_.emplace_back(&ThreadPool::WorkerLoop, this, worker);
    }
  } catch (const std::exception&) {
    // The system has no more threads or memory to give; those started are enough for every loop to
    // finish.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    assert(body_ == nullptr);
    stopping_ = true;
  }
  work_ready_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::ParallelFor(int count, const Body& body) {
  if (workers_.empty() || count <= 1) {
    for (int index = 0; index < count; ++index) body(index, 0);
    return;
  }
  {
    std::lock_guard lock(mutex_);
    assert(body_ == nullptr);  // nested or concurrent use
    next_index_.store(0, std::memory_order_relaxed);
    body_ = &body;
    count_ = count;
    ++loop_id_;
  }
  work_ready_.notify_all();
  TakeIndicesSafely(body, count, 0);
  // Workers that have not woken up yet have nothing left to do: only those inside are waited for.
  std::unique_lock lock(mutex_);
  body_ = nullptr;
  workers_idle_.wait(lock, [this] { return busy_workers_ == 0; });
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void ThreadPool::WorkerLoop(int worker) {
  uint64_t last_loop_id = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    work_ready_.wait(lock,
                     [&] { return stopping_ || (body_ != nullptr && loop_id_ != last_loop_id); });
    if (stopping_) return;
    last_loop_id = loop_id_;
    const Body& body = *body_;
    const int count = count_;
    ++busy_workers_;
    lock.unlock();
    TakeIndicesSafely(body, count, worker);
    lock.lock();
    if (--busy_workers_ == 0) workers_idle_.notify_one();
  }
}

void ThreadPool::TakeIndicesSafely(const Body& body, int count, int worker) {
  try {
    TakeIndices(body, count, worker);
  } catch (...) {
    next_index_.store(count, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::current_exception();
  }
}

void ThreadPool::TakeIndices(const Body& body, int count, int worker) {
  while (true) {
    const int64_t index = next_index_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count) return;
    body(static_cast<int>(index), worker);
  }
}

}  // namespace mmp
