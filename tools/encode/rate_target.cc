#include "tools/encode/rate_target.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mmp/mmp.h"

namespace mmp {
namespace {

constexpr double kMaxExponent = 16;
static_assert(kMaxLambda == 1 << 16);

// Files at lambdas this near differ as much by chance as by lambda, as their dictionaries grow
// differently. Steps within this distance are those of a fixed grid.
constexpr double kNear = 1.0 / 16;
constexpr double kGrid = 1.0 / 128;

// A change within kNear, in tolerances, that chance does not explain.
constexpr double kStep = 12;

// The search runs over log2(lambda). Less than the least exponent brings nothing that lambda 0 does
// not do better; that, where it is possible, has an exponent of its own.
class Exponents {
 public:
  Exponents(double least_lambda, bool lossless_is_possible)
      : least_lambda_(least_lambda),
        least_(std::log2(least_lambda)),
        lowest_(lossless_is_possible ? lossless() : least_) {}

  double least() const { return least_; }
  double lossless() const { return least_ - 1; }
  // The lower of these two that can be tried.
  double lowest() const { return lowest_; }

  double LambdaAt(double exponent) const {
    if (exponent < least_ && lowest_ < least_) return 0;
    if (exponent <= least_) return least_lambda_;
    const double lambda = std::exp2(exponent);
    return least_ < std::log2(kLeastLambda) ? lambda : std::round(lambda * 256) / 256;
  }
  double Of(double lambda) const { return lambda == 0 ? lossless() : std::log2(lambda); }
  // Away from the ends.
  double Inside(double exponent) const {
    return std::clamp(exponent, least_ + 1, kMaxExponent - 1);
  }

 private:
  double least_lambda_, least_, lowest_;
};

double Measure(const RateTarget& target, const RateTrial& trial) {
  return target.kind == RateTarget::Kind::kPsnr ? trial.psnr : trial.bits_per_pixel;
}

// How far the trial is from the middle of what meets the target closely, in tolerances. Falls with
// lambda, by about Slope an octave.
double Offset(const RateTarget& target, const RateTrial& trial) {
  constexpr double kMost = 500;  // for lossless files and empty ones
  const double measure = Measure(target, trial);
  const double offset = target.kind == RateTarget::Kind::kPsnr
                            ? (measure - target.value) / kPsnrTolerance - 0.5
                            : std::log(measure / target.value) / kRateTolerance + 0.5;
  return std::clamp(offset, -kMost, kMost);
}

// Typical of natural images, as is FirstExponent.
double Slope(const RateTarget& target) {
  return target.kind == RateTarget::Kind::kPsnr ? 2.3 / kPsnrTolerance : 0.3 / kRateTolerance;
}

double FirstExponent(const RateTarget& target) {
  return target.kind == RateTarget::Kind::kPsnr ? 6.5 - (target.value - 32) / 2.4
                                                : 4.5 - 1.8 * std::log2(target.value);
}

// Lossless where nothing else can be better: it is within the rate, or no larger than a file of no
// more than the quality.
bool LosslessIsBest(const RateTarget& target, const std::vector<RateTrial>& trials) {
  const auto lossless = std::ranges::find(trials, 0.0, &RateTrial::lambda);
  if (lossless == trials.end()) return false;
  if (target.kind == RateTarget::Kind::kBitsPerPixel) return Meets(target, *lossless);
  return std::ranges::any_of(trials, [&](const RateTrial& trial) {
    return trial.psnr <= target.value + kPsnrTolerance &&
           trial.bits_per_pixel >= lossless->bits_per_pixel;
  });
}

// Lower is better. To meet the target closely goes before all else.
std::pair<int, double> Rank(const RateTarget& target, const RateTrial& trial) {
  if (!Meets(target, trial)) return {2, std::abs(Measure(target, trial) - target.value)};
  return {MeetsClosely(target, trial) ? 0 : 1,
          target.kind == RateTarget::Kind::kPsnr ? trial.bits_per_pixel : -trial.psnr};
}

int ChooseTrial(const RateTarget& target, const std::vector<RateTrial>& trials) {
  const auto rank = [&target](const RateTrial& trial) { return Rank(target, trial); };
  const auto best = LosslessIsBest(target, trials)
                        ? std::ranges::find(trials, 0.0, &RateTrial::lambda)
                        : std::ranges::min_element(trials, {}, rank);
  return static_cast<int>(best - trials.begin());
}

// What is known of the way from lambda to the target, and where to look next.
class Chart {
 public:
  Chart(double slope, const Exponents& exponents) : slope_(slope), exponents_(exponents) {}

