#include "codec/dictionary/rescale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "codec/base/levels.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Values = std::vector<int16_t>;

Values RandomPattern(Random& random, int level) {
  Values values(kLevelShapes[level].pixels());
  const int extreme = random.OneIn(4) ? 255 : random.Between(0, 255);
  for (int16_t& v : values)
    v = static_cast<int16_t>(random.OneIn(4) ? (random.OneIn(2) ? extreme : -extreme)
                                             : random.Between(-extreme, extreme));
  return values;
}

Values Rescale(const Values& from, int from_level, int to_level) {
  Values to(kLevelShapes[to_level].pixels());
  RescalePattern(from.data(), from_level, to_level, to.data());
  return to;
}

Values RescaleRow(const Values& from, int to_count) {
  auto level = [](size_t count) { return LevelOf(0, std::countr_zero(count)); };
  return Rescale(from, level(from.size()), level(to_count));
}

// From the definition; everything is a multiple of a power of two, so doubles are exact.
Values PlainLine(const Values& from, int to_count) {
  const int from_count = static_cast<int>(from.size());
  const double ratio = static_cast<double>(from_count) / to_count;
  Values to;
  for (int i = 0; i < to_count; ++i) {
    double value = 0;
    if (to_count <= from_count) {
      const int merged = from_count / to_count;
      for (int k = 0; k < merged; ++k) value += from[i * merged + k];
      value /= merged;
    } else {
      const double centre = std::clamp((i + 0.5) * ratio - 0.5, 0.0, from_count - 1.0);
      const int left = static_cast<int>(centre);
      const int right = std::min(left + 1, from_count - 1);
      value = from[left] + (centre - left) * (from[right] - from[left]);
    }
    to.push_back(static_cast<int16_t>(std::floor(value + 0.5)));
  }
  return to;
}

Values PlainRescale(const Values& from, int from_level, int to_level) {
  const LevelShape f = kLevelShapes[from_level], t = kLevelShapes[to_level];
  Values tall(t.height() * f.width()), to(t.pixels());
  for (int j = 0; j < f.width(); ++j) {
    Values column;
    for (int i = 0; i < f.height(); ++i) column.push_back(from[i * f.width() + j]);
    column = PlainLine(column, t.height());
    for (int i = 0; i < t.height(); ++i) tall[i * f.width() + j] = column[i];
  }
  for (int i = 0; i < t.height(); ++i) {
    const Values row =
        PlainLine({tall.begin() + i * f.width(), tall.begin() + (i + 1) * f.width()}, t.width());
    std::copy(row.begin(), row.end(), to.begin() + i * t.width());
  }
  return to;
}

TEST(RescaleTest, LinesBecomeMeans) {
  EXPECT_EQ(RescaleRow({1, 2, 3, 4}, 4), (Values{1, 2, 3, 4}));
  EXPECT_EQ(RescaleRow({1, 2, 10, 20}, 2), (Values{2, 15}));        // 1.5 goes up
  EXPECT_EQ(RescaleRow({-1, -2, -10, -21}, 2), (Values{-1, -15}));  // and so do -1.5 and -15.5
  EXPECT_EQ(RescaleRow({1, 2, 10, 20}, 1), (Values{8}));  // 8.25, not the mean of 2 and 15
  EXPECT_EQ(RescaleRow({255, -255}, 1), (Values{0}));
}

TEST(RescaleTest, LinesAreInterpolated) {
  EXPECT_EQ(RescaleRow({7}, 4), (Values{7, 7, 7, 7}));
  EXPECT_EQ(RescaleRow({0, 8}, 4), (Values{0, 2, 6, 8}));
  EXPECT_EQ(RescaleRow({0, 16}, 8), (Values{0, 0, 2, 6, 10, 14, 16, 16}));
  EXPECT_EQ(RescaleRow({0, -8}, 4), (Values{0, -2, -6, -8}));
  EXPECT_EQ(RescaleRow({0, 2}, 4), (Values{0, 1, 2, 2}));  // 0.5 and 1.5 go up
  EXPECT_EQ(RescaleRow({0, 4, -4, 8}, 8), (Values{0, 1, 3, 2, -2, -1, 5, 8}));
}

TEST(RescaleTest, BothWays) {
  // 2x2 to 4x1: the columns are stretched first, then each row's mean taken.
  EXPECT_EQ(Rescale({0, 4, 8, 20}, 3, 5), (Values{2, 5, 11, 14}));
  // 2x2 to 1x4.
  EXPECT_EQ(Rescale({0, 4, 8, 20}, 3, 4), (Values{4, 6, 10, 12}));
}

TEST(RescaleTest, SameLevelIsIdentity) {
  Random random(1);
  for (int level = 0; level < kLevelCount; ++level) {
    const Values pattern = RandomPattern(random, level);
    EXPECT_EQ(Rescale(pattern, level, level), pattern) << "level " << level;
  }
}

TEST(RescaleTest, EveryPairOfLevels) {
  Random random(2);
  for (int from = 0; from < kLevelCount; ++from) {
    for (int to = 0; to < kLevelCount; ++to) {
      for (int round = 0; round < 10; ++round) {
        SCOPED_TRACE(testing::Message() << "level " << from << " to " << to);
        const Values pattern = RandomPattern(random, from);
        const Values rescaled = Rescale(pattern, from, to);
        ASSERT_EQ(rescaled, PlainRescale(pattern, from, to));
        const auto [low, high] = std::minmax_element(pattern.begin(), pattern.end());
        for (const int16_t v : rescaled) {
          ASSERT_GE(v, *low);
          ASSERT_LE(v, *high);
        }
      }
    }
  }
}

// The levels asked for, as if each were asked for alone, and nothing else.
TEST(RescaleTest, ToSeveralLevelsAtOnce) {
  Random random(3);
  constexpr int16_t kUntouched = 12345;
  for (int from = 0; from < kLevelCount; ++from) {
    for (int round = 0; round < 20; ++round) {
      const uint32_t all = (1u << kLevelCount) - 1;
      const uint32_t levels = round == 0 ? all : random.Bits() & random.Bits() & all;
      const Values pattern = RandomPattern(random, from);
      Values rescaled(kAllLevelsPixels + 1, kUntouched);
      RescaleToLevels(pattern.data(), from, levels, rescaled.data());
      for (int to = 0; to < kLevelCount; ++to) {
        const auto begin = rescaled.begin() + kLevelOffsets[to];
        const size_t pixels = static_cast<size_t>(kLevelShapes[to].pixels());
        ASSERT_EQ(
            Values(begin, begin + kLevelShapes[to].pixels()),
            (levels >> to & 1) != 0 ? PlainRescale(pattern, from, to) : Values(pixels, kUntouched))
            << "level " << from << " to " << to;
      }
      ASSERT_EQ(rescaled.back(), kUntouched);
    }
  }
}

TEST(RescaleTest, ConstantsStay) {
  for (const int16_t value : {-255, -1, 0, 1, 2, 3, 254, 255}) {
    for (int from = 0; from < kLevelCount; ++from) {
      for (int to = 0; to < kLevelCount; ++to) {
        EXPECT_EQ(Rescale(Values(kLevelShapes[from].pixels(), value), from, to),
                  Values(kLevelShapes[to].pixels(), value))
            << "level " << from << " to " << to;
      }
    }
  }
}

}  // namespace
}  // namespace mmp
