#include "codec/intra/predictors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "codec/intra/angle_block.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// The pixels beside a block by H.264's coordinates: p(x, -1) above it, p(-1, y) on its left, p(-1,
// -1) in the corner. Above, as many as are there, up to width + height; the last of either side
// repeats.
class Neighbours {
 public:
  explicit Neighbours(const CodingPosition& position)
      : canvas_(position.canvas), rect_(position.rect) {
    while (above_ < rect_.width() + rect_.height() &&
           canvas_.Available(rect_.y - 1, rect_.x + above_))
      ++above_;
    left_ = canvas_.Available(rect_.y, rect_.x - 1) ? rect_.height() : 0;
  }

  int above() const { return above_; }
  int left() const { return left_; }
  // Two rows above and two columns on the left.
  bool has_two() const { return canvas_.Available(rect_.y - 2, rect_.x - 2); }
  bool has_above_right() const { return above_ > rect_.width(); }
  int operator()(int x, int y) const {
    return canvas_.Pixel(rect_.y + std::min(y, left_ - 1), rect_.x + std::min(x, above_ - 1));
  }

 private:
  const Canvas& canvas_;
  BlockRect rect_;
  int above_ = 0, left_;
};

int Mean2(int a, int b) { return (a + b + 1) >> 1; }
int Mean3(int a, int b, int c) { return (a + 2 * b + c + 2) >> 2; }

// Recommendation H.264, 8.3.1.2 and 8.3.2.2, for a block of any shape.
int PlainDownLeft(const Neighbours& p, int x, int y) {
  return Mean3(p(x + y, -1), p(x + y + 1, -1), p(x + y + 2, -1));
}

int PlainDownRight(const Neighbours& p, int x, int y) {
  if (x > y) return Mean3(p(x - y - 2, -1), p(x - y - 1, -1), p(x - y, -1));
  if (x < y) return Mean3(p(-1, y - x - 2), p(-1, y - x - 1), p(-1, y - x));
  return Mean3(p(0, -1), p(-1, -1), p(-1, 0));
}

int PlainVerticalRight(const Neighbours& p, int x, int y) {
  const int z = 2 * x - y, at = x - (y >> 1);
  if (z >= 0 && z % 2 == 0) return Mean2(p(at - 1, -1), p(at, -1));
  if (z >= 0) return Mean3(p(at - 2, -1), p(at - 1, -1), p(at, -1));
  if (z == -1) return Mean3(p(-1, 0), p(-1, -1), p(0, -1));
  return Mean3(p(-1, y - 2 * x - 1), p(-1, y - 2 * x - 2), p(-1, y - 2 * x - 3));
}

int PlainHorizontalDown(const Neighbours& p, int x, int y) {
  const int z = 2 * y - x, at = y - (x >> 1);
  if (z >= 0 && z % 2 == 0) return Mean2(p(-1, at - 1), p(-1, at));
  if (z >= 0) return Mean3(p(-1, at - 2), p(-1, at - 1), p(-1, at));
  if (z == -1) return Mean3(p(-1, 0), p(-1, -1), p(0, -1));
  return Mean3(p(x - 2 * y - 1, -1), p(x - 2 * y - 2, -1), p(x - 2 * y - 3, -1));
}

int PlainVerticalLeft(const Neighbours& p, int x, int y) {
  const int at = x + (y >> 1);
  return y % 2 == 0 ? Mean2(p(at, -1), p(at + 1, -1))
                    : Mean3(p(at, -1), p(at + 1, -1), p(at + 2, -1));
}

int PlainHorizontalUp(const Neighbours& p, int x, int y) {
  const int at = y + (x >> 1);
  return x % 2 == 0 ? Mean2(p(-1, at), p(-1, at + 1))
                    : Mean3(p(-1, at), p(-1, at + 1), p(-1, at + 2));
}

// 8.3.3.4
int PlainPlane(const Neighbours& p, int x, int y) {
  int h = 0, v = 0;
  for (int k = 0; k <= 7; ++k) {
    h += (k + 1) * (p(8 + k, -1) - p(6 - k, -1));
    v += (k + 1) * (p(-1, 8 + k) - p(-1, 6 - k));
  }
  const int a = 16 * (p(-1, 15) + p(15, -1)), b = (5 * h + 32) >> 6, c = (5 * v + 32) >> 6;
  return std::clamp((a + b * (x - 7) + c * (y - 7) + 16) >> 5, 0, 255);
}

