// Highway measures how fine the machine's timer is when it is loaded, for benchmarks that the
// program has none of: 3 ms, half of the time until main. Where its library is shared and asks for
// this function by name, the program's own answers; elsewhere, Highway's.
#if defined(__GNUC__)
#include <cstdint>

namespace hwy::platform {

__attribute__((weak, visibility("default"))) uint64_t TimerResolution();
uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
#endif
