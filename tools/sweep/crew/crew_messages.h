// What the ranks of a sweep tell each other, as text.
#ifndef MMP_TOOLS_SWEEP_CREW_CREW_MESSAGES_H_
#define MMP_TOOLS_SWEEP_CREW_CREW_MESSAGES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mmp/status.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/results/sweep_results.h"
#include "tools/sweep/sweep_plan.h"

namespace mmp {

// The images and the keys of the tasks: the rest follows from the request, which all ranks have.
std::string PlanText(std::span<const SweepTask> tasks, const MeasureContext& context);

struct ReceivedPlan {
  std::vector<SweepImage> images;  // without names
  std::vector<std::string> keys;
};
// Nothing if the text is not of the same request.
std::optional<ReceivedPlan> ReadPlan(const std::string& text, const SweepRequest& request);

// How a task ended. A failure is received with code kIo, whatever it was.
struct TaskEnd {
  size_t task = 0;
  Result<RdPoint> point;
};
std::string EndText(const TaskEnd& end);
// Nothing if the text is not of one of so many tasks, with a point or a failure.
std::optional<TaskEnd> ReadEnd(const std::string& text, size_t tasks);

// A task's number, or none.
std::string TaskText(std::optional<size_t> task);
std::optional<size_t> ReadTask(const std::string& text);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_CREW_CREW_MESSAGES_H_
