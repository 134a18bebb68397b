#include "codec/postfilter/level_maps.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace mmp {

void ActivityOfRow(const uint8_t* plane, int width, int height, int y, uint16_t* activity) {
  const size_t stride = static_cast<size_t>(width);
  const uint8_t* row = plane + y * stride;
  const uint8_t* above = y > 0 ? row - stride : row;
  const uint8_t* below = y + 1 < height ? row + stride : row;
  for (int x = 0; x < width; ++x)
    activity[x] = static_cast<uint16_t>(std::abs(row[x] - above[x]) + std::abs(row[x] - below[x]));
  for (int x = 1; x < width; ++x) {
    const int step = std::abs(row[x] - row[x - 1]);
    activity[x - 1] = static_cast<uint16_t>(activity[x - 1] + step);
    activity[x] = static_cast<uint16_t>(activity[x] + step);
  }
}

void ApplyLevelMaps(const LevelMaps& maps, int width, int height, std::vector<uint8_t>& plane,
                    TaskPool& pool) {
  if (maps.kind == 0) return;
  if (maps.kind == 1) {
    for (uint8_t& level : plane) level = maps.maps[0][level];
    return;
  }
  const int limit = kActivityLimits[maps.kind - 2];
  const std::vector<uint8_t> before = plane;
  constexpr int kRows = 32;
  pool.ForEach((height + kRows - 1) / kRows, [&](int band, int /*member*/) {
    const size_t stride = static_cast<size_t>(width);
    std::vector<uint16_t> activity(stride);
    for (int y = band * kRows; y < std::min((band + 1) * kRows, height); ++y) {
      ActivityOfRow(before.data(), width, height, y, activity.data());
      const uint8_t* row = &before[y * stride];
      uint8_t* to = &plane[y * stride];
      for (int x = 0; x < width; ++x) to[x] = maps.maps[activity[x] <= limit ? 0 : 1][row[x]];
    }
  });
}

}  // namespace mmp
