// Which of a sweep's tasks are done, at work and to be had, while several workers share them.
#ifndef MMP_TOOLS_SWEEP_CREW_TASK_LEDGER_H_
#define MMP_TOOLS_SWEEP_CREW_TASK_LEDGER_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace mmp {

// Tasks and workers are numbered from 0. All functions may be called from several threads at once.
class TaskLedger {
 public:
  TaskLedger(size_t tasks, int workers);

  // Gives the worker the first task from `from` on that can be had. None if there is none, or if it
  // has its share already of those that are not done: near the end, a worker that takes many at a
  // time must leave some to the others.
  std::optional<size_t> Claim(size_t from, int worker);
  // The same from 0 on, but waits for a task to be given back. None: the work is done or stopped.
  std::optional<size_t> Await(int worker);

  // Returns false if it was done already: two may have had it, if the first was given up.
  bool Complete(size_t task);
  // The worker gets no more tasks, and what it has can be had again.
  void Retire(int worker);
  // Retires the worker, if it is not the last one that is not retired. Returns whether it is.
  bool StandBack(int worker);
  // Waits until all the others are retired, and takes the worker in again. Returns false if the
  // work is done or stopped before.
  bool StepIn(int worker);
  // Nobody gets tasks any more.
  void Stop();

  bool stopped() const;
  // All tasks are done, or the work has been stopped and nobody has a task.
  bool finished() const;

 private:
  struct Worker {
    size_t tasks = 0;  // that it has
    bool retired = false;
  };
  static constexpr int kNobody = -1;

  bool IsFinished() const;
  bool IsLast(int worker) const;
  void GiveBack(int worker);
  std::optional<size_t> Take(size_t from, int worker);
  void Disown(size_t task);

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<Worker> workers_;
  std::vector<int> owners_;  // by task
  std::vector<bool> done_;   // by task
  std::set<size_t> free_;
  size_t left_;  // tasks not done
  bool stopped_ = false;
};

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_CREW_TASK_LEDGER_H_
