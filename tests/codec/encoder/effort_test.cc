// The ladder of efforts.
#include "codec/encoder/effort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using File = std::vector<uint8_t>;

EncodeOptions Options(int effort) {
  EncodeOptions options;
  options.effort = effort;
  options.lambda = 30;
  options.coder = Coder::kPatterns;
  options.exact_lambda = true;
  options.backend = Backend::kCpu;
  return options;
}

EncodeOptions Options(Preset preset) {
  EncodeOptions options = Options(kBestEffort);
  options.effort = {};
  options.preset = preset;
  return options;
}

Effort EffortAt(int effort) { return EffortOf(Options(effort)); }

TEST(EffortTest, PresetsAreSteps) {
  const Image image = Draw(Picture::kTexture, 40, 24, 1);
  EXPECT_EQ(MustEncode(image.View(), Options(kFastEffort)),
            MustEncode(image.View(), Options(Preset::kFast)));
  EXPECT_EQ(MustEncode(image.View(), Options(kBestEffort)),
            MustEncode(image.View(), Options(Preset::kBest)));
  EXPECT_EQ(MustEncode(image.View(), Options(kQuickEffort)),
            MustEncode(image.View(), Options(Preset::kQuick)));
  for (const Preset preset : {Preset::kQuick, Preset::kFast, Preset::kBest, Preset::kThesis})
    EXPECT_EQ(EffortOf(Options(preset)).preset, preset);
  EXPECT_EQ(PresetSpeedFeatures(Preset::kThesis), SpeedFeatures());
}

TEST(EffortTest, TakesThePlaceOfPresetsButThesis) {
  const auto preset_of = [](int effort) {
    if (effort <= 2) return Preset::kQuick;
    return effort <= 7 ? Preset::kFast : Preset::kBest;
  };
  const Image image = Draw(Picture::kText, 40, 24, 1);
  for (const int effort : {1, 2, 3, 6, 8}) {
    EncodeOptions with_fast = Options(effort);
    with_fast.preset = Preset::kFast;
    const File file = MustEncode(image.View(), Options(effort));
    EXPECT_EQ(file, MustEncode(image.View(), with_fast));
    EXPECT_EQ(ReadInfo(file)->preset, preset_of(effort));
    with_fast.coder = Coder::kPixels;
    with_fast.lambda = 0;
    EXPECT_EQ(ReadInfo(MustEncode(image.View(), with_fast))->preset,
              effort <= kFastEffort ? Preset::kFast : Preset::kBest);
  }
}

// A step may leave out no less than the next one does.
TEST(EffortTest, EachStepTriesNoLessThanTheOneBefore) {
  const auto number_of = [](Preset preset) {
    return preset == Preset::kQuick ? 0 : 1 + (preset == Preset::kBest);
  };
  const auto modes = [](const Effort& effort) {
    const int searched = effort.speed_features.modes_searched;
    return searched == 0 ? kPredictionModes : searched;
  };
  const auto slacks = [](const Effort& effort) {
    const SpeedFeatures& features = effort.speed_features;
    return features.AreGuided()
               ? std::pair(features.guided_slack_q6, features.guided_small_slack_q6)
               : std::pair(INT_MAX, INT_MAX);
  };
  const auto halves = [](const Effort& effort) {
    const int slack = effort.speed_features.halves_slack_q6;
    return slack < 0 ? INT_MAX : slack;
  };
  for (int step = kLeastEffort; step < kMostEffort; ++step) {
    SCOPED_TRACE(step);
    const Effort less = EffortAt(step), more = EffortAt(step + 1);
    EXPECT_LE(number_of(less.preset), number_of(more.preset));
    EXPECT_LE(modes(less), modes(more));
    EXPECT_GE(less.speed_features.thinnest_prediction, more.speed_features.thinnest_prediction);
    EXPECT_GE(less.speed_features.residual_slack_q4, more.speed_features.residual_slack_q4);
    EXPECT_GE(less.speed_features.prediction_slack_q4, more.speed_features.prediction_slack_q4);
    EXPECT_LE(slacks(less).first, slacks(more).first);
    EXPECT_LE(slacks(less).second, slacks(more).second);
    EXPECT_LE(halves(less), halves(more));
    EXPECT_GE(less.speed_features.tree_slack_q4, more.speed_features.tree_slack_q4);
    EXPECT_GE(less.speed_features.halves_angles, more.speed_features.halves_angles);
    EXPECT_GE(less.speed_features.spares_dear_modes, more.speed_features.spares_dear_modes);
    EXPECT_GE(less.filter.sampling, more.filter.sampling);
    EXPECT_GE(less.filter.is_hurried, more.filter.is_hurried);
    EXPECT_GE(less.doubts_repeats, more.doubts_repeats);
    EXPECT_FALSE(less.preset == more.preset && less.speed_features == more.speed_features);
  }
}