// The most frequent; then the nearest to the mean (rounded, halves up); then the smallest.
int PlainMostFrequent(const std::vector<int>& values) {
  if (values.empty()) return 128;
  std::map<int, int> frequency;
  int sum = 0;
  for (const int v : values) {
    ++frequency[v];
    sum += v;
  }
  const int count = static_cast<int>(values.size());
  int mean = sum / count;
  if (2 * (sum - mean * count) >= count) ++mean;
  int best = frequency.begin()->first;
  for (const auto& [value, times] : frequency) {
    if (times > frequency[best] ||
        (times == frequency[best] && std::abs(value - mean) < std::abs(best - mean)))
      best = value;
  }
  return best;
}

int Pdpc(int distance, int slowness) {
  int weight = 32;
  for (int step = 0; step < (2 * distance >> slowness); ++step) weight /= 2;
  return weight;
}

int PlainPlanar(const Neighbours& p, BlockRect rect, int x, int y) {
  const int w = rect.width(), h = rect.height();
  const int right = p(p.has_above_right() ? w : w - 1, -1), below = p(-1, h - 1);
  const int surface = (h * ((w - 1 - x) * p(-1, y) + (x + 1) * right) +
                       w * ((h - 1 - y) * p(x, -1) + (y + 1) * below) + w * h) /
                      (2 * w * h);
  const int slowness = w * h < 64 ? 0 : w * h < 1024 ? 1 : 2;
  const int left = Pdpc(x, slowness), top = Pdpc(y, slowness);
  return (left * p(-1, y) + top * p(x, -1) + (64 - left - top) * surface + 32) >> 6;
}

// The block seen from the side that a mode predicts it from: main(k) are the pixels along the block
// there, other(k) those along the other side, -1 the corner in both.
struct AngleView {
  int offset;
  bool from_left;
  int x, y;  // along the main side, away from it
  int other_length;
  bool has_other;
};

AngleView ViewOf(const Neighbours& p, BlockRect rect, int mode, int x, int y) {
  constexpr int kOffset[] = {32, 22, 14, 7, -7, -14, -22, -32, -22, -14, -7, 7, 14, 22};
  const int offset = kOffset[mode - kFirstAngle];
  if (mode < kFirstAngle + 8) return {offset, false, x, y, rect.height(), p.left() > 0};
  return {offset, true, y, x, rect.width(), p.above() > 0};
}

int PlainAngle(const Neighbours& p, BlockRect rect, int mode, int x, int y) {
  const AngleView view = ViewOf(p, rect, mode, x, y);
  auto along = [&](bool left, int k) { return left ? p(-1, k) : p(k, -1); };
  auto main = [&](int k) {
    if (k == -1 && !(p.above() > 0 && p.left() > 0)) k = 0;
    if (k >= -1) return along(view.from_left, k);
    const int distance = ((-k - 1) * (8192 / -view.offset) + 128) / 256;
    return along(!view.from_left, std::min(distance, 33) - 1);
  };
  const double position = view.x + (view.y + 1) * view.offset / 32.0;
  const int k = static_cast<int>(std::floor(position));
  const double t = position - k;
  // Catmull and Rom's curve; all values are multiples of 2^-16.
  const double a = main(k - 1), b = main(k), c = main(k + 1), d = main(k + 2);
  const double curve =
      b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
  const int value = std::clamp(static_cast<int>(std::floor(curve + 0.5)), 0, 255);
  if (view.offset < 0 || !view.has_other) return value;
  const int other = view.y + (((view.x + 1) * (8192 / view.offset) + 128) >> 8);
  if (other >= view.other_length) return value;
  const int weight = Pdpc(view.x, 2);
  return ((64 - weight) * value + weight * along(!view.from_left, other) + 32) >> 6;
}

std::vector<int> BesideBlock(const Neighbours& p, BlockRect rect) {
  std::vector<int> values;
  for (int x = 0; x < rect.width() && p.above() > 0; ++x) values.push_back(p(x, -1));
  for (int y = 0; y < p.left(); ++y) values.push_back(p(-1, y));
  return values;
}

