#include "tools/command_line/progress_line.h"

#include <cstdio>
#include <numeric>
#include <utility>

#include "tools/command_line/terminal.h"

namespace mmp {
namespace {

constexpr double kRedrawSeconds = 0.1;

}  // namespace

ProgressLine::ProgressLine(std::string label, int jobs)
    : label_(std::move(label)), enabled_(IsTerminal(stderr)), done_(jobs, 0.0) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::Update(int job, double done) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  done_[job] = done;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds < next_draw_) return;
  next_draw_ = seconds + kRedrawSeconds;
  Draw(seconds);
}

void ProgressLine::Draw(double seconds) {
  const double done = std::accumulate(done_.begin(), done_.end(), 0.0) / done_.size();
  std::string line = Format("\r\033[K%s %3.0f %%, elapsed %s", label_.c_str(), 100 * done,
                            DurationText(seconds).c_str());
  if (done > 0) line += ", remaining " + DurationText(seconds * (1 - done) / done);
  std::fputs(line.c_str(), stderr);
  drawn_ = true;
}

}  // namespace mmp
