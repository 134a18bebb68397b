#include "common/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"

namespace mmp {
namespace {

Image RandomImage(int width, int height, uint32_t seed) {
  std::mt19937 random(seed);
  Image image(width, height);
  for (uint8_t& sample : image.pixels()) sample = static_cast<uint8_t>(random());
  return image;
}

// A smooth image, and the same with noise.
Image Gradient(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.Row(y)[x] = static_cast<uint8_t>(40 + 3 * x + 2 * y);
  }
  return image;
}

Image WithNoise(Image image, int amplitude) {
  std::mt19937 random(3);
  for (uint8_t& sample : image.pixels()) {
    const int noise = static_cast<int>(random() % (2 * amplitude + 1)) - amplitude;
    sample = static_cast<uint8_t>(std::clamp(sample + noise, 0, 255));
  }
  return image;
}

// The definition, window by window with two-dimensional weights and centered moments.
double PlainSsim(const Image& a, const Image& b) {
  const int side_x = std::min(11, a.width());
  const int side_y = std::min(11, a.height());
  std::vector<double> weights(side_x * side_y);
  double weight_sum = 0;
  for (int j = 0; j < side_y; ++j) {
    for (int i = 0; i < side_x; ++i) {
      const double dx = i - (side_x - 1) * 0.5;
      const double dy = j - (side_y - 1) * 0.5;
      weights[j * side_x + i] = std::exp(-(dx * dx + dy * dy) / 4.5);
      weight_sum += weights[j * side_x + i];
    }
  }
  double total = 0;
  int windows = 0;
  for (int y = 0; y + side_y <= a.height(); ++y) {
    for (int x = 0; x + side_x <= a.width(); ++x, ++windows) {
      const auto mean_of = [&](auto&& value) {
        double sum = 0;
        for (int j = 0; j < side_y; ++j) {
          for (int i = 0; i < side_x; ++i) {
            sum += weights[j * side_x + i] / weight_sum *
                   value(a.Row(y + j)[x + i], b.Row(y + j)[x + i]);
          }
        }
        return sum;
      };
      const double mean_a = mean_of([](double p, double) { return p; });
      const double mean_b = mean_of([](double, double q) { return q; });
      const double var_a = mean_of([&](double p, double) { return (p - mean_a) * (p - mean_a); });
      const double var_b = mean_of([&](double, double q) { return (q - mean_b) * (q - mean_b); });
      const double cov = mean_of([&](double p, double q) { return (p - mean_a) * (q - mean_b); });
      const double c1 = 6.5025;
      const double c2 = 58.5225;
      total += (2 * mean_a * mean_b + c1) * (2 * cov + c2) /
               ((mean_a * mean_a + mean_b * mean_b + c1) * (var_a + var_b + c2));
    }
  }
  return total / windows;
}

TEST(MetricsTest, SmallExample) {
  Image a(2, 2);
  Image b(2, 2);
  a.pixels() = {0, 10, 200, 255};
  b.pixels() = {3, 10, 196, 255};
  EXPECT_EQ(SumSquaredError(a.View(), b.View()), 25u);
  EXPECT_DOUBLE_EQ(Mse(a.View(), b.View()), 6.25);
  EXPECT_DOUBLE_EQ(Psnr(a.View(), b.View()), 10 * std::log10(65025 / 6.25));
  EXPECT_EQ(MaxDifference(a.View(), b.View()), 4);
}

TEST(MetricsTest, EqualImages) {
  const Image image = RandomImage(37, 23, 1);
  EXPECT_EQ(SumSquaredError(image.View(), image.View()), 0u);
  EXPECT_EQ(Psnr(image.View(), image.View()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(MaxDifference(image.View(), image.View()), 0);
  EXPECT_EQ(Ssim(image.View(), image.View()), 1.0);
}

TEST(MetricsTest, OppositeExtremes) {
  const Image black(300, 250, 0);
  const Image white(300, 250, 255);
  EXPECT_EQ(SumSquaredError(black.View(), white.View()), uint64_t{300 * 250} * 65025);
  EXPECT_EQ(Psnr(black.View(), white.View()), 0.0);
  EXPECT_EQ(MaxDifference(black.View(), white.View()), 255);
  // Flat windows: (2 * 0 * 255 + C1) / (0 + 255^2 + C1)
  EXPECT_NEAR(Ssim(black.View(), white.View()), 6.5025 / (65025 + 6.5025), 1e-12);
}

// The sum of a single row does not fit 32 bits here.
TEST(MetricsTest, SumsDoNotOverflow) {
  const Image black(70000, 2, 0);
  const Image white(70000, 2, 255);
  EXPECT_EQ(SumSquaredError(black.View(), white.View()), uint64_t{140000} * 65025);
}

TEST(MetricsTest, SumsAreTheDefinition) {
  for (const int width : {1, 15, 16, 17, 63, 257}) {
    const Image a = RandomImage(width, 5, width);
    const Image b = RandomImage(width, 5, width + 1000);
    int64_t sum = 0;
    int largest = 0;
    for (size_t i = 0; i < a.pixels().size(); ++i) {
      const int difference = a.pixels()[i] - b.pixels()[i];
      sum += difference * difference;
      largest = std::max(largest, std::abs(difference));
    }
    EXPECT_EQ(SumSquaredError(a.View(), b.View()), static_cast<uint64_t>(sum));
    EXPECT_EQ(MaxDifference(a.View(), b.View()), largest);
  }
}

TEST(MetricsTest, ViewsWithStride) {
  const Image a = RandomImage(64, 40, 5);
  const Image b = RandomImage(64, 40, 6);
  const ImageView view_a = a.View().Crop(3, 5, 33, 21);
  const ImageView view_b = b.View().Crop(7, 11, 33, 21);
  Image copy_a(33, 21);
  Image copy_b(33, 21);
  for (int y = 0; y < 21; ++y) {
    std::copy_n(view_a.Row(y), 33, copy_a.Row(y));
    std::copy_n(view_b.Row(y), 33, copy_b.Row(y));
  }
  EXPECT_EQ(SumSquaredError(view_a, view_b), SumSquaredError(copy_a.View(), copy_b.View()));
  EXPECT_EQ(MaxDifference(view_a, view_b), MaxDifference(copy_a.View(), copy_b.View()));
  EXPECT_EQ(Ssim(view_a, view_b), Ssim(copy_a.View(), copy_b.View()));
}

TEST(MetricsTest, SsimIsTheDefinition) {
  const struct {
    int width, height;
  } kSizes[] = {{1, 1}, {1, 40}, {40, 1}, {5, 8}, {10, 30}, {11, 11}, {12, 11}, {33, 27}};
  for (const auto& size : kSizes) {
    SCOPED_TRACE(testing::Message() << size.width << "x" << size.height);
    const Image random_a = RandomImage(size.width, size.height, 11);
    const Image random_b = RandomImage(size.width, size.height, 12);
    EXPECT_NEAR(Ssim(random_a.View(), random_b.View()), PlainSsim(random_a, random_b), 1e-10);
    const Image smooth = Gradient(size.width, size.height);
    const Image noisy = WithNoise(smooth, 6);
    const double ssim = Ssim(smooth.View(), noisy.View());
    EXPECT_NEAR(ssim, PlainSsim(smooth, noisy), 1e-10);
    EXPECT_EQ(ssim, Ssim(noisy.View(), smooth.View()));
  }
}

TEST(MetricsTest, SsimFallsWithNoise) {
  const Image smooth = Gradient(64, 64);
  double last = 1;
  for (const int amplitude : {1, 4, 16, 64}) {
    const double ssim = Ssim(smooth.View(), WithNoise(smooth, amplitude).View());
    EXPECT_LT(ssim, last) << amplitude;
    last = ssim;
  }
}

// As tests/data/ms_ssim_reference.py does.
Image Coarse(Image image) {
  for (uint8_t& sample : image.pixels())
    sample = static_cast<uint8_t>(std::min(sample - sample % 24 + 12, 255));
  return image;
}

Image Noisy(Image image) {
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const int sample = image.Row(y)[x] + (x * 7 + y * 13) % 31 - 15;
      image.Row(y)[x] = static_cast<uint8_t>(std::clamp(sample, 0, 255));
    }
  }
  return image;
}

Image Negative(Image image) {
  for (uint8_t& sample : image.pixels()) sample = 255 - sample;
  return image;
}

Image Copy(const ImageView& view) {
  Image image(view.width, view.height);
  for (int y = 0; y < view.height; ++y) std::copy_n(view.Row(y), view.width, image.Row(y));
  return image;
}

// The values that tests/data/ms_ssim_reference.py prints (SciPy 1.10).
TEST(MetricsTest, MsSsimAsComputedBySciPy) {
  const struct {
    const char* image;
    double coarse, noisy, odd;
  } kExpected[] = {
      {"natural", 0.9684151626733771, 0.9774267032687501, 0.9770227759678526},
      {"satellite", 0.9877104032135657, 0.9890373308251204, 0.9890037894545342},
      {"smooth", 0.9409704261918563, 0.9547472644704489, 0.9592387606199958},
  };
  for (const auto& expected : kExpected) {
    SCOPED_TRACE(expected.image);
    const Result<LoadedImage> loaded =
        ReadImage(std::string(MMP_TEST_IMAGES "/") + expected.image + ".png");
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    const Image& image = loaded->image;
    const Image odd = Copy(image.View().Crop(5, 3, 171, 179));
    EXPECT_NEAR(*MsSsim(image.View(), Coarse(image).View()), expected.coarse, 1e-9);
    EXPECT_NEAR(*MsSsim(image.View(), Noisy(image).View()), expected.noisy, 1e-9);
    EXPECT_NEAR(*MsSsim(odd.View(), Noisy(odd).View()), expected.odd, 1e-9);
    EXPECT_EQ(MsSsim(image.View(), Negative(image).View()), 0.0);
    EXPECT_EQ(MsSsim(image.View(), image.View()), 1.0);
  }
}

// `image` with every sample `factor` times as large.
Image Scaled(const Image& image, int factor, int depth) {
  Image scaled = Image::OfDepth(depth, image.width(), image.height());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const int sample = image.Row(y)[x] * factor;
      if (depth > 8) {
        scaled.Row16(y)[x] = static_cast<uint16_t>(sample);
      } else {
        scaled.Row(y)[x] = static_cast<uint8_t>(sample);
      }
    }
  }
  return scaled;
}

