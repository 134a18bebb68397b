#include "codec/tile/index_context.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "codec/bitstream/file_header.h"
#include "tests/support/simd_targets.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

TEST(IndexWeightsTest, ContextIsAsSpecifiedOnEveryMachine) {
  Random random(1);
  const auto extreme = std::make_unique<IndexWeights>();
  for (auto& level : extreme->inputs)
    for (auto& pair : level)
      for (auto& weights : pair)
        for (int16_t& weight : weights) weight = random.OneIn(2) ? 8191 : -8191;
  for (auto& mode : extreme->modes)
    for (int16_t& weight : mode) weight = static_cast<int16_t>(random.Between(-32767, 32767));
  ForEachSimdTarget([&] {
    for (int k = 0; k < 300; ++k) {
      const IndexWeights& weights = k % 7 == 6 ? *extreme : StandardIndexWeights();
      const int most = k % 3 == 0 ? 127 : 16;
      ContextInputs inputs;
      for (int16_t& x : inputs) x = static_cast<int16_t>(random.Between(-most, most));
      if (k % 11 == 0) inputs.fill(127);
      const int level = random.Between(1, kLevelCount - 1), mode = random.Below(kPredictionModes);
      const IndexContext context = weights.ContextOf(level, mode, inputs);
      ASSERT_EQ(context, weights.PlainContextOf(level, mode, inputs)) << k;
      ASSERT_LE(context.shift, IndexContext::kMostShift);
      for (const int factor : context.factors)
        ASSERT_LE(std::abs(factor), IndexContext::kMostFactor);
    }
  });
}

using Inputs = std::array<int, kContextInputs>;

Inputs InputsOf(const LeafBorders& borders, const LeafPlace& place, const ResidualScale& scale) {
  const ContextInputs inputs = borders.InputsOf(place, scale);
  Inputs numbers;
  std::copy(inputs.begin(), inputs.end(), numbers.begin());
  return numbers;
}

TEST(LeafBordersTest, InputsAreAsSpecified) {
  CodecParameters parameters;
  parameters.pattern_scale = EncodeThreshold(16);
  const ResidualScale scale(parameters);
  LeafBorders borders(32, 32);
  const uint8_t level_4x2 = static_cast<uint8_t>(LevelOf(2, 1));
  const uint8_t level_4x4 = static_cast<uint8_t>(LevelOf(2, 2));
  const LeafPlace first = {{0, 16}, {0, 0, level_4x2}, {0, 0, level_4x4}, 3};
  const Inputs alone = {16, 0, 0, 8};
  Inputs expected = alone;
  expected[35] = 16;
  EXPECT_EQ(InputsOf(borders, first, scale), expected);

  // Its right half sees the column 1, 2, -3, 1 of the left one, in the same block.
  const std::array<int16_t, 8> values = {0, 1, 0, 2, 0, -3, 4, 1};
  FeaturesOfPattern features{};
  features[kEnergy] = 5;
  features[kLogEnergy] = -6;
  features[kStepsAcross] = 7;
  features[kStepsDown] = 8;
  features[kMean] = -9;
  borders.Add(first, values.data(), features);
  const LeafPlace second = {{0, 16}, {0, 2, level_4x2}, {0, 0, level_4x4}, 3};
  EXPECT_EQ(InputsOf(borders, second, scale),
            (Inputs{16, 16, 0,  8, 0,  16, 32, -48, 16, 0, 0,  0, 0, 16, 32, -48, 16, 0, 0,
                    0,  0,  28, 0, 28, 0,  5,  -6,  7,  8, -9, 0, 0, 0,  0,  0,   16, 0, 0}));

  // Below lies another block, whole, 2x2; what lies left of it is not known.
  const uint8_t level_2x2 = static_cast<uint8_t>(LevelOf(1, 1));
  const LeafPlace below = {{0, 16}, {4, 0, level_2x2}, {4, 0, level_2x2}, 3};
  EXPECT_EQ(InputsOf(borders, below, scale),
            (Inputs{16, 0, 0, 4,  16, 0, 0, 0, 0, 64, 64, 16, 16, 0, 0, 0,  0,  0,  0,
                    0,  0, 0, 40, 0,  0, 0, 0, 0, 0,  0,  5,  -6, 7, 8, -9, 16, 16, 0}));
  borders.Restart(32, 32);
  EXPECT_EQ(InputsOf(borders, second, scale)[5], 0);
}

}  // namespace
}  // namespace mmp
