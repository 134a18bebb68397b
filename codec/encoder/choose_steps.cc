#include "codec/encoder/choose_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace mmp {
namespace {

// Multipliers of coded samples with which finer steps would gain nothing: where it is noise that
// is coded, and where it is smooth things beneath it, whose errors are much below lambda.
constexpr double kFineLambda = 3;
constexpr double kSmoothLambda = 12;
// Steps of this share of the noise's variance, squared, are fine for what is beneath it.
constexpr double kNoiseShare = 0.5;
// What lies near a sample has this share of all samples.
constexpr uint64_t kNear = 8192;
constexpr int kSteps = 255;

// For values above 0, by arithmetic that is the same on all machines.
double CubeRoot(double value) {
  int exponent;
  const double mantissa = std::frexp(value, &exponent);  // in [1/2, 1)
  const int third = (exponent + 3 * 1024) / 3 - 1024;    // rounded down
  const double rest = std::ldexp(mantissa, exponent - 3 * third);
  double root = 1;
  for (int round = 0; round < 8; ++round) root -= (root - rest / (root * root)) / 3;
  return std::ldexp(root, third);
}

// About the variance of the noise, if most of the image is smooth beneath it: by the median of the
// second differences across and down, whose deviation is twice the noise's.
double NoiseVariance(const ImageView& image) {
  if (image.width == 1 || image.height == 1) return 0;
  std::vector<uint64_t> counts(2 * LargestSample(image.depth) + 1);  // by difference
  for (int y = 1; y < image.height; ++y)
    for (int x = 1; x < image.width; ++x)
      ++counts[std::abs(image.Sample(y, x) - image.Sample(y, x - 1) - image.Sample(y - 1, x) +
                        image.Sample(y - 1, x - 1))];
  uint64_t before = uint64_t{1} * (image.width - 1) * (image.height - 1) / 2;
  int median = 0;
  for (; before >= counts[median]; ++median) before -= counts[median];
  constexpr double kMedianOfNormal = 0.6745;
  const double deviation = median / (2 * kMedianOfNormal);
  return deviation * deviation;
}

// The finest step of any use: see the constants.
double LeastStep(const ImageView& image, double lambda) {
  const double beneath_noise = std::max(kNoiseShare * NoiseVariance(image), lambda / kSmoothLambda);
  return std::max(1.0, std::sqrt(std::min(lambda / kFineLambda, beneath_noise)));
}

// How many samples are near each of [low, high], a sample's width of them.
class Densities {
 public:
  Densities(const ImageView& image, SampleRange range)
      : size_(range.high - range.low + 1), before_(size_ + 1) {
    const std::vector<uint64_t> counts = CountSamples(image);
    for (int k = 0; k < size_; ++k) before_[k + 1] = before_[k] + counts[range.low + k];
  }

  // Of low + k: the density of the least interval around it that has its share of all samples.
  double At(int k) const {
    const uint64_t share = before_[size_] / kNear + 1;
    int least = 0, most = size_;
    while (least < most) {
      const int reach = (least + most) / 2;
      if (Count(k, reach) >= share)
        most = reach;
      else
        least = reach + 1;
    }
    return static_cast<double>(Count(k, least)) / Width(k, least);
  }

 private:
  int First(int k, int reach) const { return std::max(k - reach, 0); }
  int End(int k, int reach) const { return std::min(k + reach + 1, size_); }
  int Width(int k, int reach) const { return End(k, reach) - First(k, reach); }
  uint64_t Count(int k, int reach) const {
    return before_[End(k, reach)] - before_[First(k, reach)];
  }

  int size_;
  std::vector<uint64_t> before_;
};

// The steps that are wanted, at each sample from low to high.
class WantedSteps {
 public:
  // `least`: no step is finer.
  WantedSteps(const ImageView& image, SampleRange range, double least) : least_(least) {
    const Densities densities(image, range);
    for (int k = 0; k <= range.high - range.low; ++k) {
      // The least mean squared step for so many steps.
      relative_.push_back(1 / CubeRoot(densities.At(k)));
    }
    // The least scale with which the steps reach from low to high.
    double low = 0, high = 1;
    while (Steps(high) > kSteps) high *= 2;
    for (int round = 0; round < 32; ++round) {
      scale_ = (low + high) / 2;
      (Steps(scale_) > kSteps ? low : high) = scale_;
    }
    scale_ = high;
  }

  // The means of the runs, the last of which is as long as the others.
  std::array<double, kStepRuns> OfRuns() const {
    std::array<double, kStepRuns> means{};
    double coded = 0;
    for (const double relative : relative_) {
      const int run = std::min(static_cast<int>(coded / kRunSteps), kStepRuns - 1);
      means[run] += 1.0 / kRunSteps;
      coded += 1 / Step(relative, scale_);
    }
    return means;
  }

 private:
  double Step(double relative, double scale) const { return std::max(least_, scale * relative); }
  double Steps(double scale) const {
    double sum = 0;
    for (const double relative : relative_) sum += 1 / Step(relative, scale);
    return sum;
  }

  const double least_;
  std::vector<double> relative_;
  double scale_ = 0;
};

}  // namespace

SampleRange ChooseSteps(const ImageView& image, double lambda) {
  SampleRange range = RangeOf(image);
  if (image.depth < 8 || lambda == 0) return range;
  const double least = LeastStep(image, lambda);
  if (range.high - range.low <= kSteps * least) return range;
  const auto steps = WantedSteps(image, range, least).OfRuns();
  const double unit = std::ranges::min(steps) / static_cast<double>(StepSize(0));
  for (int k = 0; k < kStepRuns; ++k) {
    int code = 0;
    while (code < kMostStepCode && static_cast<double>(StepSize(code)) * unit < steps[k]) ++code;
    range.steps[k] = static_cast<uint8_t>(code);
  }
  return range;
}

}  // namespace mmp