// What is relative to the largest sample is the same if that grows as the samples do.
TEST(MetricsTest, EveryDepth) {
  const Image a = RandomImage(200, 170, 1);
  Image small_a = a;
  for (uint8_t& sample : small_a.pixels()) sample &= 1;
  Image small_b = small_a;
  for (size_t i = 0; i < small_b.pixels().size(); i += 7) small_b.pixels()[i] ^= 1;
  for (int depth = 1; depth <= kMaxDepth; ++depth) {
    SCOPED_TRACE(depth);
    const int largest = (1 << depth) - 1;
    const Image one = Scaled(small_a, largest, depth);
    const Image other = Scaled(small_b, largest, depth);
    const Image one8 = Scaled(small_a, 255, 8);
    const Image other8 = Scaled(small_b, 255, 8);
    const uint64_t differences = (small_b.pixels().size() + 6) / 7;
    EXPECT_EQ(SumSquaredError(one.View(), other.View()),
              differences * static_cast<uint64_t>(largest) * static_cast<uint64_t>(largest));
    EXPECT_EQ(MaxDifference(one.View(), other.View()), largest);
    EXPECT_NEAR(Psnr(one.View(), other.View()), Psnr(one8.View(), other8.View()), 1e-9);
    EXPECT_NEAR(Ssim(one.View(), other.View()), Ssim(one8.View(), other8.View()), 1e-9);
    EXPECT_NEAR(*MsSsim(one.View(), other.View()), *MsSsim(one8.View(), other8.View()), 1e-9);
  }
}

