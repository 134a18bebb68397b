#include "codec/intra/block_lsp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

// A place of `level` where the mode can be used.
CodingPosition BlockLspPosition(Random& random, int level, Picture picture) {
  while (true) {
    CodingPosition position = RandomPosition(random, level, picture);
    const BlockRect rect = position.rect;
    if (position.canvas.Available(rect.y - 2, rect.x - 2)) return position;
  }
}

BlockLspSums PlainSums(const Canvas& canvas, BlockRect rect) {
  BlockLspSums sums{};
  for (int y = rect.y - 8; y < rect.y; ++y)
    for (int x = rect.x - 8; x < rect.x + rect.width() + 8; ++x)
      AddBlockLspSample(canvas, rect, y, x, sums);
  for (int y = rect.y; y < std::min(16, rect.y + rect.height() + 6); ++y)
    for (int x = rect.x - 8; x < rect.x; ++x) AddBlockLspSample(canvas, rect, y, x, sums);
  return sums;
}

// Pixel by pixel, each prediction taken as the pixel for those after it.
std::vector<int> PredictPlain(Canvas canvas, BlockRect rect) {
  int32_t weights[kBlockLspOrder];
  SolveBlockLsp(PlainSums(canvas, rect), weights);
  const LspRange range = LspBorderRange(canvas, rect);
  std::vector<int> prediction;
  for (int y = rect.y; y < rect.y + rect.height(); ++y) {
    for (int x = rect.x; x < rect.x + rect.width(); ++x) {
      std::array<int, kBlockLspOrder> values;
      int sum = 1 << (kLspWeightShift - 1);
      for (int k = 0; k < kBlockLspOrder; ++k) {
        const BlockLspNeighbour n = BlockLspNeighbourOf(k);
        values[k] = canvas.Available(y + n.y, x + n.x) ? canvas.Pixel(y + n.y, x + n.x)
                                                       : values[n.fallback];
        sum += weights[k] * values[k];
      }
      const int index = Canvas::Index(y, x);
      canvas.pixels[index] =
          static_cast<uint8_t>(std::clamp(sum >> kLspWeightShift, range.low, range.high));
      canvas.available[index] = 1;
      prediction.push_back(canvas.pixels[index]);
    }
  }
  return prediction;
}

class BlockLspTest : public testing::TestWithParam<Picture> {};

TEST_P(BlockLspTest, EqualsThePlainFunctions) {
  Random random(static_cast<uint32_t>(GetParam()) + 1);
  for (int level = 0; level < kMacroblockLevel; ++level) {
    for (int round = 0; round < 15; ++round) {
      const CodingPosition position = BlockLspPosition(random, level, GetParam());
      SCOPED_TRACE(position.ToString());
      ExpectPrediction(position, PredictPlain(position.canvas, position.rect), PredictBlockLsp);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, BlockLspTest, testing::ValuesIn(kAllPictures),
                         [](const auto& test) { return std::string(PictureName(test.param)); });

// The extreme of what the sums can be fits their 32 bits.
TEST(BlockLspLimitsTest, SumsOfWhitePixels) {
  Canvas canvas;
  std::memset(canvas.pixels, 255, sizeof(canvas.pixels));
  std::memset(canvas.available, 1, sizeof(canvas.available));
  const BlockRect rect{0, 8, static_cast<uint8_t>(LevelOf(4, 3))};
  const BlockLspSums sums = PlainSums(canvas, rect);
  int64_t samples = 0;
  for (int i = -8; i < 16; ++i)
    for (int j = -8; j < (i < 0 ? 16 : 0); ++j)
      samples += BlockLspSampleWeight(DistanceFromBlock(ShapeOfLevel(rect.level), i, j));
  for (const int32_t term : sums.terms) EXPECT_EQ(term, samples * 255 * 255);
}

// Without samples, the default weights.
TEST(BlockLspLimitsTest, WithoutSamples) {
  int32_t weights[kBlockLspOrder];
  SolveBlockLsp({}, weights);
  const std::array<int32_t, kBlockLspOrder> expected = {10240, 10240, -5120, 1024};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), weights));
}

}  // namespace
}  // namespace mmp
