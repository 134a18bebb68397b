#include "tools/sweep/results/bd_rate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace mmp {
namespace {

// A point of a curve has more of both than the last by these at least.
constexpr double kLeastRateStep = 1e-9;  // of the rate
constexpr double kLeastPsnrStep = 1e-9;  // dB
constexpr double kLeastOverlap = 1e-6;   // dB, of two curves

// A monotone piecewise cubic through points of increasing x: Fritsch and Butland, "A method for
// constructing local monotone piecewise cubic interpolants", 1984.
class Pchip {
 public:
  // At least two points, x strictly increasing.
  Pchip(std::vector<double> x, std::vector<double> y)
      : x_(std::move(x)), y_(std::move(y)), slopes_(x_.size()) {
    for (size_t i = 1; i + 1 < x_.size(); ++i) slopes_[i] = InnerSlope(i);
    slopes_.front() = EndSlope(0, 1);
    slopes_.back() = EndSlope(Pieces() - 1, -1);
  }

  // The integral from `low` to `high`, both within the points.
  double Integral(double low, double high) const {
    double sum = 0;
    for (size_t i = 0; i < Pieces(); ++i) {
      const double from = std::max(low, x_[i]);
      const double to = std::min(high, x_[i + 1]);
      if (from < to) sum += Primitive(i, to - x_[i]) - Primitive(i, from - x_[i]);
    }
    return sum;
  }

 private:
  size_t Pieces() const { return x_.size() - 1; }
  double Width(size_t piece) const { return x_[piece + 1] - x_[piece]; }
  double Secant(size_t piece) const { return (y_[piece + 1] - y_[piece]) / Width(piece); }

  // The weighted harmonic mean of the slopes beside point i, 0 where they differ in sign.
  double InnerSlope(size_t i) const {
    const double before = Secant(i - 1);
    const double after = Secant(i);
    if (before * after <= 0) return 0;
    const double weight_before = 2 * Width(i) + Width(i - 1);
    const double weight_after = Width(i) + 2 * Width(i - 1);
    return (weight_before + weight_after) / (weight_before / before + weight_after / after);
  }

  // At the end of `piece` that has no neighbour; the next piece is `piece + step`. From the
  // parabola through three points, limited so that the curve stays monotone.
  double EndSlope(size_t piece, int step) const {
    const double secant = Secant(piece);
    if (Pieces() == 1) return secant;
    const double next_secant = Secant(piece + step);
    const double width = Width(piece);
    const double next_width = Width(piece + step);
    const double slope =
        ((2 * width + next_width) * secant - width * next_secant) / (width + next_width);
    if (slope * secant <= 0) return 0;
    if (secant * next_secant < 0 && std::abs(slope) > 3 * std::abs(secant)) return 3 * secant;
    return slope;
  }

  // The integral of a piece from its start to `t` after it.
  double Primitive(size_t piece, double t) const {
    const double width = Width(piece);
    const double secant = Secant(piece);
    const double slope = slopes_[piece];
    const double end_slope = slopes_[piece + 1];
    const double square = (3 * secant - 2 * slope - end_slope) / width;
    const double cube = (slope + end_slope - 2 * secant) / (width * width);
    return t * (y_[piece] + t * (slope / 2 + t * (square / 3 + t * cube / 4)));
  }

  std::vector<double> x_, y_, slopes_;
};

// Sorted, strictly increasing in rate and in PSNR.
RdCurve Frontier(RdCurve points) {
  std::erase_if(points, [](const CurvePoint& point) {
    return !std::isfinite(point.rate) || !std::isfinite(point.psnr) || point.rate <= 0;
  });
  std::sort(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) {
    return a.rate != b.rate ? a.rate < b.rate : a.psnr > b.psnr;
  });
  RdCurve frontier;
  for (const CurvePoint& point : points) {
    const bool better =
        frontier.empty() || (point.psnr > frontier.back().psnr + kLeastPsnrStep &&
                             point.rate > frontier.back().rate * (1 + kLeastRateStep));
    if (better) frontier.push_back(point);
  }
  return frontier;
}

// A function known at increasing x.
struct Samples {
  std::vector<double> x, y;
};

Samples LogRateOfPsnr(const RdCurve& points) {
  Samples samples;
  for (const CurvePoint& point : Frontier(points)) {
    samples.x.push_back(point.psnr);
    samples.y.push_back(std::log(point.rate));
  }
  return samples;
}

Samples PsnrOfLogRate(const RdCurve& points) {
  const Samples inverse = LogRateOfPsnr(points);
  return {inverse.y, inverse.x};
}

// The mean of test - anchor over the x that both have.
std::optional<double> MeanDifference(const Samples& anchor, const Samples& test,
                                     double least_overlap) {
  if (anchor.x.size() < 2 || test.x.size() < 2) return std::nullopt;
  const double low = std::max(anchor.x.front(), test.x.front());
  const double high = std::min(anchor.x.back(), test.x.back());
  if (high - low <= least_overlap) return std::nullopt;
  const double difference =
      Pchip(test.x, test.y).Integral(low, high) - Pchip(anchor.x, anchor.y).Integral(low, high);
  return difference / (high - low);
}

}  // namespace

std::optional<double> BdRate(const RdCurve& anchor, const RdCurve& test) {
  const std::optional<double> difference =
      MeanDifference(LogRateOfPsnr(anchor), LogRateOfPsnr(test), kLeastOverlap);
  if (!difference) return std::nullopt;
  return 100 * std::expm1(*difference);
}

std::optional<double> BdPsnr(const RdCurve& anchor, const RdCurve& test) {
  return MeanDifference(PsnrOfLogRate(anchor), PsnrOfLogRate(test), 0);
}

}  // namespace mmp