uint32_t PlainModes(const Neighbours& p, int level) {
  const bool top = p.above() > 0, left = p.left() > 0;
  uint32_t modes = 1u << kMostFrequent;
  auto allow = [&modes](int mode, bool allowed) { modes |= (allowed ? 1u : 0u) << mode; };
  allow(kVertical, top);
  allow(kHorizontal, left);
  allow(kPlanar, top && left);
  allow(kTemplate, p.has_two());
  if (level == kMacroblockLevel) {
    allow(kDownLeft, top && left);  // the plane
    return modes;
  }
  for (const int mode : {kDownLeft, kVerticalLeft}) allow(mode, p.has_above_right());
  for (const int mode : {kDownRight, kVerticalRight, kHorizontalDown, kLeastSquares})
    allow(mode, top && left);
  allow(kHorizontalUp, left);
  for (int k = 0; k < 14; ++k) allow(kFirstAngle + k, k < 4 ? top : k < 11 ? top && left : left);
  allow(kBlockLeastSquares, p.has_two());
  return modes;
}

int PlainPixel(const Neighbours& p, BlockRect rect, int mode, int x, int y) {
  switch (mode) {
    case kVertical:
      return p(x, -1);
    case kHorizontal:
      return p(-1, y);
    case kMostFrequent:
      return PlainMostFrequent(BesideBlock(p, rect));
    case kDownLeft:
      return rect.level == kMacroblockLevel ? PlainPlane(p, x, y) : PlainDownLeft(p, x, y);
    case kDownRight:
      return PlainDownRight(p, x, y);
    case kVerticalRight:
      return PlainVerticalRight(p, x, y);
    case kHorizontalDown:
      return PlainHorizontalDown(p, x, y);
    case kVerticalLeft:
      return PlainVerticalLeft(p, x, y);
    case kHorizontalUp:
      return PlainHorizontalUp(p, x, y);
    case kPlanar:
      return PlainPlanar(p, rect, x, y);
    default:
      return PlainAngle(p, rect, mode, x, y);
  }
}

class PredictorsTest : public testing::TestWithParam<Picture> {};

