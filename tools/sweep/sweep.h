// A sweep from beginning to end.
#ifndef MMP_TOOLS_SWEEP_SWEEP_H_
#define MMP_TOOLS_SWEEP_SWEEP_H_

#include "mmp/status.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/results/sweep_results.h"
#include "tools/sweep/sweep_plan.h"

namespace mmp {

// Has `measurer` measure all points that the request asks for, but those that are in the journal of
// its folder, and writes the result files: now and then, and at the end. Images and points that
// fail are listed in the results; of each image, and of each codec's points of it, the first
// failure is reported on stderr. If the request is interrupted, the results are what is done by
// then and say how many points are left. Errors: kIo; kInvalidArgument if the folder has files but
// no journal, and not by force; those of AddMeasuredPoints; if no image can be read, that of the
// first. Without an image that can be read no folder is created.
Result<SweepResults> RunSweep(const SweepRequest& request,
                              const Measurer& measurer = MeasurePoints);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_SWEEP_H_
