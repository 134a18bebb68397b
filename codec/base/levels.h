// The 25 block sizes ("levels") of the codec, and how a block splits in half.
#ifndef MMP_CODEC_BASE_LEVELS_H_
#define MMP_CODEC_BASE_LEVELS_H_

#include <array>
#include <cstdint>

#include "common/host_device.h"

namespace mmp {

inline constexpr int kMacroblockSize = 16;  // pixels a side
inline constexpr int kMacroblockPixels = kMacroblockSize * kMacroblockSize;
inline constexpr int kLevelCount = 25;
inline constexpr int kMacroblockLevel = 24;

// How many macroblocks a side of so many pixels takes, and its pixels padded to whole ones.
template <typename Integer>
constexpr Integer MacroblocksAcross(Integer side) {
  return (side + kMacroblockSize - 1) / kMacroblockSize;
}
template <typename Integer>
constexpr Integer PaddedToMacroblocks(Integer side) {
  return MacroblocksAcross(side) * kMacroblockSize;
}

// A block of 2^log2_height rows of 2^log2_width pixels.
struct LevelShape {
  uint8_t log2_height;
  uint8_t log2_width;

  MMP_HOST_DEVICE constexpr int height() const { return 1 << log2_height; }
  MMP_HOST_DEVICE constexpr int width() const { return 1 << log2_width; }
  MMP_HOST_DEVICE constexpr int log2_pixels() const { return log2_height + log2_width; }
  MMP_HOST_DEVICE constexpr int pixels() const { return 1 << log2_pixels(); }
};

inline constexpr std::array<LevelShape, kLevelCount> kLevelShapes = {{
    {0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {2, 2},
    {0, 3}, {3, 0}, {1, 3}, {3, 1}, {2, 3}, {3, 2}, {3, 3}, {0, 4}, {4, 0},
    {1, 4}, {4, 1}, {2, 4}, {4, 2}, {3, 4}, {4, 3}, {4, 4},
}};

namespace internal {
// A side's logarithms of 16 levels from `first` on, four bits each.
constexpr uint64_t PackSides(int first, uint8_t LevelShape::*side) {
  uint64_t packed = 0;
  for (int level = first; level < kLevelCount && level < first + 16; ++level)
    packed |= static_cast<uint64_t>(kLevelShapes[level].*side) << 4 * (level - first);
  return packed;
}
inline constexpr uint64_t kLowHeights = PackSides(0, &LevelShape::log2_height);
inline constexpr uint64_t kHighHeights = PackSides(16, &LevelShape::log2_height);
inline constexpr uint64_t kLowWidths = PackSides(0, &LevelShape::log2_width);
inline constexpr uint64_t kHighWidths = PackSides(16, &LevelShape::log2_width);
}  // namespace internal

// kLevelShapes[level], also where that table cannot be reached (device code).
MMP_HOST_DEVICE constexpr LevelShape ShapeOfLevel(int level) {
  const int shift = 4 * (level & 15);
  return {static_cast<uint8_t>(
              (level < 16 ? internal::kLowHeights : internal::kHighHeights) >> shift & 15),
          static_cast<uint8_t>(
              (level < 16 ? internal::kLowWidths : internal::kHighWidths) >> shift & 15)};
}

// The level of blocks of 2^log2_height x 2^log2_width; both in [0, 4].
constexpr int LevelOf(int log2_height, int log2_width) {
  for (int level = 0; level < kLevelCount; ++level) {
    if (kLevelShapes[level].log2_height == log2_height &&
        kLevelShapes[level].log2_width == log2_width)
      return level;
  }
  return -1;
}

enum class Split : uint8_t {
  kVertical,    // a vertical cut: left half, right half
  kHorizontal,  // a horizontal cut: top half, bottom half
};

namespace internal {
constexpr std::array<std::array<int8_t, 2>, kLevelCount> MakeHalfLevels() {
  std::array<std::array<int8_t, 2>, kLevelCount> half{};
  for (int level = 0; level < kLevelCount; ++level) {
    const LevelShape s = kLevelShapes[level];
    half[level][0] =
        static_cast<int8_t>(s.log2_width > 0 ? LevelOf(s.log2_height, s.log2_width - 1) : -1);
    half[level][1] =
        static_cast<int8_t>(s.log2_height > 0 ? LevelOf(s.log2_height - 1, s.log2_width) : -1);
  }
  return half;
}
}  // namespace internal

// kHalfLevels[level][split] is the level of each half, -1 where the block cannot be cut that way.
inline constexpr std::array<std::array<int8_t, 2>, kLevelCount> kHalfLevels =
    internal::MakeHalfLevels();

constexpr int HalfLevel(int level, Split split) {
  return kHalfLevels[level][static_cast<int>(split)];
}

// A block inside a macroblock: its top left pixel and its level.
struct BlockRect {
  uint8_t y;
  uint8_t x;
  uint8_t level;

  MMP_HOST_DEVICE constexpr int height() const { return ShapeOfLevel(level).height(); }
  MMP_HOST_DEVICE constexpr int width() const { return ShapeOfLevel(level).width(); }
  MMP_HOST_DEVICE constexpr int pixels() const { return ShapeOfLevel(level).pixels(); }
  // Half number `half` (0: left or top, 1: right or bottom); the split must exist.
  constexpr BlockRect Half(Split split, int half) const {
    BlockRect r{y, x, static_cast<uint8_t>(HalfLevel(level, split))};
    if (half == 1) {
      if (split == Split::kVertical)
        r.x = static_cast<uint8_t>(x + width() / 2);
      else
        r.y = static_cast<uint8_t>(y + height() / 2);
    }
    return r;
  }
};

// True if the prediction of a block of `level` may be split so: both halves' level is at least
// `prediction_level`.
constexpr bool PredictionMaySplit(int level, Split split, int prediction_level) {
  return HalfLevel(level, split) >= prediction_level && HalfLevel(level, split) >= 0;
}

}  // namespace mmp

#endif  // MMP_CODEC_BASE_LEVELS_H_
