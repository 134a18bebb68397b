// How far a sweep has come, on one line of the terminal or now and then in a log.
#ifndef MMP_TOOLS_SWEEP_SWEEP_PROGRESS_H_
#define MMP_TOOLS_SWEEP_SWEEP_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace mmp {

// Predicts how long the points that are left will take, from how long others took: each kind of
// point takes a time of its own for a pixel.
class TimeEstimate {
 public:
  explicit TimeEstimate(size_t kinds) : kinds_(kinds) {}

  // A point that is still to be measured.
  void Add(size_t kind, double pixels) { kinds_[kind].pixels_left += pixels; }
  // One of these no longer is; `seconds`, if it was measured, is what it took.
  void Remove(size_t kind, double pixels, std::optional<double> seconds);
  // A point measured earlier, which says what its kind takes.
  void Learn(size_t kind, double pixels, double seconds);

  // With all that Remove was told of done within `elapsed` seconds, side by side. Nothing before a
  // point has been measured.
  std::optional<double> SecondsLeft(double elapsed) const;

 private:
  struct Kind {
    double pixels_left = 0;
    double pixels_known = 0;  // of points whose time is known,
    double seconds_known = 0;
  };

  std::vector<Kind> kinds_;
  double seconds_done_ = 0;  // of points removed, one after the other
};

// Shows on stderr what is done, has failed and is at work, and the time left: on a terminal in a
// line that is cleared when the object goes, else (a batch system's log, mpirun's pipe) in a new
// line now and then. Calls may come from several threads at once.
class SweepProgress {
 public:
  // For `total` points, all added to `estimate`. The interval is that of lines that stay.
  SweepProgress(size_t total, TimeEstimate estimate,
                std::chrono::milliseconds log_interval = std::chrono::minutes(5));
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void Start(const std::string& label);
  // The end of the point that was started under that label. `seconds`: what it took; not set if it
  // failed.
  void End(const std::string& label, size_t kind, double pixels, std::optional<double> seconds);

  // What is shown, without limits on its length.
  std::string Text() const;

 private:
  using Clock = std::chrono::steady_clock;

  void ShowNowAndThen();
  void Show();

  const bool on_terminal_;
  const std::chrono::milliseconds interval_;
  const Clock::time_point start_ = Clock::now();
  const size_t total_;
  mutable std::mutex mutex_;  // guards what follows
  TimeEstimate estimate_;
  size_t done_ = 0, failed_ = 0;
  std::list<std::string> running_;
  bool stopping_ = false;
  std::condition_variable stop_;
  std::thread shower_;
};

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_SWEEP_PROGRESS_H_
