// Progress of work shared by several threads, reported to one callback.
#ifndef MMP_CODEC_BASE_PROGRESS_H_
#define MMP_CODEC_BASE_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "common/out_of_memory.h"
#include "mmp/types.h"

namespace mmp {

// Asked now and then whether work is to go on; once it is not, it never is.
using GoesOn = std::function<bool()>;

// Calls a function from several threads: from time to time, never concurrently, until it has
// returned false or thrown.
class ProgressCalls {
 public:
  // Calls `callback` if the interval has passed or if `surely` is set. False once work is to stop.
  template <typename Callback>
  bool Call(bool surely, const Callback& callback) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (surely)
      lock.lock();
    else if (!lock.try_lock())
      return !stopped_;
    const auto now = std::chrono::steady_clock::now();
    if (stopped_ || (!surely && now - last_ < kInterval)) return !stopped_;
    last_ = now;
    try {
      if (!callback()) stopped_ = true;
    } catch (...) {
      stopped_ = true;
      throw;
    }
    return !stopped_;
  }
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

 private:
  static constexpr std::chrono::milliseconds kInterval{20};

  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{};
};

class Progress {
 public:
  Progress(const ProgressCallback& callback, int64_t total) : callback_(callback), total_(total) {}

  // Notes that `steps` more are done; calls back if it is time to, as CallBack does. False once
  // work is to stop.
  bool Advance(int64_t steps) {
    const bool all = done_.fetch_add(steps) + steps >= total_ && steps > 0;
    if (!callback_) return !calls_.stopped();
    return calls_.Call(all, [this] { return CallBack([this] { return callback_(fraction()); }); });
  }
  // Notes that `steps` of those done were discarded and will be done again.
  void Retract(int64_t steps) { done_ -= steps; }
  // Lets Advance return false from now on.
  void Cancel() { calls_.Stop(); }

  // The part done, in [0, 1].
  double fraction() const { return static_cast<double>(done_) / static_cast<double>(total_); }
  bool cancelled() const { return calls_.stopped(); }

 private:
  const ProgressCallback& callback_;
  const int64_t total_;
  std::atomic<int64_t> done_{0};
  ProgressCalls calls_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BASE_PROGRESS_H_
