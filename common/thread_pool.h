// A fixed set of threads that share loops.
#ifndef MMP_COMMON_THREAD_POOL_H_
#define MMP_COMMON_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mmp {

// How many threads this process may run at once (its affinity mask, where there is one); at
// least 1.
int HardwareThreads();

class ThreadPool {
 public:
  using Body = std::function<void(int index, int worker)>;

  // `threads` (at least 1) includes the caller of ParallelFor: threads - 1 are started, or fewer if
  // the system refuses more.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(index, worker) once for each index in [0, count), in increasing order of start, and
  // returns when all calls have. The caller is worker 0, the others are in [1, threads()); calls
  // that run at the same time have different workers. `body` must not use this pool; one
  // ParallelFor at a time. If it throws, no further calls begin, and when those that run have ended
  // the first exception is thrown on.
  void ParallelFor(int count, const Body& body);

 private:
  void WorkerLoop(int worker);
  void TakeIndices(const Body& body, int count, int worker);
  // TakeIndices, for exceptions to be thrown by ParallelFor.
  void TakeIndicesSafely(const Body& body, int count, int worker);

  std::vector<std::thread> workers_;
  std::atomic<int64_t> next_index_{
      0};  // 64 bits: threads that find nothing left count it past `count`

  std::mutex mutex_;  // guards what follows
  std::condition_variable work_ready_;
  std::condition_variable workers_idle_;
  const Body* body_ = nullptr;  // the loop that workers may join, if any
  int count_ = 0;               // its number of indices
  uint64_t loop_id_ = 0;        // its number, so that a worker joins a loop once
  int busy_workers_ = 0;
  std::exception_ptr exception_;  // the first of the loop
  bool stopping_ = false;
};

}  // namespace mmp

#endif  // MMP_COMMON_THREAD_POOL_H_
