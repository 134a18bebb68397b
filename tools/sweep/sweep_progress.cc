#include "tools/sweep/sweep_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "tools/command_line/terminal.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr std::chrono::milliseconds kRedraw{250};
constexpr size_t kMostNames = 4;  // of points at work

size_t TerminalColumns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

void TimeEstimate::Remove(size_t kind, double pixels, std::optional<double> seconds) {
  kinds_[kind].pixels_left -= pixels;
  if (!seconds) return;
  seconds_done_ += *seconds;
  Learn(kind, pixels, *seconds);
}

void TimeEstimate::Learn(size_t kind, double pixels, double seconds) {
  kinds_[kind].pixels_known += pixels;
  kinds_[kind].seconds_known += seconds;
}

std::optional<double> TimeEstimate::SecondsLeft(double elapsed) const {
  if (seconds_done_ <= 0) return std::nullopt;
  // A kind that nothing is known of is taken to be as the others together.
  Kind all;
  for (const Kind& kind : kinds_) {
    all.pixels_known += kind.pixels_known;
    all.seconds_known += kind.seconds_known;
  }
  double seconds_left = 0;
  for (const Kind& kind : kinds_) {
    const Kind& like = kind.pixels_known > 0 ? kind : all;
    seconds_left += kind.pixels_left * like.seconds_known / like.pixels_known;
  }
  return seconds_left * elapsed / seconds_done_;
}

SweepProgress::SweepProgress(size_t total, TimeEstimate estimate,
                             std::chrono::milliseconds log_interval)
    : on_terminal_(IsTerminal(stderr)),
      interval_(on_terminal_ ? kRedraw : log_interval),
      total_(total),
      estimate_(std::move(estimate)),
      shower_([this] { ShowNowAndThen(); }) {}

SweepProgress::~SweepProgress() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  shower_.join();
  if (on_terminal_) std::fputs("\r\033[K", stderr);
}

void SweepProgress::Start(const std::string& label) {
  const std::lock_guard lock(mutex_);
  running_.push_back(label);
}

void SweepProgress::End(const std::string& label, size_t kind, double pixels,
                        std::optional<double> seconds) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(running_.begin(), running_.end(), label);
  if (found != running_.end()) running_.erase(found);
  ++(seconds ? done_ : failed_);
  estimate_.Remove(kind, pixels, seconds);
}

std::string SweepProgress::Text() const {
  const std::lock_guard lock(mutex_);
  std::string text = Format("%zu of ", done_) + Counted(total_, "point");
  if (failed_ > 0) text += Format(", %zu failed", failed_);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::optional<double> left = estimate_.SecondsLeft(elapsed);
  if (left) text += ", " + DurationText(*left) + " left";
  size_t named = 0;
  for (const std::string& label : running_) {
    if (named == kMostNames) {
      text += Format(" and %zu more", running_.size() - named);
      break;
    }
    text += (named++ == 0 ? ": " : ", ") + label;
  }
  return text;
}

void SweepProgress::ShowNowAndThen() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, interval_, [this] { return stopping_; })) {
    lock.unlock();
    Show();
    lock.lock();
  }
}

void SweepProgress::Show() {
  if (!on_terminal_) return PrintNote(Text());
  const std::string line = "\r\033[K" + Text().substr(0, TerminalColumns() - 1);
  std::fputs(line.c_str(), stderr);
}

}  // namespace mmp
