// The web page that shows a sweep: curves, Bjontegaard deltas, decoded pictures, times, commands.
#ifndef MMP_TOOLS_SWEEP_REPORT_REPORT_H_
#define MMP_TOOLS_SWEEP_REPORT_REPORT_H_

#include <string>

#include "mmp/status.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

// Writes the page as one file that needs no other. It lies in the folder of the results, where the
// paths of the points start from: pictures are cut from the originals at SweepImage::path and from
// the points' decoded_path or, where there is none, an .mmp bitstream_path. A picture that cannot
// be read is left out, and the page says why. It links to the page that decodes, if that is in the
// folder. Errors: those of WriteFile.
Status WriteReport(const SweepResults& results, const std::string& path);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_REPORT_REPORT_H_
