#include "tools/command_line/interruption.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace mmp {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// What the handler needs, which may neither allocate nor lock.
std::atomic<int> signal_that_came{0};
std::array<struct sigaction, kSignals.size()> old_actions;
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void RestoreActions() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_actions[i], nullptr);
}

extern "C" void NoteSignal(int signal_number) {
  signal_that_came = signal_number;
  RestoreActions();
}

}  // namespace

Interruption::Interruption() {
  signal_that_came = 0;
  struct sigaction action {};
  action.sa_handler = NoteSignal;
  action.sa_flags = SA_RESTART;  // what is at work is not to fail
  sigemptyset(&action.sa_mask);
  for (const int signal_number : kSignals) sigaddset(&action.sa_mask, signal_number);
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &old_actions[i]);
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (old_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
}

Interruption::~Interruption() { RestoreActions(); }

bool Interruption::came() const { return signal_that_came != 0; }

void Interruption::Pass() const {
  if (came()) raise(signal_that_came);
}

}  // namespace mmp
