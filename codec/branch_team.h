// Threads that take over branches of one computation for microseconds at a time.
#ifndef MMP_CODEC_BRANCH_TEAM_H_
#define MMP_CODEC_BRANCH_TEAM_H_

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace mmp {

// Members 1 .. size - 1 are threads that wait, at first awake, for work; member 0 is the caller.
class BranchTeam {
 public:
  // May become smaller than asked for if the system gives no more threads.
  explicit BranchTeam(int size);
  ~BranchTeam();

  int size() const { return static_cast<int>(members_.size()); }

  // Offers `work` to member `member`, which must be idle; any member may offer to another. `work`
  // must live until Finish returns.
  template <typename Work>
  void Offer(int member, Work& work) {
    Offer(
        member, [](void* w) { (*static_cast<Work*>(w))(); }, &work);
  }
  // Returns when the work is done. Does it here if the member has not begun: on a busy machine its
  // thread may not run for long.
  void Finish(int member);

 private:
  struct alignas(64) Member {
    std::atomic<int> state{0};
    void (*function)(void*) = nullptr;
    void* work = nullptr;
    std::thread thread;
  };

  static void Run(Member& member);
  void Offer(int member, void (*function)(void*), void* work);

  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BRANCH_TEAM_H_
