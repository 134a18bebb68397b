// Points that were measured elsewhere, from a table.
#ifndef MMP_TOOLS_SWEEP_RESULTS_MEASURED_POINTS_H_
#define MMP_TOOLS_SWEEP_RESULTS_MEASURED_POINTS_H_

#include <string>

#include "mmp/status.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

// Adds the points of the images of `results`, and their codecs, from a CSV file. Its first line
// names the columns: image, codec, param, bytes, bpp, psnr, and if there are such ssim, ms_ssim,
// encode_s and decode_s (seconds); others do not matter. The results of a sweep are such a file. It
// may begin with a byte-order mark and have semicolons in place of commas, numbers then also with a
// decimal comma.
//
// A row is of the image that has its name, or else of the one whose name is part of it as whole
// words (runs of letters or of digits): lena is in waterloo_lena2 and in set/lena.png. Its rate
// must be that of its bytes for the image's size, so that points of another picture of that name
// are refused.
//
// A codec whose name the results already have gets the file's name in parentheses behind it,
// without extension: x265 (peers); of a sweep's results the name of their folder. Returns what the
// user should know, if anything: which names were taken for an image's, or that no row was for an
// image. Errors: those of ReadFile; kCorrupt, with the row: values that are missing in a row of one
// of the images or are no numbers, rows that have more or fewer cells than the first, quotes that
// are not closed.
Result<std::string> AddMeasuredPoints(const std::string& path, SweepResults& results);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_RESULTS_MEASURED_POINTS_H_
