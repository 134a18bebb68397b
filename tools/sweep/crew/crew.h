// A sweep by many processes: rank 0 leads it and measures points too, the others measure what it
// hands out, a point at a time.
#ifndef MMP_TOOLS_SWEEP_CREW_CREW_H_
#define MMP_TOOLS_SWEEP_CREW_CREW_H_

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "mmp/status.h"
#include "tools/sweep/crew/ranks.h"
#include "tools/sweep/crew/task_ledger.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/sweep_plan.h"

namespace mmp {

struct CrewTiming {
  // A rank that waits polls for messages at this interval and sleeps between: MPI's own waiting
  // keeps a core busy.
  std::chrono::milliseconds poll{1};
  std::chrono::milliseconds alive{1000};  // ranks say so often that they are there
  // One that has not for so long is given up.
  std::chrono::milliseconds silence{20000};
};

// Rank 0's part.
class Leader {
 public:
  explicit Leader(Ranks& ranks, CrewTiming timing = {});
  // Lets the other ranks go.
  ~Leader();
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  // As MeasurePoints, by all ranks. One that cannot take part is reported on stderr; what a rank
  // has not done when it leaves or is given up is done by the others. If this one has no device, it
  // measures only when all others have left. If the request is interrupted, all ranks stop.
  void Measure(std::span<const SweepTask> tasks, const MeasureContext& context,
               const MeasureEvents& events);

  // Some rank was given up: it may not answer even at the end.
  bool lost_any() const;

 private:
  struct Worker {
    std::string host = {};  // once known
    bool waiting = false;   // for a task
    bool left = false;      // takes no part
    bool lost = false;
    bool ended = false;                  // has been told that there is nothing more to do
    std::chrono::milliseconds silent{};  // while we listened
  };
  class Work;

  std::string NameOf(int rank) const;
  void End(int rank);

  Ranks& ranks_;
  const CrewTiming timing_;
  std::vector<Worker> workers_;  // by rank; [0] is not used
};

// The part of the other ranks, until the leader lets them go. `request` comes from the same command
// line as the leader's. If it is none, or if this process does not find what it needs (images, the
// sweep's folder, the same encoders), the leader is told why and this rank takes no part; nor does
// it any more once its request is interrupted.
void WorkForLeader(Ranks& ranks, const Result<SweepRequest>& request, CrewTiming timing = {});

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_CREW_CREW_H_
