#include "common/temporary_files.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <random>

namespace mmp {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kExtension = ".tmp";
constexpr size_t kRandomLetters = 6;
constexpr size_t kMaxNamePart = 200;  // names are limited to 255 bytes

enum class SlotState {
  kFree,
  kFilling,   // owned by the thread that writes its path
  kArmed,     // its file is to be removed
  kRemoving,  // owned by RemoveTemporaries, to the end of the process
};

struct Slot {
  std::atomic<SlotState> state{SlotState::kFree};
  char path[4096];
};
static_assert(std::atomic<SlotState>::is_always_lock_free, "used in a signal handler");

// Fixed memory: a signal handler may neither allocate nor lock.
std::array<Slot, 64> slots;

bool Transition(Slot& slot, SlotState from, SlotState to) {
  return slot.state.compare_exchange_strong(from, to);
}

extern "C" void RemoveTemporariesAndDie(int signal_number) {
  RemoveTemporaries();
  raise(signal_number);  // takes effect, by default, when this handler returns
}

}  // namespace

std::string TemporaryName(const std::string& name) {
  std::random_device random;
  std::string temporary = "." + name.substr(0, kMaxNamePart) + ".";
  for (size_t i = 0; i < kRandomLetters; ++i) temporary += kLetters[random() % kLetters.size()];
  return temporary.append(kExtension);
}

bool IsTemporaryName(std::string_view name) {
  constexpr size_t kEnd =
      1 + kRandomLetters + kExtension.size();  // from the dot before the letters
  if (name.size() < 2 + kEnd || name[0] != '.' || !name.ends_with(kExtension)) return false;
  const std::string_view end = name.substr(name.size() - kEnd);
  return end[0] == '.' &&
         end.substr(1, kRandomLetters).find_first_not_of(kLetters) == std::string_view::npos;
}

void RemoveTemporariesOnSignal() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = RemoveTemporariesAndDie;
    action.sa_flags = SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, nullptr);
  }
}

void RemoveTemporaries() {
  for (Slot& slot : slots) {
    if (Transition(slot, SlotState::kArmed, SlotState::kRemoving)) unlink(slot.path);
  }
}

int RegisterTemporary(const std::string& path) {
  if (path.size() >= sizeof(Slot::path)) return -1;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!Transition(slots[i], SlotState::kFree, SlotState::kFilling)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state.store(SlotState::kArmed);
    return static_cast<int>(i);
  }
  return -1;
}

void UnregisterTemporary(int slot) {
  if (slot >= 0) Transition(slots[slot], SlotState::kArmed, SlotState::kFree);
}

}  // namespace mmp