// At random places of every level; counts that each mode of each level was met.
TEST_P(PredictorsTest, EqualsTheDefinitions) {
  Random random(static_cast<uint32_t>(GetParam()) + 1);
  for (int level = 0; level < kLevelCount; ++level) {
    uint32_t met = 0, never_met = 0;
    for (int round = 0; round < 300; ++round) {
      const CodingPosition position = RandomPosition(random, level, GetParam());
      SCOPED_TRACE(position.ToString());
      const BlockRect rect = position.rect;
      const Neighbours p(position);
      BlockBorder border;
      LoadBorder(position.canvas, rect, border);
      const uint32_t modes = AvailableModes(border, level);
      ASSERT_EQ(modes, PlainModes(p, level));
      met |= modes;
      never_met |= ~modes;
      for (int mode = 0; mode < kPredictionModes; ++mode) {
        if ((modes >> mode & 1) == 0 || !IsBorderMode(mode)) continue;
        uint8_t prediction[kMacroblockPixels];
        PredictBlock(border, mode, level, prediction);
        for (int y = 0; y < rect.height(); ++y)
          for (int x = 0; x < rect.width(); ++x)
            ASSERT_EQ(prediction[y * rect.width() + x], PlainPixel(p, rect, mode, x, y))
                << "mode " << mode << " at row " << y << ", column " << x;
      }
    }
    const uint32_t all = kAllModes & ~kAllBlockCopyModes;
    EXPECT_EQ(met, level == kMacroblockLevel ? 0xfu | 1u << kPlanar | 1u << kTemplate : all)
        << "level " << level;
    EXPECT_EQ(never_met & all, all & ~(1u << kMostFrequent)) << "level " << level;
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, PredictorsTest, testing::ValuesIn(kAllPictures),
                         [](const auto& test) { return std::string(PictureName(test.param)); });

// A border of eight pixels, four above and four on the left.
int MostFrequentOf(const std::array<int, 4>& top, const std::array<int, 4>& left) {
  BlockBorder border{};
  border.has_top = border.has_left = true;
  for (int k = 0; k < 4; ++k) {
    border.line[BlockBorder::kOrigin + 1 + k] = static_cast<uint8_t>(top[k]);
    border.line[BlockBorder::kOrigin - 1 - k] = static_cast<uint8_t>(left[k]);
  }
  return MostFrequentValue(border, 4, 4);
}

TEST(MostFrequentValueTest, Ties) {
  EXPECT_EQ(MostFrequentOf({1, 2, 3, 4}, {5, 6, 200, 200}), 200);     // frequency first
  EXPECT_EQ(MostFrequentOf({10, 10, 20, 20}, {90, 91, 92, 93}), 20);  // then nearness to 53
  EXPECT_EQ(MostFrequentOf({20, 20, 10, 10}, {90, 91, 92, 93}), 20);
  EXPECT_EQ(MostFrequentOf({8, 8, 12, 12}, {0, 20, 9, 11}), 8);  // equally near to 10: the smaller
  EXPECT_EQ(MostFrequentOf({12, 12, 8, 8}, {0, 20, 9, 11}), 8);
  EXPECT_EQ(MostFrequentOf({0, 1, 2, 3}, {4, 5, 6, 7}), 4);  // the mean is 3.5, rounded to 4
  EXPECT_EQ(MostFrequentOf({255, 255, 255, 255}, {0, 0, 0, 0}), 255);  // 127.5 to 128
}

TEST(MostFrequentValueTest, WithoutNeighbours) {
  const BlockBorder border{};
  EXPECT_EQ(MostFrequentValue(border, 16, 16), 128);
}

// The corner pixel belongs to neither side.
TEST(MostFrequentValueTest, CornerDoesNotCount) {
  BlockBorder border{};
  border.has_top = border.has_left = true;
  border.line[BlockBorder::kOrigin] = 9;
  border.line[BlockBorder::kOrigin + 1] = 100;
  border.line[BlockBorder::kOrigin - 1] = 9;
  EXPECT_EQ(MostFrequentValue(border, 1, 1), 100);  // nearer to 54.5, rounded to 55
}

// What remains of a pixel between entries is rounded: the last 2^-16th below a half down, a half
// up.
TEST(AngleTest, RoundsHalvesUp) {
  constexpr int kMode = kFirstAngle + 4, kLevel = 15;
  constexpr int kFraction = 25;  // of a pixel of the first row, as the row's offset is -7
  constexpr int kWeight[] = {
      -kFraction * 7 * 7,
      3 * kFraction * kFraction * kFraction - 160 * kFraction * kFraction + 65536,
      -3 * kFraction * kFraction * kFraction + 128 * kFraction * kFraction + 1024 * kFraction,
      -kFraction * kFraction * 7};
  for (const int remainder : {32767, 32768}) {
    Random random(1);
    std::array<int, 4> entries;
    int sum;
    do {
      sum = 0;
      for (int k = 0; k < 4; ++k) {
        entries[k] = 64 + random.Below(128);  // so that nothing is clipped
        sum += kWeight[k] * entries[k];
      }
    } while (sum % 65536 != remainder);
    BlockBorder border{};
    border.has_top = border.has_left = true;
    for (int k = 0; k < 4; ++k)
      border.line[BlockBorder::kOrigin + k] = static_cast<uint8_t>(entries[k]);
    const int rounded = sum / 65536 + (remainder == 32768 ? 1 : 0);
    uint8_t prediction[kMacroblockPixels];
    PredictBlock(border, kMode, kLevel, prediction);
    EXPECT_EQ(prediction[1], rounded);
    PredictAngleBlock(border, kMode, kLevelShapes[kLevel], prediction);
    EXPECT_EQ(prediction[1], rounded);
  }
}

TEST(PlaneTest, IsClipped) {
  BlockBorder border{};
  border.has_top = border.has_left = true;
  for (int k = 0; k < 16; ++k) {
    border.line[BlockBorder::kOrigin + 1 + k] = static_cast<uint8_t>(17 * k);
    border.line[BlockBorder::kOrigin - 1 - k] = static_cast<uint8_t>(17 * k);
  }
  uint8_t prediction[kMacroblockPixels];
  PredictBlock(border, kDownLeft, kMacroblockLevel, prediction);
  EXPECT_EQ(prediction[255], 255);
  const Plane plane = FitPlane(border);
  EXPECT_GT(plane.a + plane.b * 8 + plane.c * 8, 255 * 32);
  const Plane falling{0, -100, -100};
  EXPECT_EQ(falling.At(15, 15), 0);
  const Plane even{32 * 77, 0, 0};
  EXPECT_EQ(even.At(0, 15), 77);
}

}  // namespace
}  // namespace mmp
