// Threads that take over branches of one computation for microseconds at a time.
#ifndef MMP_CODEC_BRANCH_TEAM_H_
#define MMP_CODEC_BRANCH_TEAM_H_

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace mmp {

// Members 1 .. size - 1 are threads that wait, at first awake, for work; member 0 is the caller.
class BranchTeam {
 public:
  explicit BranchTeam(int size);
  ~BranchTeam();

  // Runs `work` on member `member`, which must be idle. Any member may start another.
  void Start(int member, std::function<void()> work);
  // Returns when the member's work is done; what it wrote is then visible.
  void Wait(int member);

 private:
  struct alignas(64) Member {
    std::atomic<int> state{0};  // kIdle, kWork, kQuit
    std::function<void()> work;
    std::thread thread;
  };

  static void Run(Member& member);

  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BRANCH_TEAM_H_
