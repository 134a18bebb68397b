// Progress of work shared by several threads, reported to one callback.
#ifndef MMP_CODEC_PROGRESS_H_
#define MMP_CODEC_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "codec/mmp.h"

namespace mmp {

class Progress {
 public:
  Progress(const ProgressCallback& callback, int64_t total) : callback_(callback), total_(total) {}

  // Notes that `steps` more are done; calls back if it is time to. False once work is to stop.
  bool Advance(int64_t steps) {
    const int64_t done = done_.fetch_add(steps) + steps;
    if (!callback_) return true;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return !cancelled_;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval && done < total_) return !cancelled_;
    last_ = now;
    if (!callback_(static_cast<double>(done) / static_cast<double>(total_))) cancelled_ = true;
    return !cancelled_;
  }
  // Notes that `steps` of those done were in vain.
  void Retract(int64_t steps) { done_ -= steps; }
  bool cancelled() const { return cancelled_; }

 private:
  static constexpr std::chrono::milliseconds kInterval{20};

  const ProgressCallback& callback_;
  const int64_t total_;
  std::atomic<int64_t> done_{0};
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace mmp

#endif  // MMP_CODEC_PROGRESS_H_
