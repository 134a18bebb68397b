// Finds the lambda that gives a wanted quality or rate.
#ifndef MMP_TOOLS_RATE_TARGET_H_
#define MMP_TOOLS_RATE_TARGET_H_

#include <functional>
#include <vector>

#include "common/status.h"

namespace mmp {

struct RateTarget {
  enum class Kind {
    kPsnr,          // at least `value` dB
    kBitsPerPixel,  // at most `value` bits
  };
  Kind kind = Kind::kPsnr;
  double value = 0;  // positive
};

// The search ends early once the target is met by less than this.
inline constexpr double kPsnrTolerance = 0.05;  // dB
inline constexpr double kRateTolerance = 0.01;  // of the target

inline constexpr int kMaxRateTrials = 12;

// What an encode at `lambda` came to.
struct RateTrial {
  double lambda = 0;
  double bits_per_pixel = 0;
  double psnr = 0;  // dB; infinite if lossless
};

struct RateSearch {
  std::vector<RateTrial> trials;  // in the order made, at most kMaxRateTrials
  int chosen = 0;                 // index into trials
  bool met = false;               // whether the chosen one meets the target
};

bool Meets(const RateTarget& target, const RateTrial& trial);

// Tries different values of lambda, in [0, kMaxLambda] and multiples of 1/256, taking PSNR and rate
// to fall with lambda; exceptions to that cost closeness, nothing else. Of the trials that meet the
// target it chooses the one of lowest rate (kPsnr) or highest PSNR (kBitsPerPixel) or, where none
// meets it, the closest. Errors: those of `evaluate`.
Result<RateSearch> FindLambda(const RateTarget& target,
                              const std::function<Result<RateTrial>(double lambda)>& evaluate);

}  // namespace mmp

#endif  // MMP_TOOLS_RATE_TARGET_H_
