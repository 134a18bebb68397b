#include "codec/intra/lsp.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

struct PlainPixel {
  std::array<int32_t, kLspOrder> weights;
  std::array<int, kLspOrder> neighbours;
  int prediction;

  std::string ToString() const {
    std::ostringstream text;
    text << "neighbours";
    for (const int v : neighbours) text << ' ' << v;
    text << ", weights";
    for (const int w : weights) text << ' ' << w / static_cast<double>(1 << kLspWeightShift);
    return text.str();
  }
};

std::array<int32_t, kLspOrder> SolvePlain(const LspSums& sums) {
  double terms[kLspTerms], weights[kLspOrder];
  for (int t = 0; t < kLspTerms; ++t) terms[t] = sums.terms[t];
  SolveLspWeights(terms, weights);
  std::array<int32_t, kLspOrder> quantized;
  for (int k = 0; k < kLspOrder; ++k)
    quantized[k] = static_cast<int32_t>(QuantizeLspWeight(weights[k]));
  return quantized;
}

// Pixel by pixel in raster order, each prediction taken as the pixel for those after it.
std::vector<PlainPixel> PredictPlain(Canvas canvas, BlockRect rect) {
  const Canvas before = canvas;
  const LspRange range = LspBorderRange(before, rect);
  std::vector<PlainPixel> pixels;
  for (int i = 0; i < rect.height(); ++i) {
    for (int j = 0; j < rect.width(); ++j) {
      PlainPixel pixel;
      pixel.weights = SolvePlain(LspNormalEquations(before, rect, i, j));
      LspNeighbours(
          rect.y + i, rect.x + j, [&](int y, int x) { return canvas.Available(y, x); },
          [&](int y, int x) { return static_cast<int>(canvas.Pixel(y, x)); },
          pixel.neighbours.data());
      pixel.prediction = ApplyLspWeights(pixel.weights.data(), pixel.neighbours.data(), range);
      const int index = Canvas::Index(rect.y + i, rect.x + j);
      canvas.pixels[index] = static_cast<uint8_t>(pixel.prediction);
      canvas.available[index] = 1;
      pixels.push_back(pixel);
    }
  }
  return pixels;
}

// A place of `level` where least-squares prediction can be used.
CodingPosition LspPosition(Random& random, int level, Picture picture) {
  while (true) {
    CodingPosition position = RandomPosition(random, level, picture);
    const BlockRect rect = position.rect;
    if (position.canvas.Available(rect.y - 1, rect.x) &&
        position.canvas.Available(rect.y, rect.x - 1))
      return position;
  }
}

class LspPictureTest : public testing::TestWithParam<Picture> {};

