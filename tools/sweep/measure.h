// The measuring of points: encoded, decoded, verified and compared with the image.
#ifndef MMP_TOOLS_SWEEP_MEASURE_H_
#define MMP_TOOLS_SWEEP_MEASURE_H_

#include <functional>
#include <span>
#include <vector>

#include "mmp/status.h"
#include "tools/sweep/pictures.h"
#include "tools/sweep/results/sweep_results.h"
#include "tools/sweep/sweep_plan.h"

namespace mmp {

// What the tasks are about; all must stay as it is while points are measured.
struct MeasureContext {
  const SweepRequest& request;
  const std::vector<Curve>& curves;
  Pictures& pictures;
};

// Both are called from any of the working threads, for several tasks at once.
struct MeasureEvents {
  // A task's turn has come. Returns whether to measure it: if not, it does not end either.
  std::function<bool(const SweepTask& task)> start;
  // Returns whether to go on: after false no more tasks are started. A task that nothing can work
  // on (its device is gone) ends without having been started.
  std::function<bool(const SweepTask& task, Result<RdPoint> point)> ended;
};

// Something that measures points as MeasurePoints does.
using Measurer = std::function<void(std::span<const SweepTask> tasks, const MeasureContext& context,
                                    const MeasureEvents& events)>;

// Measures the points of all tasks: first those of mmp, which share the machine and its devices as
// EncodeMany has them do, then those of other programs, as many at a time as there are threads. A
// task that fails does not stop the rest. Once the request is interrupted no more are started, and
// those at work need not end. Files that are to be kept are in the folder of the
// request when `ended` is called.
void MeasurePoints(std::span<const SweepTask> tasks, const MeasureContext& context,
                   const MeasureEvents& events);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_MEASURE_H_
