// What gray levels become behind all other filters. Where a picture has few of them, as drawings
// have, maps, and what once had a palette, a filtered level near one of these stands for it.
// Normative: docs/format.md, "Level maps".
#ifndef MMP_CODEC_POSTFILTER_LEVEL_MAPS_H_
#define MMP_CODEC_POSTFILTER_LEVEL_MAPS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "common/task_pool.h"

namespace mmp {

inline constexpr int kGrayLevels = 256;
// What each level becomes; never falls.
using LevelMap = std::array<uint8_t, kGrayLevels>;

// The activity of a pixel is the sum of the differences from those left and right of it, above and
// below, as far as they are in the tile.
inline constexpr std::array<int, 3> kActivityLimits = {8, 24, 64};
// 0: no map. 1: one for all pixels. Above, two: of those whose activity is at most
// kActivityLimits[kind - 2], and of the others.
inline constexpr int kLevelMapsKinds = 2 + static_cast<int>(kActivityLimits.size());

struct LevelMaps {
  int kind = 0;
  std::array<LevelMap, 2> maps = {};

  int count() const { return kind < 2 ? kind : 2; }
};

// Of the pixels of row y of a plane of height x width.
void ActivityOfRow(const uint8_t* plane, int width, int height, int y, uint16_t* activity);

void ApplyLevelMaps(const LevelMaps& maps, int width, int height, std::vector<uint8_t>& plane,
                    TaskPool& pool = TaskPool::Alone());

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_LEVEL_MAPS_H_
