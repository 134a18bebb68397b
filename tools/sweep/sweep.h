// A sweep from beginning to end.
#ifndef MMP_TOOLS_SWEEP_SWEEP_H_
#define MMP_TOOLS_SWEEP_SWEEP_H_

#include "common/status.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/sweep_plan.h"
#include "tools/sweep/sweep_results.h"

namespace mmp {

// Has `measurer` measure all points that the request asks for, but those that are in the journal of
// its folder, and writes the result files: now and then, and at the end. Images and points that
// fail are listed in the results; of each image, and of each codec's points of it, the first
// failure is reported on stderr.
// Errors: kIo; those of AddMeasuredPoints.
Result<SweepResults> RunSweep(const SweepRequest& request,
                              const Measurer& measurer = MeasurePoints);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_SWEEP_H_
