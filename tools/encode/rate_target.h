// Finds the lambda that gives a wanted quality or rate.
#ifndef MMP_TOOLS_ENCODE_RATE_TARGET_H_
#define MMP_TOOLS_ENCODE_RATE_TARGET_H_

#include <functional>
#include <optional>
#include <vector>

#include "mmp/status.h"

namespace mmp {

struct RateTarget {
  enum class Kind {
    kPsnr,          // at least `value` dB
    kBitsPerPixel,  // at most `value` bits
  };
  Kind kind = Kind::kPsnr;
  double value = 0;  // positive
};

// A target is met closely by at most this more, or less.
inline constexpr double kPsnrTolerance = 0.05;  // dB
inline constexpr double kRateTolerance = 0.01;  // of the target

inline constexpr int kMaxRateTrials = 32;
inline constexpr int kRateTrialsAtOnce = 2;

// What an encode at `lambda` came to.
struct RateTrial {
  double lambda = 0;
  double bits_per_pixel = 0;
  double psnr = 0;  // dB; infinite if lossless
};

bool Meets(const RateTarget& target, const RateTrial& trial);
bool MeetsClosely(const RateTarget& target, const RateTrial& trial);

// Of samples of 8 bits, lambdas below this bring nothing that lambda 0 does not do better.
inline constexpr double kLeastLambda = 1.0 / 8;

struct RateSearchStart {
  double least_lambda = kLeastLambda;  // no other but 0 is tried below it
  std::optional<double> lambda;        // one that should come close, if known
  bool lossless_is_likely = false;     // to be smaller than lossy files
  bool lossless_is_possible = true;    // else 0 is not tried
};

// Encodes at each lambda, in [0, kMaxLambda] and, if the least is kLeastLambda, multiples of 1/256;
// results in the same order.
using RateTrials =
    std::function<Result<std::vector<RateTrial>>(const std::vector<double>& lambdas)>;

struct RateSearch {
  std::vector<RateTrial> trials;  // in the order asked for, of one search at most kMaxRateTrials
  int chosen = 0;                 // index into trials
  bool met = false;               // whether the chosen one meets the target,
  bool met_closely = false;       // and closely
};

// Asks for up to kRateTrialsAtOnce trials at a time, until one meets the target closely or no other
// lambda seems to; PSNR and rate are taken to fall with lambda but for noise. Of the trials that
// meet the target it chooses the one of lowest rate (kPsnr) or highest PSNR (kBitsPerPixel) or,
// where none meets it, the closest. Errors: those of `evaluate`.
Result<RateSearch> FindLambda(const RateTarget& target, const RateSearchStart& start,
                              const RateTrials& evaluate);

}  // namespace mmp

#endif  // MMP_TOOLS_ENCODE_RATE_TARGET_H_
