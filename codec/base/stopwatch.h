// Elapsed time.
#ifndef MMP_CODEC_BASE_STOPWATCH_H_
#define MMP_CODEC_BASE_STOPWATCH_H_

#include <chrono>

namespace mmp {

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Adds the time of its scope to a sum, if that is wanted: reading the clock costs as much as the
// smallest stages do.
class StageTimer {
 public:
  StageTimer(bool enabled, double& seconds) : seconds_(enabled ? &seconds : nullptr) {
    if (seconds_ != nullptr) start_ = std::chrono::steady_clock::now();
  }
  ~StageTimer() {
    if (seconds_ != nullptr)
      *seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BASE_STOPWATCH_H_
