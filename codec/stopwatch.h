// Elapsed time.
#ifndef MMP_CODEC_STOPWATCH_H_
#define MMP_CODEC_STOPWATCH_H_

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

}  // namespace mmp

#endif  // MMP_CODEC_STOPWATCH_H_
