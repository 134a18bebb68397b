#include "codec/encoder/filter/fit_level_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codec/base/lambda.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "common/metrics.h"
#include "common/task_pool.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kSide = 96;
constexpr Lambda kLambda = {.q8 = 256 * 40};

// A picture, and what a filter has left of it.
struct Pictures {
  Image original{kSide, kSide};
  std::vector<uint8_t> plane = std::vector<uint8_t>(kSide * kSide);
};

// Of these levels, and errors up to `most`.
Pictures DrawLevels(Random& random, const std::vector<int>& levels, int most) {
  Pictures pictures;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const int level = levels[random.Below(static_cast<int>(levels.size()))];
      pictures.original.Row(y)[x] = static_cast<uint8_t>(level);
      pictures.plane[y * kSide + x] =
          static_cast<uint8_t>(std::clamp(level + random.Between(-most, most), 0, 255));
    }
  }
  return pictures;
}

int64_t Cost(const Pictures& pictures, const LevelMaps& maps) {
  std::vector<uint8_t> plane = pictures.plane;
  ApplyLevelMaps(maps, kSide, kSide, plane);
  const FilterChoice choice = {.level_maps = maps};
  return static_cast<int64_t>(
             SumSquaredError(pictures.original.View(), {plane.data(), kSide, kSide, kSide})) +
         Price(kLambda, FilterRateQ12(choice, {.tools = kLevelMaps}));
}

TEST(FitLevelMapsTest, LevelsBecomeWhatTheyStandFor) {
  Random random(3);
  const Pictures pictures = DrawLevels(random, {0, 40, 130, 254}, 9);
  const LevelMaps maps =
      FitLevelMaps(pictures.plane, kSide, pictures.original.View(), kLambda, false);
  ASSERT_EQ(maps.kind, 1);
  for (const int level : {0, 40, 130, 254})
    for (int near = std::max(level - 9, 0); near <= std::min(level + 9, 255); ++near)
      EXPECT_EQ(maps.maps[0][near], level);
  std::vector<uint8_t> plane = pictures.plane;
  ApplyLevelMaps(maps, kSide, kSide, plane);
  EXPECT_EQ(SumSquaredError(pictures.original.View(), {plane.data(), kSide, kSide, kSide}), 0u);
}

// No map that is a little different costs less; those of a user in a hurry cost no less.
TEST(FitLevelMapsTest, CostsAreNearTheLeast) {
  Random random(4);
  int fitted = 0;
  for (int round = 0; round < 12; ++round) {
    std::vector<int> levels(random.Between(2, 90));
    for (int& level : levels) level = random.Below(256);
    const Pictures pictures = DrawLevels(random, levels, random.Between(1, 12));
    const LevelMaps maps =
        FitLevelMaps(pictures.plane, kSide, pictures.original.View(), kLambda, false);
    const int64_t cost = Cost(pictures, maps);
    EXPECT_LE(cost, Cost(pictures, {}));
    EXPECT_LE(cost, Cost(pictures, FitLevelMaps(pictures.plane, kSide, pictures.original.View(),
                                                kLambda, true)));
    if (maps.kind == 0) continue;
    ++fitted;
    int64_t least = cost;
    for (int change = 0; change < 60; ++change) {
      LevelMaps other = maps;
      LevelMap& map = other.maps[random.Below(other.count())];
      const int first = random.Below(256), last = std::min(first + random.Below(9), 255);
      const int to = std::clamp(map[first] + random.Between(-2, 2), 0, 255);
      for (int level = 0; level < 256; ++level) {
        const int mapped = level >= first && level <= last ? to : map[level];
        map[level] = static_cast<uint8_t>(level < first  ? std::min(mapped, to)
                                          : level > last ? std::max(mapped, to)
                                                         : mapped);
      }
      least = std::min(least, Cost(pictures, other));
    }
    EXPECT_GE(least, cost - cost / 500);
  }
  EXPECT_GE(fitted, 6);
}

// Threads share the rows, each of which has a level that few others have.
TEST(FitLevelMapsTest, ThreadsChangeNothing) {
  constexpr int kWidth = 480, kHeight = 521, kPaddedHeight = 528;
  Random random(5);
  Image original(kWidth, kHeight);
  std::vector<uint8_t> plane(kWidth * kPaddedHeight);
  int becomes = 0;  // what the row's level stands for
  for (int y = 0; y < kPaddedHeight; ++y) {
    becomes = std::min(becomes + random.Below(2), 255);
    std::fill_n(&plane[y * kWidth], kWidth, static_cast<uint8_t>(y * 256 / kPaddedHeight));
    if (y < kHeight) std::fill_n(original.Row(y), kWidth, static_cast<uint8_t>(becomes));
  }
  const LevelMaps alone = FitLevelMaps(plane, kWidth, original.View(), kLambda, false);
  ASSERT_GT(alone.kind, 0);
  for (const int threads : {2, 3, 7}) {
    TaskPool pool(threads);
    const LevelMaps shared = FitLevelMaps(plane, kWidth, original.View(), kLambda, false, pool);
    EXPECT_EQ(shared.kind, alone.kind);
    EXPECT_EQ(shared.maps, alone.maps);
  }
}

TEST(FitLevelMapsTest, LevelsThatStandForThemselvesStay) {
  Random random(6);
  std::vector<int> levels;
  for (int level = 20; level < 236; ++level) levels.push_back(level);
  const Pictures pictures = DrawLevels(random, levels, 4);
  EXPECT_EQ(FitLevelMaps(pictures.plane, kSide, pictures.original.View(), kLambda, false).kind, 0);
}

}  // namespace
}  // namespace mmp
