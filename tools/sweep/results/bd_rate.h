// Bjontegaard deltas: how far one rate-distortion curve is from another.
//
// Bjontegaard, "Calculation of average PSNR differences between RD-curves", VCEG-M33, 2001, with
// piecewise cubic Hermite interpolation (pchip) in log rate, as is usual today.
#ifndef MMP_TOOLS_SWEEP_RESULTS_BD_RATE_H_
#define MMP_TOOLS_SWEEP_RESULTS_BD_RATE_H_

#include <optional>
#include <vector>

namespace mmp {

struct CurvePoint {
  double rate = 0;  // positive; bits per pixel, or bytes
  double psnr = 0;  // dB
};

// Points in any order. Those that are no better than a cheaper one, and lossless ones, do not
// count.
using RdCurve = std::vector<CurvePoint>;

// The mean change of rate from `anchor` to `test` at equal PSNR, in percent: negative if `test`
// needs fewer bits. Over the PSNRs that both curves have; nothing if there are none.
std::optional<double> BdRate(const RdCurve& anchor, const RdCurve& test);

// The mean change of PSNR from `anchor` to `test` at equal rate, in dB. Over the rates that both
// curves have; nothing if there are none.
std::optional<double> BdPsnr(const RdCurve& anchor, const RdCurve& test);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_RESULTS_BD_RATE_H_
