// Lambda 0 tried beside the lambda asked for, where an image has few gray levels.
#include <gtest/gtest.h>

#include <vector>

#include "codec/encoder/encode_plan.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using File = std::vector<uint8_t>;

// An image of `levels` gray levels: a gradient in steps.
Image Steps(int levels) {
  Image image(128, 96);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x)
      image.Row(y)[x] = static_cast<uint8_t>((x * levels / image.width()) * (255 / levels));
  }
  return image;
}

// Of 129 gray levels, one more than drawings have.
Image MoreSteps() {
  Image image = Steps(128);
  image.Row(0)[0] = 255;
  return image;
}

EncodeOptions Options(double lambda, Preset preset = Preset::kFast) {
  EncodeOptions options;
  options.lambda = lambda;
  options.preset = preset;
  options.backend = Backend::kCpu;
  return options;
}

File Exact(const Image& image, EncodeOptions options, EncodeStats* stats = nullptr) {
  options.exact_lambda = true;
  return MustEncode(image.View(), options, stats);
}

TEST(ExactLambda, TextIsCodedLosslesslyWhereThatCostsLess) {
  const Image text = Draw(Picture::kText, 96, 80, 1);
  for (const Preset preset : {Preset::kFast, Preset::kBest}) {
    EncodeStats stats, exact_stats;
    const File file = MustEncode(text.View(), Options(30, preset), &stats);
    const File exact = Exact(text, Options(30, preset), &exact_stats);
    const File lossless = Exact(text, Options(0, preset));
    const double exact_cost = exact_stats.sum_squared_error + 30 * 8.0 * exact.size();
    const double lossless_cost = 30 * 8.0 * lossless.size();
    EXPECT_EQ(file, lossless);
    EXPECT_LT(lossless_cost, exact_cost);
    EXPECT_EQ(stats.lambda, 0);
    EXPECT_EQ(stats.tries, 3);  // lossless by either coder
    EXPECT_EQ(stats.sum_squared_error, 0u);
    EXPECT_EQ(exact_stats.lambda, 30);
    EXPECT_EQ(exact_stats.tries, 1);
  }
}

// At a coarse lambda a lossy file costs less.
TEST(ExactLambda, WhatCostsLessIsKept) {
  const Image noise = Draw(Picture::kNoise, 48, 48, 1);
  Image coarse = noise;
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 48; ++x) coarse.Row(y)[x] = noise.Row(y)[x] / 32 * 8;
  EncodeStats stats;
  const File file = MustEncode(coarse.View(), Options(1000), &stats);
  EXPECT_EQ(file, Exact(coarse, Options(1000)));
  EXPECT_EQ(stats.lambda, 1000);
  EXPECT_EQ(stats.tries, 3);
}

TEST(ExactLambda, NoMoreTries) {
  const auto tries = [](const Image& image, const EncodeOptions& options) {
    EncodeStats stats;
    const File file = MustEncode(image.View(), options, &stats);
    EXPECT_EQ(file, Exact(image, options));
    EXPECT_EQ(stats.lambda, options.lambda);
    return stats.tries;
  };
  const Image text = Draw(Picture::kText, 48, 48, 1);
  EXPECT_EQ(tries(text, Options(30, Preset::kThesis)), 1);
  EXPECT_EQ(tries(text, Options(0)), 2);  // by either coder
  EXPECT_EQ(tries(MoreSteps(), Options(30)), 1);
}

TEST(ExactLambda, FewGrayLevels) {
  EXPECT_TRUE(MayBeBestLossless(Steps(1).View()));
  EXPECT_TRUE(MayBeBestLossless(Steps(128).View()));
  EXPECT_FALSE(MayBeBestLossless(MoreSteps().View()));
}

// Beyond 32 gray levels, and where samples have more than 8 bits, by the pixel coder alone.
TEST(ExactLambda, MoreGrayLevelsByPixels) {
  Image deep = Image::OfDepth(16, 128, 96);
  const Image few = Draw(Picture::kText, 128, 96, 1);
  for (int y = 0; y < deep.height(); ++y)
    for (int x = 0; x < deep.width(); ++x)
      deep.Row16(y)[x] = static_cast<uint16_t>(257 * few.Row(y)[x]);
  for (const Image& image : {Steps(100), deep}) {
    EncodeStats stats;
    MustEncode(image.View(), Options(30), &stats);
    EXPECT_EQ(stats.tries, 2);
    EXPECT_EQ(stats.lambda, 0);
    EXPECT_EQ(stats.coder, Coder::kPixels);
  }
}

TEST(ExactLambda, TheSameForAllThreadsAndTogether) {
  const Image text = Draw(Picture::kText, 48, 40, 1);
  EncodeOptions options = Options(30);
  options.tile_width = options.tile_height = 32;
  options.threads = 1;
  const File file = MustEncode(text.View(), options);
  const std::vector<EncodeJob> jobs(3, {.image = text.View(), .options = options, .load = {}});
  for (const int threads : {1, 2, 5}) {
    options.threads = threads;
    EXPECT_EQ(MustEncode(text.View(), options), file);
    for (const Result<File>& one : EncodeMany(jobs, {.threads = threads, .progress = {}})) {
      ASSERT_TRUE(one.ok());
      EXPECT_EQ(*one, file);
    }
  }
}

TEST(ExactLambda, ProgressIsOfBothTries) {
  EncodeOptions options = Options(30);
  double last = 0;
  options.threads = 1;
  options.progress = [&last](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    return true;
  };
  MustEncode(Draw(Picture::kText, 96, 80, 1).View(), options);
  EXPECT_GT(last, 0.5);
}

}  // namespace
}  // namespace mmp
