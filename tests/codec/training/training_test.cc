#include "codec/training/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/container.h"
#include "codec/dictionary/trained_patterns.h"
#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

// A part of a photograph-like picture.
Image Part(int x, int y) {
  const Result<LoadedImage> loaded = ReadImage(std::string(MMP_TEST_IMAGES) + "/natural.png", {});
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  const ImageView view = loaded->image.View().Crop(x, y, 48, 48);
  Image part(48, 48);
  for (int row = 0; row < 48; ++row) std::copy_n(view.Row(row), 48, part.Row(row));
  return part;
}

TrainingOptions Quick(int threads) {
  TrainingOptions options;
  options.patterns = 20;
  options.rounds = 2;
  options.threads = threads;
  return options;
}

TEST(TrainingTest, IsDeterministicAndWithinItsLimits) {
  const std::vector<Image> images = {Part(0, 0), Part(100, 60)};
  const auto file = TrainDictionary(images, Quick(1));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(*file, *TrainDictionary(images, Quick(3)));
  const auto patterns = ParseTrainedPatterns(*file);
  ASSERT_TRUE(patterns.ok()) << patterns.status().message();
  size_t all = 0;
  for (const TrainedPatterns::Level& level : patterns->levels) {
    EXPECT_LE(level.counts.size(), 20u);
    EXPECT_TRUE(std::is_sorted(level.counts.rbegin(), level.counts.rend()));
    all += level.counts.size();
  }
  EXPECT_GT(all, 50u);
}

// Of an image like those that it was trained on: fewer bits and less distortion, or nearly.
TEST(TrainingTest, HelpsWithSimilarImages) {
  const auto file = TrainDictionary({Part(0, 0), Part(48, 0), Part(0, 48)}, Quick(2));
  ASSERT_TRUE(file.ok()) << file.status().message();
  const Image image = Part(48, 48);
  EncodeOptions options;
  options.lambda = 30;
  options.tools = PresetParameters(options.preset).tools & ~kTrainedPatterns;
  auto cost = [&] {
    EncodeStats stats;
    const auto bytes = Encode(image.View(), options, &stats);
    EXPECT_TRUE(bytes.ok());
    return static_cast<double>(stats.sum_squared_error) + 8 * options.lambda * bytes->size();
  };
  const double untrained = cost();
  options.dictionary_file = *file;
  EXPECT_LT(cost(), 0.98 * untrained);
}

// The first and the third image are used twice; a flat one stays as it is when blurred, others do
// not.
TEST(TrainingTest, EverySecondImageIsBlurred) {
  const Image flat(48, 48, 77), photograph = Part(0, 0);
  auto train = [](const std::vector<Image>& images, bool blurred) {
    TrainingOptions options = Quick(2);
    options.blurred = blurred;
    return *TrainDictionary(images, options);
  };
  EXPECT_EQ(train({flat, photograph, flat}, true),
            train({flat, photograph, flat, flat, flat}, false));
  EXPECT_NE(train({photograph, flat}, true), train({photograph, flat, photograph}, false));
}

// Bright specks on a dark ground, below a row of many gray levels: drawings have fewer.
Image Specks() {
  Image image(96, 96);
  Random random(1);
  for (int x = 0; x < 96; ++x) image.Row(0)[x] = static_cast<uint8_t>(2 * x);
  for (int y = 1; y < 96; ++y) {
    for (int x = 0; x < 96; ++x)
      image.Row(y)[x] = static_cast<uint8_t>(5 + x + (random.OneIn(20) ? 30 : 0));
  }
  return image;
}

Image Negative(const Image& image) {
  Image negative(image.width(), image.height());
  for (int y = 0; y < image.height(); ++y)
    std::transform(image.Row(y), image.Row(y) + image.width(), negative.Row(y),
                   [](uint8_t sample) { return static_cast<uint8_t>(255 - sample); });
  return negative;
}

// What leads to middle gray has one sign on dark and on bright ground. Small patterns, as the first
// block of all has no ground beside it.
TEST(TrainingTest, ResidualsAreReversedWherePredictionIsBright) {
  for (const Image& image : {Specks(), Negative(Specks())}) {
    const auto file = TrainDictionary({image}, Quick(2));
    ASSERT_TRUE(file.ok()) << file.status().message();
    const auto patterns = ParseTrainedPatterns(*file);
    ASSERT_TRUE(patterns.ok()) << patterns.status().message();
    int64_t up = 0, down = 0;
    for (int level = 1; level <= LevelOf(2, 2); ++level)
      for (const int8_t value : patterns->levels[level].values) (value > 0 ? up : down) += value;
    EXPECT_GT(up, 500);
    EXPECT_GT(up, -8 * down);
  }
}

TEST(TrainingTest, BadRequestsAreRefused) {
  EXPECT_FALSE(TrainDictionary({}, Quick(1)).ok());
  TrainingOptions options = Quick(1);
  options.rounds = 0;
  EXPECT_FALSE(TrainDictionary({Part(0, 0)}, options).ok());
  for (const int effort : {kFastEffort, kMostEffort + 1}) {
    options = Quick(1);
    options.effort = effort;
    EXPECT_FALSE(TrainDictionary({Part(0, 0)}, options).ok());
  }
  options = Quick(1);
  options.progress = [](double) { return false; };
  const auto cancelled = TrainDictionary({Part(0, 0)}, options);
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace mmp
