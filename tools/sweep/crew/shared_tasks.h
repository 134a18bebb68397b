// Measuring tasks that others work on too.
#ifndef MMP_TOOLS_SWEEP_CREW_SHARED_TASKS_H_
#define MMP_TOOLS_SWEEP_CREW_SHARED_TASKS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mmp/status.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/results/sweep_results.h"
#include "tools/sweep/sweep_plan.h"

namespace mmp {

// Who hands the tasks out; they are known by their numbers. All functions may be called from
// several threads at once.
class TaskSource {
 public:
  virtual ~TaskSource() = default;
  // The first task from `from` on that is now ours alone. None: there is none now.
  virtual std::optional<size_t> Claim(size_t from) = 0;
  // The same from 0 on, but waits for one. None: there is nothing more to do.
  virtual std::optional<size_t> Await() = 0;
  // The end of a task that is ours. Returns whether to go on.
  virtual bool End(size_t task, Result<RdPoint> point) = 0;
};

// In the order in which MeasurePoints starts them.
std::vector<SweepTask> InOrderOfStart(std::span<const SweepTask> tasks,
                                      const std::vector<Curve>& curves);

// Measures what `source` gives of `tasks`, which are in the order of their start and have different
// keys, each task when its turn has come: a process that has more devices or faster ones gets more.
// Returns when there is nothing more to do.
void MeasureShared(std::span<const SweepTask> tasks, const MeasureContext& context,
                   TaskSource& source);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_CREW_SHARED_TASKS_H_