TEST(MetricsTest, SixteenBits) {
  const Image a = RandomImage(200, 170, 1);
  const Image b = WithNoise(a, 9);
  const Image deep_a = Scaled(a, 257, 16);
  const Image deep_b = Scaled(b, 257, 16);
  EXPECT_EQ(SumSquaredError(deep_a.View(), deep_b.View()),
            SumSquaredError(a.View(), b.View()) * 257 * 257);
  EXPECT_EQ(MaxDifference(deep_a.View(), deep_b.View()), MaxDifference(a.View(), b.View()) * 257);
  EXPECT_NEAR(Psnr(deep_a.View(), deep_b.View()), Psnr(a.View(), b.View()), 1e-9);
  EXPECT_NEAR(Ssim(deep_a.View(), deep_b.View()), Ssim(a.View(), b.View()), 1e-9);
  EXPECT_NEAR(*MsSsim(deep_a.View(), deep_b.View()), *MsSsim(a.View(), b.View()), 1e-9);
  EXPECT_EQ(MsSsim(deep_a.View(), deep_a.View()), 1.0);
  // Parts of an image.
  const ImageView part_a = deep_a.View().Crop(3, 5, 33, 21);
  const ImageView part_b = deep_b.View().Crop(3, 5, 33, 21);
  EXPECT_EQ(SumSquaredError(part_a, part_b),
            SumSquaredError(a.View().Crop(3, 5, 33, 21), b.View().Crop(3, 5, 33, 21)) * 257 * 257);
}

// The square of the largest difference does not fit a signed number of 32 bits.
TEST(MetricsTest, LargestDifferenceOfSixteenBits) {
  const Image black = Image::OfDepth(16, 70000, 2);
  Image white = Image::OfDepth(16, 70000, 2);
  std::fill(white.pixels().begin(), white.pixels().end(), uint8_t{255});
  EXPECT_EQ(SumSquaredError(black.View(), white.View()), uint64_t{140000} * 65535 * 65535);
  EXPECT_EQ(Psnr(white.View(), black.View()), 0.0);
  EXPECT_EQ(MaxDifference(black.View(), white.View()), 65535);
}

TEST(MetricsTest, PsnrOfMseKnowsTheDepth) {
  EXPECT_DOUBLE_EQ(PsnrOfMse(1), 10 * std::log10(65025.0));
  EXPECT_DOUBLE_EQ(PsnrOfMse(1, 12), 10 * std::log10(4095.0 * 4095.0));
  EXPECT_EQ(PsnrOfMse(0, 12), std::numeric_limits<double>::infinity());
}

TEST(MetricsTest, MsSsimNeedsLargeImages) {
  const auto has_ms_ssim = [](int width, int height) {
    const Image image(width, height, 7);
    return MsSsim(image.View(), image.View()).has_value();
  };
  EXPECT_TRUE(has_ms_ssim(161, 161));
  EXPECT_FALSE(has_ms_ssim(160, 500));
  EXPECT_FALSE(has_ms_ssim(500, 160));
}

}  // namespace
}  // namespace mmp