TEST_P(LspPictureTest, EqualsThePlainFunctions) {
  constexpr int kRounds = 12;
  Random random(static_cast<uint32_t>(GetParam()) + 1);
  for (int level = 0; level < kLevelCount; ++level) {
    for (int round = 0; round < kRounds; ++round) {
      const CodingPosition position = LspPosition(random, level, GetParam());
      SCOPED_TRACE(position.ToString());
      const BlockRect rect = position.rect;
      const std::vector<PlainPixel> expected = PredictPlain(position.canvas, rect);
      ForEachSimdTarget([&] {
        uint8_t prediction[kMacroblockPixels + 1];
        prediction[rect.pixels()] = 99;
        PredictLsp(position.canvas, rect, prediction);
        for (int k = 0; k < rect.pixels(); ++k)
          ASSERT_EQ(prediction[k], expected[k].prediction)
              << "row " << k / rect.width() << ", column " << k % rect.width() << ": "
              << expected[k].ToString();
        ASSERT_EQ(prediction[rect.pixels()], 99);
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, LspPictureTest, testing::ValuesIn(kAllPictures),
                         [](const auto& test) { return std::string(PictureName(test.param)); });

// What lies in the block before it is coded has no influence.
TEST(LspTest, IgnoresTheBlockItself) {
  Random random(50);
  for (int level = 1; level < kLevelCount; ++level) {
    CodingPosition position = LspPosition(random, level, Picture::kTexture);
    const BlockRect rect = position.rect;
    uint8_t first[kMacroblockPixels], second[kMacroblockPixels];
    PredictLsp(position.canvas, rect, first);
    for (int i = 0; i < rect.height(); ++i)
      for (int j = 0; j < rect.width(); ++j)
        position.canvas.pixels[Canvas::Index(rect.y + i, rect.x + j)] =
            static_cast<uint8_t>(random.Below(256));
    PredictLsp(position.canvas, rect, second);
    EXPECT_EQ(std::memcmp(first, second, rect.pixels()), 0) << position.ToString();
  }
}

// The samples of a pixel's fit, from the description in lsp.h.
LspSums PlainNormalEquations(const Canvas& canvas, BlockRect rect, int i, int j) {
  LspSums sums{};
  for (int y = -kLspWindow; y < kMacroblockSize; ++y) {
    for (int x = -kLspWindow; x < kMacroblockSize + kLspWindow; ++x) {
      const bool above =
          y < rect.y && y >= rect.y - kLspWindow && std::abs(x - (rect.x + j)) <= kLspWindow;
      const bool left = y >= rect.y && x < rect.x && x >= rect.x - kLspWindow &&
                        std::abs(y - (rect.y + i)) <= kLspWindow;
      if (above || left) AddLspSample(canvas, y, x, sums);
    }
  }
  for (int k = 0, diagonal = 0; k < kLspOrder; diagonal += kLspOrder - k++) {
    sums.terms[diagonal] += kLspRidge;
    sums.terms[kLspTriangle + k] += kLspRidge * LspDefault(k) / kLspDefaultScale;
  }
  return sums;
}

TEST(LspNormalEquationsTest, TakesTheSamplesDescribed) {
  Random random(51);
  for (int level = 0; level < kLevelCount; ++level) {
    for (int round = 0; round < 20; ++round) {
      const CodingPosition position = LspPosition(random, level, Picture::kNoise);
      const int i = random.Below(position.rect.height());
      const int j = random.Below(position.rect.width());
      const LspSums sums = LspNormalEquations(position.canvas, position.rect, i, j);
      const LspSums plain = PlainNormalEquations(position.canvas, position.rect, i, j);
      for (int t = 0; t < kLspTerms; ++t)
        ASSERT_EQ(sums.terms[t], plain.terms[t]) << position.ToString() << ", term " << t;
    }
  }
}

// Place of element (r, c), r <= c, in the triangle.
int TriangleIndex(int r, int c) { return r * kLspOrder - r * (r - 1) / 2 + c - r; }

TEST(LspSolveTest, SolvesTheEquations) {
  Random random(52);
  for (const Picture picture : kAllPictures) {
    for (int round = 0; round < 50; ++round) {
      const CodingPosition position = LspPosition(random, 8, picture);
      const LspSums sums = LspNormalEquations(position.canvas, position.rect, 1, 2);
      double terms[kLspTerms], weights[kLspOrder];
      for (int t = 0; t < kLspTerms; ++t) terms[t] = sums.terms[t];
      SolveLspWeights(terms, weights);
      for (int r = 0; r < kLspOrder; ++r) {
        double left_side = 0, scale = std::abs(sums.terms[kLspTriangle + r]);
        for (int c = 0; c < kLspOrder; ++c) {
          const double a = sums.terms[TriangleIndex(std::min(r, c), std::max(r, c))];
          left_side += a * weights[c];
          scale += std::abs(a * weights[c]);
        }
        ASSERT_NEAR(left_side, sums.terms[kLspTriangle + r], 1e-9 * scale)
            << PictureName(picture) << ", equation " << r;
      }
    }
  }
}

TEST(LspSolveTest, WithoutSamplesTheDefaultWeights) {
  CodingPosition position{};
  const LspSums sums = LspNormalEquations(position.canvas, {0, 0, 8}, 0, 0);
  const std::array<int32_t, kLspOrder> weights = SolvePlain(sums);
  for (int k = 0; k < kLspOrder; ++k)
    EXPECT_EQ(weights[k], LspDefault(k) * (1 << kLspWeightShift) / kLspDefaultScale);
}

TEST(QuantizeLspWeightTest, RoundsToNearestEvenAndLimits) {
  const double unit = 1.0 / (1 << kLspWeightShift);
  EXPECT_EQ(QuantizeLspWeight(0.0), 0);
  EXPECT_EQ(QuantizeLspWeight(1.0), 1 << kLspWeightShift);
  EXPECT_EQ(QuantizeLspWeight(2.4 * unit), 2);
  EXPECT_EQ(QuantizeLspWeight(2.5 * unit), 2);
  EXPECT_EQ(QuantizeLspWeight(3.5 * unit), 4);
  EXPECT_EQ(QuantizeLspWeight(-2.5 * unit), -2);
  EXPECT_EQ(QuantizeLspWeight(-2.6 * unit), -3);
  EXPECT_EQ(QuantizeLspWeight(1e6), kLspWeightLimit);
  EXPECT_EQ(QuantizeLspWeight(-1e6), -kLspWeightLimit);
}

TEST(ApplyLspWeightsTest, StaysWithinTheRange) {
  const int values[kLspOrder] = {10, 20, 30, 40, 255, 0};
  const LspRange range{8, 44};
  std::array<int32_t, kLspOrder> weights{};
  EXPECT_EQ(ApplyLspWeights(weights.data(), values, range), 8);
  weights[4] = kLspWeightLimit;
  EXPECT_EQ(ApplyLspWeights(weights.data(), values, range), 44);
  weights[4] = -kLspWeightLimit;
  EXPECT_EQ(ApplyLspWeights(weights.data(), values, range), 8);
  weights = {};
  weights[0] = weights[1] = 1 << (kLspWeightShift - 1);
  EXPECT_EQ(ApplyLspWeights(weights.data(), values, range), 15);
  weights[2] = 1 << (kLspWeightShift - 1) | 1;
  EXPECT_EQ(ApplyLspWeights(weights.data(), values, range), 30);
}

TEST(LspBorderRangeTest, CoversThePixelsThatTouchTheBlock) {
  Canvas canvas;
  std::memset(&canvas, 0, sizeof(canvas));
  std::memset(canvas.pixels, 100, sizeof(canvas.pixels));
  const BlockRect rect{4, 8, 8};  // 4x4
  for (int j = -1; j < 4; ++j) canvas.available[Canvas::Index(3, 8 + j)] = 1;
  for (int i = 0; i < 4; ++i) canvas.available[Canvas::Index(4 + i, 7)] = 1;
  canvas.pixels[Canvas::Index(3, 12)] = 200;  // NE of the last column: not available
  canvas.pixels[Canvas::Index(8, 7)] = 3;     // below the block
  canvas.pixels[Canvas::Index(2, 9)] = 4;     // two rows above
  LspRange range = LspBorderRange(canvas, rect);
  EXPECT_EQ(range.low, 100);
  EXPECT_EQ(range.high, 100);
  canvas.available[Canvas::Index(3, 12)] = 1;
  canvas.pixels[Canvas::Index(7, 7)] = 50;
  range = LspBorderRange(canvas, rect);
  EXPECT_EQ(range.low, 50);
  EXPECT_EQ(range.high, 200);
  canvas.pixels[Canvas::Index(3, 7)] = 9;
  EXPECT_EQ(LspBorderRange(canvas, rect).low, 9);
}

// A ramp that stays within the range of the neighbours goes on.
TEST(LspTest, FollowsARamp) {
  CodingPosition position{};
  for (int y = -Canvas::kTop; y < 16; ++y)
    for (int x = -Canvas::kLeft; x < 16 + Canvas::kRight; ++x) {
      if (y >= 0 && x >= 0) continue;
      position.canvas.pixels[Canvas::Index(y, x)] = static_cast<uint8_t>(100 + 2 * y - x);
      position.canvas.available[Canvas::Index(y, x)] = 1;
    }
  uint8_t prediction[16];
  PredictLsp(position.canvas, {0, 0, 8}, prediction);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(prediction[i * 4 + j], 100 + 2 * i - j, 1) << i << ", " << j;
}

}  // namespace
}  // namespace mmp
