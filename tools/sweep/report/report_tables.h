// What the report computes from the points: average curves and Bjontegaard deltas.
#ifndef MMP_TOOLS_SWEEP_REPORT_REPORT_TABLES_H_
#define MMP_TOOLS_SWEEP_REPORT_REPORT_TABLES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/sweep/results/sweep_results.h"

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

struct Averages {
  std::vector<size_t> images;        // that they are over: the same for all points
  std::vector<AveragePoint> points;  // sorted by codec, then bits per pixel
};

// The usual average of curves: mean rate and mean quality at equal parameter. A parameter at which
// one of the images has no point or a lossless one is left out; so is a value that not all of its
// points have.
//
// A small picture that is lossless at most lambdas, or that some codec refuses, must not take whole
// curves out: images that lack more than half of a codec's parameters are in no codec's averages.
// Those that have no MS-SSIM, being small, do not count in the means of that (likewise SSIM). But
// images are left out only while they have a quarter of all pixels at most: else it is the codec,
// or the value, that is not averaged.
Averages AverageCurves(const SweepResults& results);

// The deltas of every codec against every other: [anchor][test][image]; nothing on the diagonal and
// where the curves share no range.
using DeltaTable = std::vector<std::vector<std::vector<std::optional<double>>>>;

struct Deltas {
  DeltaTable bd_rate;  // percent
  DeltaTable bd_psnr;  // dB
};

Deltas ComputeDeltas(const SweepResults& results);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_REPORT_REPORT_TABLES_H_
