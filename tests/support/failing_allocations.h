// Memory that runs out: for tests that are linked with failing_allocations.cc, which replaces
// operator new of the whole program.
#ifndef MMP_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_
#define MMP_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_

#include <cstdint>

namespace mmp {

enum class Failing {
  kOne,  // one allocation, those after it succeed
  kAll,  // and all after it
};

// From now on, on all threads, `succeeding` allocations succeed before one fails.
void BeginFailing(int64_t succeeding, Failing failing);
// From now on all succeed. Returns whether one has failed.
bool EndFailing();

// The most bytes that have been allocated at a time since CountBytes, beside those before it.
void CountBytes();
int64_t MostBytes();

// Runs `call` with the n-th allocation failing, for all n of some: all at first, then fewer and
// fewer, until none fails. `call` returns whether it succeeded, which it must when none fails, and
// when one fails may: that of a thread that is done without. Returns how often it did not.
template <typename Call>
int FailAllocations(Failing failing, const Call& call) {
  int failures = 0;
  for (int64_t n = 0;; n += 1 + n / 16) {
    BeginFailing(n, failing);
    const bool ok = call();
    if (!EndFailing()) return ok ? failures : -1;
    failures += !ok;
  }
}

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_FAILING_ALLOCATIONS_H_
