#include "codec/tile/tile_start.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>

#include "codec/bitstream/file_header.h"

namespace mmp {
namespace {

std::shared_ptr<const TileStart> StartOfScale(uint8_t scale, uint8_t prediction_level = 8,
                                              uint32_t without_tools = 0) {
  CodecParameters parameters = PresetParameters(Preset::kFast);
  parameters.tools &= ~without_tools;
  parameters.pattern_scale = scale;
  parameters.prediction_level = prediction_level;
  const auto patterns = FindPatterns(parameters, {});
  return FindTileStart(parameters, patterns->get());
}

// Small files of a few kinds, one after the other.
TEST(TileStartTest, TheLatestAreKept) {
  constexpr std::array<uint8_t, 4> kScales = {0, 100, 101, 102};
  std::array<std::weak_ptr<const TileStart>, 4> starts;
  for (size_t i = 0; i < starts.size(); ++i) starts[i] = StartOfScale(kScales[i]);
  for (const size_t i : {0, 3, 1, 2, 0}) {
    ASSERT_FALSE(starts[i].expired());
    EXPECT_EQ(StartOfScale(kScales[i]), starts[i].lock());
  }
  // One more takes the place of the one that has not been asked for the longest.
  EXPECT_EQ(StartOfScale(103)->dictionary.size(1), StartOfScale(100)->dictionary.size(1));
  EXPECT_TRUE(starts[3].expired());
  EXPECT_FALSE(starts[2].expired());
}

// What a start does not depend on is not asked for.
TEST(TileStartTest, OtherParametersDoNotMatter) {
  EXPECT_EQ(StartOfScale(90, 8), StartOfScale(90, 4));
  EXPECT_EQ(StartOfScale(90), StartOfScale(90, 8, kTwoNetworks | kFlagNetwork));
  EXPECT_NE(StartOfScale(90), StartOfScale(91));
  for (const Tool tool : {kMixedModels, kNeighbourModes, kNeighbourIndices})
    EXPECT_NE(StartOfScale(90), StartOfScale(90, 8, tool));
}

// The features of patterns are measured by the threshold where there is no scale.
TEST(TileStartTest, FeaturesAreOfTheirScale) {
  CodecParameters parameters = PresetParameters(Preset::kFast);
  const auto feature = [&](uint32_t threshold, uint8_t scale) {
    parameters.redundancy_threshold = threshold;
    parameters.pattern_scale = scale;
    const auto patterns = FindPatterns(parameters, {});
    return FindTileStart(parameters, patterns->get())->pattern_features.Of(1, 15)[kMean];
  };
  EXPECT_EQ(feature(40, 0), feature(40, 0));
  EXPECT_GT(feature(40, 0), feature(400, 0));
  EXPECT_EQ(feature(40, 100), feature(400, 100));
  EXPECT_GT(feature(40, 90), feature(40, 100));
}

}  // namespace
}  // namespace mmp
