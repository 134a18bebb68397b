#include "codec/branch_team.h"

#include <cassert>
#include <functional>
#include <system_error>
#include <utility>

namespace mmp {
namespace {

// Changes of state are sequentially consistent: libstdc++'s notify may otherwise overlook a thread
// that is just going to sleep.
enum State : int { kIdle, kOffered, kRunning, kQuit };

// Looks before a thread goes to sleep: some tens of microseconds.
constexpr int kSpins = 2000;

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits while `state` is `value`; returns what it is then.
int WaitWhile(const std::atomic<int>& state, int value) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (const int now = state.load(std::memory_order_acquire); now != value) return now;
    Pause();
  }
  state.wait(value, std::memory_order_acquire);
  return state.load(std::memory_order_acquire);
}

}  // namespace

BranchTeam::BranchTeam(int size) {
  for (int i = 0; i < size; ++i) {
    auto member = std::make_unique<Member>();
    try {
      if (i > 0) member->thread = std::thread(Run, std::ref(*member));
    } catch (const std::system_error&) {
      return;
    }
    members_.push_back(std::move(member));
  }
}

BranchTeam::~BranchTeam() {
  for (auto& member : members_) {
    if (!member->thread.joinable()) continue;
    member->state.store(kQuit);
    member->state.notify_all();
    member->thread.join();
  }
}

void BranchTeam::Run(Member& member) {
  while (true) {
    int state = WaitWhile(member.state, kIdle);
    if (state == kQuit) return;
    if (state != kOffered || !member.state.compare_exchange_strong(state, kRunning)) continue;
    member.function(member.work);
    member.state.store(kIdle);
    member.state.notify_all();
  }
}

void BranchTeam::Offer(int member, void (*function)(void*), void* work) {
  Member& m = *members_[member];
  assert(m.state.load() == kIdle);
  m.function = function;
  m.work = work;
  m.state.store(kOffered);
  m.state.notify_all();
}

void BranchTeam::Finish(int member) {
  Member& m = *members_[member];
  int state = kOffered;
  if (m.state.compare_exchange_strong(state, kIdle)) {
    m.function(m.work);
    return;
  }
  WaitWhile(m.state, kRunning);
}

}  // namespace mmp
