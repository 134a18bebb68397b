#include "common/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace mmp {
namespace {

constexpr int kWindowSide = 11;     // pixels
constexpr double kDeviation = 1.5;  // pixels

double Peak(int depth) { return LargestSample(depth); }

[[maybe_unused]] bool Comparable(const ImageView& a, const ImageView& b) {
  return a.width == b.width && a.height == b.height && a.width > 0 && a.height > 0 &&
         a.depth == b.depth;
}

// An ImageView of samples of two bytes, with rows of their type.
struct DeepView {
  explicit DeepView(const ImageView& view)
      : width(view.width), height(view.height), samples(view) {}

  int width;   // pixels
  int height;  // pixels
  ImageView samples;

  const uint16_t* Row(int y) const { return samples.Row16(y); }
};

// Calls `measure` with two views whose rows have the type that samples of this depth take.
template <typename Measure>
auto OfSamples(const ImageView& a, const ImageView& b, const Measure& measure) {
  return a.depth <= 8 ? measure(a, b) : measure(DeepView(a), DeepView(b));
}

constexpr int kScales = 5;
constexpr double kScaleExponents[kScales] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

// Weights of a window along a side of the image, sum 1.
std::vector<double> GaussianWindow(int image_side) {
  const int side = std::min(kWindowSide, image_side);
  std::vector<double> weights(side);
  double sum = 0;
  for (int i = 0; i < side; ++i) {
    const double distance = i - (side - 1) / 2.0;
    weights[i] = std::exp(-distance * distance / (2 * kDeviation * kDeviation));
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Weighted sums over a window or a column of one.
struct Moments {
  double a = 0, b = 0;  // of the samples
  double squares = 0;   // of a^2 + b^2
  double products = 0;  // of a b
};

// moments[x] = the sums over column x of the rows [y, y + weights.size()). View: ImageView,
// DeepView or Plane.
template <typename View>
void ColumnMoments(const View& a, const View& b, int y, const std::vector<double>& weights,
                   std::vector<Moments>& moments) {
  std::fill(moments.begin(), moments.end(), Moments{});
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto* row_a = a.Row(y + static_cast<int>(i));
    const auto* row_b = b.Row(y + static_cast<int>(i));
    for (int x = 0; x < a.width; ++x) {
      const double sample_a = row_a[x];
      const double sample_b = row_b[x];
      Moments& sums = moments[x];
      sums.a += weights[i] * sample_a;
      sums.b += weights[i] * sample_b;
      sums.squares += weights[i] * (sample_a * sample_a + sample_b * sample_b);
      sums.products += weights[i] * (sample_a * sample_b);
    }
  }
}

Moments WindowMoments(const Moments* columns, const std::vector<double>& weights) {
  Moments sums;
  for (size_t i = 0; i < weights.size(); ++i) {
    sums.a += weights[i] * columns[i].a;
    sums.b += weights[i] * columns[i].b;
    sums.squares += weights[i] * columns[i].squares;
    sums.products += weights[i] * columns[i].products;
  }
  return sums;
}

// The two factors of the similarity of a window, or their means over windows.
struct Similarity {
  double structure = 0;  // of contrast and structure alone
  double all = 0;        // with luminance
};

// What keeps the factors defined where a window is flat or black.
struct Stabilizers {
  explicit Stabilizers(int depth)
      : c1((0.01 * Peak(depth)) * (0.01 * Peak(depth))),
        c2((0.03 * Peak(depth)) * (0.03 * Peak(depth))) {}

  double c1, c2;
};

Similarity SimilarityOf(const Moments& m, const Stabilizers& k) {
  const double square_means = m.a * m.a + m.b * m.b;
  const double mean_product = m.a * m.b;
  const double variances = m.squares - square_means;
  const double covariance = m.products - mean_product;
  return {(2 * covariance + k.c2) / (variances + k.c2),
          ((2 * mean_product + k.c1) * (2 * covariance + k.c2)) /
              ((square_means + k.c1) * (variances + k.c2))};
}

template <typename View>
Similarity MeanSimilarity(const View& a, const View& b, const Stabilizers& stabilizers) {
  const std::vector<double> weights_x = GaussianWindow(a.width);
  const std::vector<double> weights_y = GaussianWindow(a.height);
  const int windows_x = a.width - static_cast<int>(weights_x.size()) + 1;
  const int windows_y = a.height - static_cast<int>(weights_y.size()) + 1;
  std::vector<Moments> columns(a.width);
  Similarity sum;
  for (int y = 0; y < windows_y; ++y) {
    ColumnMoments(a, b, y, weights_y, columns);
    Similarity row_sum;
    for (int x = 0; x < windows_x; ++x) {
      const Similarity similarity =
          SimilarityOf(WindowMoments(&columns[x], weights_x), stabilizers);
      row_sum.structure += similarity.structure;
      row_sum.all += similarity.all;
    }
    sum.structure += row_sum.structure;
    sum.all += row_sum.all;
  }
  const double windows = static_cast<double>(windows_x) * windows_y;
  return {sum.structure / windows, sum.all / windows};
}

// Samples that are no integers.
struct Plane {
  int width = 0;   // samples
  int height = 0;  // samples
  std::vector<float> samples;

  const float* Row(int y) const { return samples.data() + static_cast<size_t>(y) * width; }
};

// Half of each side, rounded up.
template <typename View>
Plane Halved(const View& view) {
  Plane half{(view.width + 1) / 2, (view.height + 1) / 2, {}};
  half.samples.reserve(static_cast<size_t>(half.width) * half.height);
  for (int y = 0; y < view.height; y += 2) {
    const auto* top = view.Row(y);
    const auto* bottom = view.Row(std::min(y + 1, view.height - 1));
    for (int x = 0; x < view.width; x += 2) {
      const int right = std::min(x + 1, view.width - 1);
      half.samples.push_back(0.25F *
                             static_cast<float>(top[x] + top[right] + bottom[x] + bottom[right]));
    }
  }
  return half;
}

// Both halved once.
struct Halves {
  Plane a, b;
};

// Of `count` samples.
uint64_t SumSquaredErrorOf(const uint8_t* a, const uint8_t* b, int count) {
  // Sums of that many fit into 32 bits, in which compilers add up several at a time.
  constexpr int kSummable = 1 << 16;
  uint64_t sum = 0;
  for (int begin = 0; begin < count; begin += kSummable) {
    uint32_t part = 0;
    for (int k = begin; k < std::min(begin + kSummable, count); ++k) {
      const auto difference = static_cast<int16_t>(a[k] - b[k]);
      part += static_cast<uint32_t>(difference * difference);
    }
    sum += part;
  }
  return sum;
}

uint64_t SumSquaredErrorOf(const uint16_t* a, const uint16_t* b, int count) {
  uint64_t sum = 0;
  for (int k = 0; k < count; ++k) {
    // Modulo 2^32, which the square of a difference of 16 bits stays below.
    const auto difference = static_cast<uint32_t>(a[k] - b[k]);
    sum += difference * difference;
  }
  return sum;
}

template <typename View>
uint64_t SumSquaredErrorOf(const View& a, const View& b) {
  uint64_t sum = 0;
  for (int y = 0; y < a.height; ++y) sum += SumSquaredErrorOf(a.Row(y), b.Row(y), a.width);
  return sum;
}

template <typename View>
int MaxDifferenceOf(const View& a, const View& b) {
  int largest = 0;
  for (int y = 0; y < a.height; ++y) {
    const auto* row_a = a.Row(y);
    const auto* row_b = b.Row(y);
    for (int x = 0; x < a.width; ++x) largest = std::max(largest, std::abs(row_a[x] - row_b[x]));
  }
  return largest;
}

}  // namespace

uint64_t SumSquaredError(const ImageView& a, const ImageView& b) {
  assert(Comparable(a, b));
  return OfSamples(
      a, b, [](const auto& of_a, const auto& of_b) { return SumSquaredErrorOf(of_a, of_b); });
}

double Mse(const ImageView& a, const ImageView& b) {
  const double pixels = static_cast<double>(a.width) * a.height;
  return static_cast<double>(SumSquaredError(a, b)) / pixels;
}

double PsnrOfMse(double mse, int depth) {
  if (mse == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(Peak(depth) * Peak(depth) / mse);
}

double Psnr(const ImageView& a, const ImageView& b) { return PsnrOfMse(Mse(a, b), a.depth); }

int MaxDifference(const ImageView& a, const ImageView& b) {
  assert(Comparable(a, b));
  return OfSamples(a, b,
                   [](const auto& of_a, const auto& of_b) { return MaxDifferenceOf(of_a, of_b); });
}

double Ssim(const ImageView& a, const ImageView& b) {
  assert(Comparable(a, b));
  const Stabilizers stabilizers(a.depth);
  return OfSamples(a, b,
                   [&](const auto& of_a, const auto& of_b) {
                     return MeanSimilarity(of_a, of_b, stabilizers);
                   })
      .all;
}

std::optional<double> MsSsim(const ImageView& a, const ImageView& b) {
  assert(Comparable(a, b));
  if (std::min(a.width, a.height) < kMsSsimLeastSide) return std::nullopt;
  const Stabilizers stabilizers(a.depth);
  const auto power = [](double mean, int scale) {
    return std::pow(std::max(mean, 0.0), kScaleExponents[scale]);
  };
  const Similarity first = OfSamples(a, b, [&](const auto& of_a, const auto& of_b) {
    return MeanSimilarity(of_a, of_b, stabilizers);
  });
  double product = power(first.structure, 0);
  Halves half = OfSamples(a, b, [](const auto& of_a, const auto& of_b) {
    return Halves{Halved(of_a), Halved(of_b)};
  });
  for (int scale = 1; scale < kScales - 1; ++scale) {
    product *= power(MeanSimilarity(half.a, half.b, stabilizers).structure, scale);
    half = {Halved(half.a), Halved(half.b)};
  }
  return product * power(MeanSimilarity(half.a, half.b, stabilizers).all, kScales - 1);
}

}  // namespace mmp