  void Add(double exponent, double offset) {
    points_.insert(std::ranges::upper_bound(points_, exponent, {}, &Point::exponent),
                   {exponent, offset});
  }

  // Exponents to try, none if there is nothing left to try.
  std::vector<double> Next() {
    const std::optional<Bracket> bracket = FindBracket();
    if (!bracket) return points_.back().offset > 0 ? ExtendUp() : ExtendDown();
    const double width = bracket->high.exponent - bracket->low.exponent;
    const double jump = bracket->low.offset - bracket->high.offset;
    const bool is_step = width <= kNear && jump > kStep;
    if (is_step && width < kGrid / 2) return {};
    const bool is_near = width <= kNear || bracket->Nearest().IsNear();
    const double cut = std::clamp(bracket->low.offset / jump, 0.1, 0.9);
    if (is_near && !is_step) {
      // A candidate for each case: the ends differ because of lambda, or by chance.
      std::vector<double> next = Tidy({bracket->low.exponent + cut * width});
      AddNearestOnGrid(Vote(*bracket), next);
      return next;
    }
    // Where interpolation shrinks the bracket slowly, it is cut into thirds.
    const bool is_slow = is_step || width > last_width_ / 2;
    last_width_ = width;
    const double part = is_slow ? 0.5 : cut;
    const double spread = is_slow ? 1.0 / 6 : 0.025;
    return Tidy({bracket->low.exponent + (part - spread) * width,
                 bracket->low.exponent + (part + spread) * width});
  }

 private:
  struct Point {
    double exponent;
    double offset;

    bool IsNear() const { return std::abs(offset) <= 4; }
  };
  struct Bracket {
    Point low;   // lambda is too small,
    Point high;  // too large

    const Point& Nearest() const { return low.offset < -high.offset ? low : high; }
  };

  // Of neighbours that have the target between them the closest to it.
  std::optional<Bracket> FindBracket() const {
    std::optional<Bracket> best;
    const auto jump = [](const Bracket& b) { return b.low.offset - b.high.offset; };
    for (size_t i = 1; i < points_.size(); ++i) {
      const Bracket bracket = {points_[i - 1], points_[i]};
      if (bracket.low.offset > 0 && bracket.high.offset <= 0 &&
          (!best || jump(bracket) < jump(*best)))
        best = bracket;
    }
    return best;
  }

  // The slope between the two points, if it is a likely one.
  double SlopeBetween(const Point& a, const Point& b) const {
    const double slope = (a.offset - b.offset) / (b.exponent - a.exponent);
    return std::clamp(slope, slope_ / 2, slope_ * 2);
  }

  std::vector<double> ExtendUp() {
    const Point& last = points_.back();
    if (last.exponent >= kMaxExponent) return {};
    const double slope =
        points_.size() > 1 ? SlopeBetween(points_[points_.size() - 2], last) : slope_;
    const double step = std::clamp(last.offset / slope, kNear, 4.0);
    return Tidy({last.exponent + 0.9 * step, last.exponent + 1.2 * step});
  }

  std::vector<double> ExtendDown() {
    const Point& first = points_.front();
    if (first.exponent <= exponents_.lowest()) return {};
    const double slope = points_.size() > 1 ? SlopeBetween(first, points_[1]) : slope_;
    const double step = std::clamp(-first.offset / slope, kNear, 4.0);
    return Tidy({first.exponent - 0.9 * step, first.exponent - 1.2 * step});
  }

  // Each trial nearby tells where the target is, with an error; the mean.
  double Vote(const Bracket& bracket) const {
    const double middle = bracket.Nearest().exponent;
    double sum = 0;
    int count = 0;
    for (const Point& point : points_) {
      if (std::abs(point.exponent - middle) > kNear) continue;
      sum += point.exponent + point.offset / slope_;
      ++count;
    }
    return sum / count;
  }

