#include "codec/postfilter/level_maps.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "common/task_pool.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kWidth = 48, kHeight = 32;

int At(const std::vector<uint8_t>& plane, int y, int x) { return plane[y * kWidth + x]; }

// As specified, pixel by pixel.
int Activity(const std::vector<uint8_t>& plane, int y, int x) {
  int sum = 0;
  for (const auto& [i, j] : {std::pair{y - 1, x}, {y + 1, x}, {y, x - 1}, {y, x + 1}})
    if (i >= 0 && j >= 0 && i < kHeight && j < kWidth)
      sum += std::abs(At(plane, y, x) - At(plane, i, j));
  return sum;
}

TEST(LevelMapsTest, AreChosenByActivity) {
  Random random(5);
  TaskPool pool(2);
  for (int kind = 0; kind < kLevelMapsKinds; ++kind) {
    const int most = random.Between(3, 40);
    std::vector<uint8_t> plane(kWidth * kHeight);
    for (uint8_t& level : plane) level = static_cast<uint8_t>(200 + random.Below(most));
    plane[5] = 0, plane[kWidth * kHeight - 1] = 255;
    LevelMaps maps = {.kind = kind};
    for (LevelMap& map : maps.maps)
      for (uint8_t& to : map) to = static_cast<uint8_t>(random.Below(256));
    std::vector<uint8_t> mapped = plane;
    ApplyLevelMaps(maps, kWidth, kHeight, mapped, pool);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const int level = At(plane, y, x);
        const bool is_busy = kind > 1 && Activity(plane, y, x) > kActivityLimits[kind - 2];
        ASSERT_EQ(At(mapped, y, x), kind == 0 ? level : maps.maps[is_busy ? 1 : 0][level])
            << kind << " " << y << " " << x;
      }
    }
  }
}

}  // namespace
}  // namespace mmp
