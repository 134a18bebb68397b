#include "tools/rate_target.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "codec/mmp.h"

namespace mmp {
namespace {

// The search runs over log2(lambda), within these ends.
constexpr double kMinExponent = -10;  // rounds to lambda 0
constexpr double kMaxExponent = 16;
static_assert(kMaxLambda == 1 << 16);

// Halving a bracket as narrow as this changes PSNR and rate by less than the tolerances; what jumps
// by more in it cannot be had.
constexpr double kNarrowBracket = 1.0 / 64;

double LambdaAt(double exponent) { return std::round(std::exp2(exponent) * 256) / 256; }

double Measure(const RateTarget& target, const RateTrial& trial) {
  return target.kind == RateTarget::Kind::kPsnr ? trial.psnr : trial.bits_per_pixel;
}

// How far the trial is from the middle of the accepted range, in half widths of that range: close
// enough if in [-1, 1]. Falls with lambda.
double Offset(const RateTarget& target, const RateTrial& trial) {
  const bool is_psnr = target.kind == RateTarget::Kind::kPsnr;
  const double half = (is_psnr ? kPsnrTolerance : kRateTolerance * target.value) / 2;
  const double middle = target.value + (is_psnr ? half : -half);
  return (Measure(target, trial) - middle) / half;
}

// Typical of natural images; the search only starts here.
double FirstExponent(const RateTarget& target) {
  if (target.kind == RateTarget::Kind::kBitsPerPixel) return 5 - 1.6 * std::log2(target.value);
  // At high rates a bit a pixel divides the distortion by 4, so lambda = -dD/dR = 2 ln(2) D.
  const double mse = 255 * 255 * std::pow(10, -target.value / 10);
  return std::log2(2 * std::log(2.0) * mse);
}

// Where the target has been seen to lie, and where to look next.
class Bracket {
 public:
  // Takes note of a trial; `offset` is not 0.
  void Narrow(double exponent, double offset) {
    const bool is_low = offset > 0;
    same_side_ = last_was_low_ == is_low;
    last_was_low_ = is_low;
    (is_low ? low_ : high_) = {exponent, offset};
  }

  bool IsNarrow() const {
    return low_ && high_ && high_->exponent - low_->exponent < kNarrowBracket;
  }

  double Next() {
    if (!low_ || !high_) return Extend();
    const double width = high_->exponent - low_->exponent;
    // Interpolation that moves the same end twice may converge slowly; bisection cannot.
    double part = 0.5;
    if (!same_side_ && std::isfinite(low_->offset)) {
      part = std::clamp(low_->offset / (low_->offset - high_->offset), 0.1, 0.9);
    }
    return low_->exponent + part * width;
  }

 private:
  struct End {
    double exponent;
    double offset;
  };

  double Extend() {
    const double next = low_ ? low_->exponent + step_ : high_->exponent - step_;
    step_ *= 2;
    return std::clamp(next, kMinExponent, kMaxExponent);
  }

  std::optional<End> low_;   // here lambda is too small
  std::optional<End> high_;  // here lambda is too large
  std::optional<bool> last_was_low_;
  bool same_side_ = false;
  double step_ = 1;
};

bool WasTried(const std::vector<RateTrial>& trials, double lambda) {
  return std::any_of(trials.begin(), trials.end(),
                     [lambda](const RateTrial& trial) { return trial.lambda == lambda; });
}

// Lower is better.
std::pair<bool, double> Rank(const RateTarget& target, const RateTrial& trial) {
  if (!Meets(target, trial)) return {true, std::abs(Measure(target, trial) - target.value)};
  return {false, target.kind == RateTarget::Kind::kPsnr ? trial.bits_per_pixel : -trial.psnr};
}

int ChooseTrial(const RateTarget& target, const std::vector<RateTrial>& trials) {
  const auto best = std::min_element(trials.begin(), trials.end(),
                                     [&target](const RateTrial& a, const RateTrial& b) {
                                       return Rank(target, a) < Rank(target, b);
                                     });
  return static_cast<int>(best - trials.begin());
}

}  // namespace

bool Meets(const RateTarget& target, const RateTrial& trial) {
  const double measure = Measure(target, trial);
  return target.kind == RateTarget::Kind::kPsnr ? measure >= target.value : measure <= target.value;
}

Result<RateSearch> FindLambda(const RateTarget& target,
                              const std::function<Result<RateTrial>(double lambda)>& evaluate) {
  RateSearch search;
  Bracket bracket;
  double exponent = std::clamp(FirstExponent(target), kMinExponent, kMaxExponent);
  while (search.trials.size() < kMaxRateTrials && !WasTried(search.trials, LambdaAt(exponent))) {
    const Result<RateTrial> trial = evaluate(LambdaAt(exponent));
    if (!trial.ok()) return trial.status();
    search.trials.push_back(*trial);
    const double offset = Offset(target, *trial);
    if (std::abs(offset) <= 1) break;
    bracket.Narrow(exponent, offset);
    if (bracket.IsNarrow()) break;
    exponent = bracket.Next();
  }
  search.chosen = ChooseTrial(target, search.trials);
  search.met = Meets(target, search.trials[search.chosen]);
  return search;
}

}  // namespace mmp