// A picture of noise whose lower half repeats the upper one; if it is not steep, noise on a ramp.
Image Repeating(bool steep) {
  Image image = Draw(Picture::kNoise, 64, 96, 1);
  for (int y = 0; y < 96; ++y) {
    for (int x = 0; x < 64 && !steep; ++x)
      image.Row(y)[x] = static_cast<uint8_t>(40 + 2 * x + image.Row(y)[x] / 6);
    if (y >= 48) std::copy_n(image.Row(y - 48), 64, image.Row(y));
  }
  return image;
}

int64_t BlockCopies(const Image& image, int effort) {
  EncodeStats stats;
  MustEncode(image.View(), Options(effort), &stats);
  return std::accumulate(stats.modes_chosen.begin() + kFirstBlockCopy, stats.modes_chosen.end(),
                         int64_t{0});
}

// The steps that only the CPU knows find repeats where neighbours are often equal or steep edges
// come again, as in screens and on pages; the others always.
TEST(EffortTest, FindsRepeats) {
  const Image steep = Repeating(true), soft = Repeating(false);
  for (const int effort : {1, 4}) {
    EXPECT_GT(BlockCopies(steep, effort), 0) << effort;
    EXPECT_EQ(BlockCopies(soft, effort), 0) << effort;
  }
  for (const int effort : {5, 6}) EXPECT_GT(BlockCopies(soft, effort), 0) << effort;
}

// Work is counted by multiplications, which do not depend on the machine.
TEST(EffortTest, EachStepWorksMoreThanTheOneBefore) {
  const Image image = Draw(Picture::kTexture, 96, 96, 1);
  int64_t multiply_adds_before = 0;
  for (int effort = kLeastEffort; effort <= kMostEffort; ++effort) {
    EncodeStats stats;
    EncodeOptions options = Options(effort);
    options.threads = 1;  // several may each do what one does once
    const File file = MustEncode(image.View(), options, &stats);
    EXPECT_GT(stats.multiply_adds, multiply_adds_before) << effort;
    multiply_adds_before = stats.multiply_adds;
    const Result<DecodedImage> decoded = Decode(file);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_LT(stats.sum_squared_error, 96u * 96 * 30);
  }
}

// Threads that share the branches of a macroblock search them with other budgets.
TEST(EffortTest, TheSameBytesByAnyNumberOfThreads) {
  const Image image = Draw(Picture::kTexture, 48, 48, 3);
  for (int effort = kLeastEffort; effort < kBestEffort; ++effort) {
    EncodeOptions options = Options(effort);
    options.order = MacroblockOrder::kRaster;
    options.threads = 1;
    const File file = MustEncode(image.View(), options);
    options.threads = 4;
    for (int repeat = 0; repeat < 3; ++repeat)
      EXPECT_EQ(MustEncode(image.View(), options), file) << effort;
  }
}

TEST(EffortTest, LosslessByPatternsAndPixels) {
  const Image image = Draw(Picture::kGradient, 40, 24, 1);
  for (const Coder coder : {Coder::kPatterns, Coder::kPixels}) {
    for (int effort = kLeastEffort; effort <= kMostEffort; ++effort) {
      EncodeOptions options = Options(effort);
      options.lambda = 0;
      options.coder = coder;
      const File file = MustEncode(image.View(), options);
      EXPECT_NE(ReadInfo(file)->preset, Preset::kQuick);  // of version 7 only
      const Result<DecodedImage> decoded = Decode(file);
      ASSERT_TRUE(decoded.ok()) << decoded.status().message();
      EXPECT_EQ(decoded->image, image) << effort;
    }
  }
}

TEST(EffortTest, OptionsSaidOtherwiseStay) {
  EncodeOptions options = Options(3);
  options.dictionary_size = 300;
  options.modes = 7;
  const FileInfo info = *ReadInfo(MustEncode(Draw(Picture::kNoise, 32, 32, 1).View(), options));
  EXPECT_EQ(info.dictionary_size, 300);
  EXPECT_EQ(info.modes, 7u);
}

TEST(EffortTest, OthersAreRefused) {
  const Image image(16, 16);
  for (const int effort : {-1, 0, 10, 1 << 30}) {
    const auto file = Encode(image.View(), Options(effort));
    EXPECT_EQ(file.status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(file.status().message(), "the effort must be between 1 and 9");
  }
  EncodeOptions options = Options(3);
  options.preset = Preset::kThesis;
  const auto file = Encode(image.View(), options);
  EXPECT_EQ(file.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(file.status().message().find("preset thesis"), std::string::npos);
}

}  // namespace
}  // namespace mmp
