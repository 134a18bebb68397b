// Waiting for other threads, at first awake, and again after any news: they are expected within
// microseconds.
#ifndef MMP_COMMON_SPIN_WAIT_H_
#define MMP_COMMON_SPIN_WAIT_H_

#include <atomic>
#include <cstdint>

namespace mmp {

// Counts what threads may be asleep for.
class News {
 public:
  // What another thread waits for may be over: changes before this are seen by it.
  void Tell() {
    ++count_;
    count_.notify_all();
  }

  // Waits until is_over() is true; what makes it so tells these news. Changes and is_over() must be
  // sequentially consistent, so that either it is seen that it is over, or the count changes.
  template <typename IsOver>
  void Await(const IsOver& is_over) {
    while (true) {
      for (int spin = 0; spin < kSpins; ++spin) {
        if (is_over()) return;
        Pause();
      }
      const uint32_t before = count_;
      if (is_over()) return;
      count_.wait(before);
    }
  }

 private:
  // Polls before a thread goes to sleep: some hundreds of microseconds.
  static constexpr int kSpins = 10000;

  static void Pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<uint32_t> count_{0};
};

}  // namespace mmp

#endif  // MMP_COMMON_SPIN_WAIT_H_
