// What the report computes from the points: average curves and Bjontegaard deltas.
#ifndef MMP_TOOLS_SWEEP_REPORT_TABLES_H_
#define MMP_TOOLS_SWEEP_REPORT_TABLES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/sweep/sweep_results.h"

namespace mmp {

// One codec's points at one setting, over all images.
struct AveragePoint {
  size_t codec = 0;  // index in SweepResults::codecs
  double parameter = 0;
  double bits_per_pixel = 0;  // this and the qualities are arithmetic means over the images
  double psnr = 0;            // dB
  std::optional<double> ssim;
  std::optional<double> ms_ssim;
  std::optional<double> seconds_per_megapixel;  // of encoding, all images together
};

// The usual average of curves: mean rate and mean quality at equal parameter. A parameter at which
// an image has no point or a lossless one is left out; so is a value that not all of its points
// have. Sorted by codec, then bits per pixel.
std::vector<AveragePoint> AverageCurves(const SweepResults& results);

// The deltas of every codec against every other: [anchor][test][image]; nothing on the diagonal and
// where the curves share no range.
using DeltaTable = std::vector<std::vector<std::vector<std::optional<double>>>>;

struct Deltas {
  DeltaTable bd_rate;  // percent
  DeltaTable bd_psnr;  // dB
};

Deltas ComputeDeltas(const SweepResults& results);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_REPORT_TABLES_H_
