// How far the work has come, on one line of the terminal.
#ifndef MMP_TOOLS_COMMAND_LINE_PROGRESS_LINE_H_
#define MMP_TOOLS_COMMAND_LINE_PROGRESS_LINE_H_

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace mmp {

// Shows percent done, elapsed and remaining time on stderr, once the work has lasted a second, if
// stderr is a terminal; nothing otherwise. The line is cleared when the object is destroyed.
class ProgressLine {
 public:
  // For `jobs` pieces of work that count the same.
  ProgressLine(std::string label, int jobs);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Job number `job` is done so far, in [0, 1]. May be called from several threads at once.
  void Update(int job, double done);

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(double seconds);

  const std::string label_;
  const bool enabled_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::vector<double> done_;  // by job
  double next_draw_ = 1;      // seconds from the start
  bool drawn_ = false;
};

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_PROGRESS_LINE_H_
