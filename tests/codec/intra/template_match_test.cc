#include "codec/intra/template_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

bool AllAvailable(const Canvas& canvas, int y, int x, int height, int width) {
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j)
      if (!canvas.Available(y + i, x + j)) return false;
  return true;
}

// A place of `level` where the mode can be used.
CodingPosition TemplatePosition(Random& random, int level, Picture picture) {
  while (true) {
    CodingPosition position = RandomPosition(random, level, picture);
    if (position.canvas.Available(position.rect.y - 2, position.rect.x - 2)) return position;
  }
}

// All places that may match, best first.
std::vector<TemplateMatch> PlainMatches(const Canvas& canvas, BlockRect rect) {
  const int h = rect.height(), w = rect.width();
  std::vector<TemplateMatch> matches;
  for (int y = rect.y - 24; y < 16; ++y) {
    for (int x = rect.x - 24; x <= rect.x + 7; ++x) {
      if (y + h > 16 || !AllAvailable(canvas, y - 2, x - 2, h + 2, w + 2)) continue;
      int cost = 0;
      for (int i = -2; i < h; ++i)
        for (int j = -2; j < w; ++j)
          if (i < 0 || j < 0) {
            const int d = canvas.Pixel(rect.y + i, rect.x + j) - canvas.Pixel(y + i, x + j);
            cost += d * d;
          }
      matches.push_back({cost, static_cast<int16_t>(y), static_cast<int16_t>(x)});
    }
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return matches;
}

std::vector<int> PredictPlain(const Canvas& canvas, BlockRect rect) {
  TemplateMatches best;
  for (const TemplateMatch& match : PlainMatches(canvas, rect)) best.Add(match);
  int32_t weights[kTemplateMatches];
  WeighTemplateMatches(best, ShapeOfLevel(rect.level), weights);
  std::vector<int> prediction;
  for (int i = 0; i < rect.height(); ++i) {
    for (int j = 0; j < rect.width(); ++j) {
      int sum = 1 << (kTemplateWeightShift - 1);
      for (int k = 0; k < best.count; ++k)
        sum += weights[k] * canvas.Pixel(best.matches[k].y + i, best.matches[k].x + j);
      prediction.push_back(best.count == 0 ? 128 : sum >> kTemplateWeightShift);
    }
  }
  return prediction;
}

class TemplateMatchTest : public testing::TestWithParam<Picture> {};

TEST_P(TemplateMatchTest, EqualsThePlainFunctions) {
  Random random(static_cast<uint32_t>(GetParam()) + 1);
  for (int level = 0; level < kLevelCount; ++level) {
    for (int round = 0; round < 15; ++round) {
      const CodingPosition position = TemplatePosition(random, level, GetParam());
      SCOPED_TRACE(position.ToString());
      ExpectPrediction(position, PredictPlain(position.canvas, position.rect), PredictTemplate);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, TemplateMatchTest, testing::ValuesIn(kAllPictures),
                         [](const auto& test) { return std::string(PictureName(test.param)); });

TEST(TemplateWeightsTest, AddUpToOneAndFall) {
  Random random(9);
  for (int round = 0; round < 1000; ++round) {
    TemplateMatches best;
    const int most = 1 << random.Between(0, 22);
    for (int k = random.Between(1, 8); k > 0; --k) best.Add({random.Below(most), 0, 0});
    int32_t weights[kTemplateMatches];
    WeighTemplateMatches(best, kLevelShapes[random.Below(kLevelCount)], weights);
    int32_t sum = 0;
    for (int k = 0; k < best.count; ++k) {
      sum += weights[k];
      EXPECT_GE(weights[k], 0);
      if (k > 0) {
        EXPECT_LE(weights[k], weights[k - 1]);
      }
    }
    EXPECT_EQ(sum, 1 << kTemplateWeightShift);
  }
}

// Of equal costs the first stays ahead.
TEST(TemplateMatchesTest, KeepsTheBestInOrder) {
  TemplateMatches best;
  const int costs[] = {7, 3, 7, 9, 3, 1, 7, 3};
  for (int k = 0; k < 8; ++k) best.Add({costs[k], 0, static_cast<int16_t>(k)});
  ASSERT_EQ(best.count, 4);
  const int places[] = {5, 1, 4, 7};
  for (int k = 0; k < 4; ++k) EXPECT_EQ(best.matches[k].x, places[k]);
}

}  // namespace
}  // namespace mmp
