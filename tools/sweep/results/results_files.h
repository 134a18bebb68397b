// The results of a sweep as tables and as JSON.
#ifndef MMP_TOOLS_SWEEP_RESULTS_RESULTS_FILES_H_
#define MMP_TOOLS_SWEEP_RESULTS_RESULTS_FILES_H_

#include <string>

#include "mmp/status.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

// A row a point, under the names of the columns: image, codec, preset and lambda (of mmp's points),
// param, bytes, bpp, psnr, ssim, ms_ssim, encode_s, decode_s and, of mmp's points, the bits of each
// syntax element. What is not known is empty; a lossless point's PSNR is inf.
std::string PointsCsv(const SweepResults& results);

// BD-rate (percent) and BD-PSNR (dB) of each codec against each other one: a row an image where the
// curves overlap, then one that says "mean", over these.
std::string DeltasCsv(const SweepResults& results);

// Everything, as one object.
std::string ResultsJson(const SweepResults& results);

// Writes the three into the folder, under the names in sweep_folder.h. Errors: kIo.
Status WriteResultFiles(const SweepResults& results, const std::string& folder);

// For people to read: the BD-rate of each of mmp's curves against all others, by image and in the
// mean. Empty if there is nothing to compare.
std::string DeltasText(const SweepResults& results);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_RESULTS_RESULTS_FILES_H_
