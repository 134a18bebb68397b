#include "codec/dictionary/trained_patterns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/bitstream/context_models.h"
#include "codec/dictionary/trained_scale.h"
#include "codec/tile/tile_state.h"
#include "common/crc32c.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// `count` patterns at each level.
TrainedPatterns RandomPatterns(Random& random, int count) {
  TrainedPatterns patterns;
  for (int l = 1; l < kLevelCount; ++l) {
    TrainedPatterns::Level& level = patterns.levels[l];
    level.zero_count = static_cast<uint16_t>(1 + random.Below(1000));
    for (int i = 0; i < count; ++i)
      level.counts.push_back(static_cast<uint16_t>(1 + random.Below(100)));
    for (int i = 0; i < count * kLevelShapes[l].pixels(); ++i)
      level.values.push_back(static_cast<int8_t>(random.Below(256) - 128));
  }
  return patterns;
}

std::vector<int16_t> Scaled(const std::vector<int8_t>& values, uint8_t scale_code) {
  std::vector<int16_t> scaled(values.size());
  ScaleTrainedValues(values, scale_code, scaled.data());
  return scaled;
}

TEST(TrainedPatternsTest, FilesComeBack) {
  Random random(1);
  for (const int count : {0, 1, 100}) {
    const TrainedPatterns patterns = RandomPatterns(random, count);
    const auto parsed = ParseTrainedPatterns(WriteTrainedPatterns(patterns));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    for (int l = 1; l < kLevelCount; ++l) {
      EXPECT_EQ(parsed->levels[l].zero_count, patterns.levels[l].zero_count);
      EXPECT_EQ(parsed->levels[l].counts, patterns.levels[l].counts);
      EXPECT_EQ(parsed->levels[l].values, patterns.levels[l].values);
    }
  }
}

TEST(TrainedPatternsTest, DamagedFilesAreRefused) {
  Random random(2);
  const std::vector<uint8_t> file = WriteTrainedPatterns(RandomPatterns(random, 3));
  for (size_t size = 0; size < file.size(); size += 7)
    EXPECT_FALSE(ParseTrainedPatterns({file.data(), size}).ok());
  std::vector<uint8_t> longer = file;
  longer.push_back(0);
  EXPECT_FALSE(ParseTrainedPatterns(longer).ok());
  TrainedPatterns zero = RandomPatterns(random, 3);
  zero.levels[7].counts[1] = 0;
  EXPECT_FALSE(ParseTrainedPatterns(WriteTrainedPatterns(zero)).ok());
  TrainedPatterns heavy = RandomPatterns(random, 3);
  heavy.levels[24].zero_count = static_cast<uint16_t>(IndexEstimator::kLimit);
  EXPECT_FALSE(ParseTrainedPatterns(WriteTrainedPatterns(heavy)).ok());
}

TEST(TrainedPatternsTest, ScaleIsThatOfLambda) {
  EXPECT_EQ(PatternScaleOf(0), 0);
  for (const int lambda : {1, 10, 300, 65536}) {
    const double scale = DecodeThreshold(PatternScaleOf(4 * lambda)) / 16.0;
    EXPECT_LE(scale * scale, lambda);
    EXPECT_GE(scale * scale, 0.88 * lambda);
  }
  EXPECT_GT(PatternScaleOf(DecodeThreshold(0xff)), PatternScaleOf(4 * 65536));
  // A unit is a quarter of the root of lambda.
  const uint8_t unit = PatternScaleOf(4 * 16);
  EXPECT_EQ(Scaled({5, -5, 0, 127, -128}, unit), (std::vector<int16_t>{5, -5, 0, 127, -128}));
  EXPECT_EQ(Scaled({1, -1, 127, -128}, 0xff), (std::vector<int16_t>{255, -255, 255, -255}));
  // Halves are rounded up.
  const uint8_t half = EncodeThreshold(32);
  EXPECT_EQ(Scaled({1, 2, 3, -1, -2, -3}, half), (std::vector<int16_t>{1, 1, 2, 0, -1, -1}));
}

TEST(TrainedPatternsTest, StandardPatternsAreThoseOfTheSpecification) {
  CodecParameters parameters;
  EXPECT_EQ(*FindPatterns(parameters, {}), nullptr);
  parameters.pattern_scale = 1;
  const auto standard = FindPatterns(parameters, {});
  ASSERT_TRUE(standard.ok());
  const std::vector<uint8_t> file = WriteTrainedPatterns(**standard);
  EXPECT_EQ(file.size(), kStandardPatternsBytes);
  EXPECT_EQ(Crc32c(file), kStandardPatternsHash);
}

TEST(TrainedPatternsTest, ADictionaryFileIsFoundByItsHash) {
  Random random(3);
  const std::vector<uint8_t> file = WriteTrainedPatterns(RandomPatterns(random, 2));
  CodecParameters parameters;
  parameters.tools = kTrainedPatterns | kOwnDictionary;
  parameters.pattern_scale = 50;
  parameters.dictionary_hash = Crc32c(file);
  EXPECT_TRUE(FindPatterns(parameters, file).ok());
  parameters.dictionary_hash = 0x1234abcd;
  for (const auto& other : {file, std::vector<uint8_t>()}) {
    const auto patterns = FindPatterns(parameters, other);
    ASSERT_FALSE(patterns.ok());
    EXPECT_EQ(patterns.status().code(), StatusCode::kUnsupported);
    EXPECT_NE(patterns.status().message().find("1234abcd"), std::string::npos);
  }
}

// They follow the homogeneous patterns, as many as there is room for, with their counts.
TEST(TrainedPatternsTest, TilesStartWithThem) {
  Random random(4);
  const TrainedPatterns trained = RandomPatterns(random, 20);
  CodecParameters parameters;
  parameters.dictionary_size = kInitialPatterns + 10;
  parameters.pattern_scale = PatternScaleOf(4 * 100);
  const TileState tile(parameters, 16, 16, &trained);
  EXPECT_EQ(tile.dictionary.size(0), kPixelPatterns);
  for (int l = 1; l < kLevelCount; ++l) {
    const TrainedPatterns::Level& level = trained.levels[l];
    ASSERT_EQ(tile.dictionary.size(l), kInitialPatterns + 10);
    const IndexModel& model = tile.models.index[l];
    EXPECT_EQ(model.NearFrequencies()[0], level.zero_count);
    EXPECT_EQ(model.NearFrequencies()[1], IndexModel::kInitialBesideTrained);
    uint32_t total = 0;
    for (int i = 0; i < model.size(); ++i) total += model.NearFrequencies()[i];
    EXPECT_EQ(model.Total(), total);
    const int pixels = kLevelShapes[l].pixels();
    const std::vector<int16_t> scaled = Scaled(level.values, parameters.pattern_scale);
    int16_t values[kMacroblockPixels];
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(model.NearFrequencies()[kInitialPatterns + i], level.counts[i]);
      tile.dictionary.Copy(l, kInitialPatterns + i, values);
      for (int k = 0; k < pixels; ++k) ASSERT_EQ(values[k], scaled[i * pixels + k]);
    }
  }
}

}  // namespace
}  // namespace mmp
