#include "codec/tile/pattern_features.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "codec/bitstream/file_header.h"
#include "codec/tile/index_classes.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// Of a file of lambda 1 whose residuals are measured in sixteenths.
CodecParameters OfScale(uint32_t scale) {
  CodecParameters parameters;
  parameters.pattern_scale = EncodeThreshold(scale);
  return parameters;
}

using Features = std::array<int, kPatternFeatures>;

Features FeaturesOf(const ResidualScale& scale, const std::vector<int16_t>& values,
                    LevelShape shape) {
  const FeaturesOfPattern features = scale.Features(values.data(), shape);
  Features numbers;
  std::copy(features.begin(), features.end(), numbers.begin());
  return numbers;
}

TEST(PatternFeaturesTest, AreAsSpecified) {
  const ResidualScale scale(OfScale(16));
  // 4x2: residuals are in 1/16 what features are, so 1 is 16.
  EXPECT_EQ(FeaturesOf(scale, {1, 2, 3, -4, 5, 6, -7, 0}, {2, 1}),
            (Features{16, 48, 80, -112, 16, 16, 32, 32, 12, 56, 33, 32, 76, 64, 24, 0}));
  EXPECT_EQ(FeaturesOf(scale, {0, 0, 0, 0}, {0, 2}),
            (Features{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -48, 0, 0, 0, 0, 16}));
  // What is larger is limited.
  EXPECT_EQ(FeaturesOf(scale, {255}, {0, 0}),
            (Features{127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 0, 0, 127, 127, 0}));
  EXPECT_EQ(
      FeaturesOf(scale, {-255, 255}, {0, 1}),
      (Features{-127, -127, -127, -127, -127, -127, 127, 127, 0, 127, 127, 127, 0, 127, 127, 0}));
  // Eight rows: means of two, rounded.
  EXPECT_EQ(FeaturesOf(ResidualScale(OfScale(160)), {1, 2, 3, 4, 5, 6, 7, 9}, {3, 0}),
            (Features{2, 6, 9, 13, 2, 2, 2, 2, 7, 7, -15, 0, 2, 7, 2, 0}));
}

// Each pattern is in the class that its features say, and the classes have them in order.
void ExpectClasses(const ClassedPatterns& patterns, int level) {
  std::vector<std::vector<int>> members(kPatternClasses);
  for (int i = 0; i < patterns.size(); ++i) {
    const int which = level == 0 ? 0 : StandardIndexClasses(level).PlainOf(patterns.Of(i));
    ASSERT_EQ(patterns.ClassOf(i), which);
    members[which].push_back(i);
  }
  for (int which = 0; which < kPatternClasses; ++which) {
    ASSERT_EQ(patterns.Members()[which], members[which].size());
    std::vector<int> listed;
    patterns.ForGroups(which, [&](const PatternGroup& group, int count) {
      for (int i = 0; i < count; ++i) {
        listed.push_back(group.members[i]);
        for (int k = 0; k < kPatternFeatures; ++k)
          ASSERT_EQ(group.features[(k / 4 * 16 + i) * 4 + k % 4],
                    patterns.Of(listed.back())[k] + 128);
      }
    });
    ASSERT_EQ(listed, members[which]);
  }
}

TEST(PatternFeaturesTest, FollowTheDictionary) {
  Random random(3);
  const CodecParameters parameters = OfScale(70);
  const ResidualScale scale(parameters);
  Dictionary dictionary(200);
  PatternFeatures features(parameters);
  for (int round = 0; round < 3; ++round) {
    features.AddNew(dictionary);
    for (int level = 0; level < kLevelCount; ++level) {
      const LevelShape shape = kLevelShapes[level];
      std::array<int16_t, kMacroblockPixels> values;
      for (int i = 0; i < dictionary.size(level); ++i) {
        dictionary.Copy(level, i, values.data());
        const FeaturesOfPattern expected = scale.Features(values.data(), shape);
        ASSERT_EQ(features.Of(level, i), expected) << level << " " << i;
      }
      ExpectClasses(features.OfLevel(level), level);
    }
    PatternList patterns;
    for (int n = 0; n < 20; ++n) {
      std::array<int16_t, 16> values;
      for (int16_t& value : values) value = static_cast<int16_t>(random.Between(-200, 200));
      patterns.Add(LevelOf(2, 2), values.data());
    }
    dictionary.Insert(patterns, 10);
  }
}

}  // namespace
}  // namespace mmp