  bool WasTried(double exponent) const {
    const double lambda = exponents_.LambdaAt(exponent);
    return std::ranges::any_of(
        points_, [&](const Point& point) { return exponents_.LambdaAt(point.exponent) == lambda; });
  }

  // Fills `next` up with what is nearest and has not been tried.
  void AddNearestOnGrid(double exponent, std::vector<double>& next) const {
    constexpr int kMostSteps = 16;
    const double middle = std::round(exponent / kGrid);
    for (int i = 0; i <= 2 * kMostSteps && next.size() < kRateTrialsAtOnce; ++i) {
      const int steps = i % 2 == 0 ? i / 2 : -(i + 1) / 2;
      next.push_back(std::clamp(kGrid * (middle + steps), exponents_.least(), kMaxExponent));
      next = Tidy(next);
    }
  }

  // Without what was tried, or is twice there.
  std::vector<double> Tidy(const std::vector<double>& exponents) const {
    std::vector<double> tidy;
    for (double exponent : exponents) {
      if (exponent < exponents_.least())
        exponent = points_.front().exponent == exponents_.lowest() ? exponents_.least()
                                                                   : exponents_.lowest();
      exponent = std::min(exponent, kMaxExponent);
      const double lambda = exponents_.LambdaAt(exponent);
      if (!WasTried(exponent) && (tidy.empty() || exponents_.LambdaAt(tidy[0]) != lambda))
        tidy.push_back(exponent);
    }
    return tidy;
  }

  const double slope_;
  const Exponents& exponents_;
  std::vector<Point> points_;  // by exponent
  double last_width_ = 1e9;
};

std::vector<double> FirstExponents(const RateTarget& target, const RateSearchStart& start,
                                   const Exponents& exponents) {
  const double exponent =
      exponents.Inside(start.lambda ? exponents.Of(*start.lambda) : FirstExponent(target));
  if (start.lossless_is_likely) return {exponents.lossless(), exponent};
  const double spread = start.lambda ? 0.25 : 1;
  return {exponent - spread, exponent + spread};
}

}  // namespace

bool Meets(const RateTarget& target, const RateTrial& trial) {
  const double measure = Measure(target, trial);
  return target.kind == RateTarget::Kind::kPsnr ? measure >= target.value : measure <= target.value;
}

bool MeetsClosely(const RateTarget& target, const RateTrial& trial) {
  if (!Meets(target, trial)) return false;
  return target.kind == RateTarget::Kind::kPsnr
             ? trial.psnr <= target.value + kPsnrTolerance
             : trial.bits_per_pixel >= target.value * (1 - kRateTolerance);
}

Result<RateSearch> FindLambda(const RateTarget& target, const RateSearchStart& start,
                              const RateTrials& evaluate) {
  RateSearch search;
  const Exponents exponents(start.least_lambda, start.lossless_is_possible);
  Chart chart(Slope(target), exponents);
  std::vector<double> next = FirstExponents(target, start, exponents);
  while (!next.empty() && search.trials.size() < kMaxRateTrials) {
    std::vector<double> lambdas(next.size());
    std::ranges::transform(next, lambdas.begin(),
                           [&](double exponent) { return exponents.LambdaAt(exponent); });
    const Result<std::vector<RateTrial>> trials = evaluate(lambdas);
    if (!trials.ok()) return trials.status();
    bool is_close = false;
    for (const RateTrial& trial : *trials) {
      search.trials.push_back(trial);
      chart.Add(exponents.Of(trial.lambda), Offset(target, trial));
      is_close = is_close || MeetsClosely(target, trial);
    }
    if (is_close || LosslessIsBest(target, search.trials)) break;
    next = chart.Next();
    next.resize(std::min(next.size(), kMaxRateTrials - search.trials.size()));
  }
  search.chosen = ChooseTrial(target, search.trials);
  search.met = Meets(target, search.trials[search.chosen]);
  search.met_closely = MeetsClosely(target, search.trials[search.chosen]);
  return search;
}

}  // namespace mmp
