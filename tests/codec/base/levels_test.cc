#include "codec/base/levels.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "codec/tile/tile_state.h"

namespace mmp {
namespace {

// Height and width by level number.
constexpr std::pair<int, int> kSizes[kLevelCount] = {
    {1, 1},  {1, 2},  {2, 1},  {2, 2},  {1, 4},  {4, 1},  {2, 4},  {4, 2},  {4, 4},
    {1, 8},  {8, 1},  {2, 8},  {8, 2},  {4, 8},  {8, 4},  {8, 8},  {1, 16}, {16, 1},
    {2, 16}, {16, 2}, {4, 16}, {16, 4}, {8, 16}, {16, 8}, {16, 16}};

int LevelOfSize(int height, int width) {
  for (int level = 0; level < kLevelCount; ++level)
    if (kSizes[level] == std::pair(height, width)) return level;
  return -1;
}

TEST(LevelsTest, Shapes) {
  for (int level = 0; level < kLevelCount; ++level) {
    SCOPED_TRACE(level);
    const auto [height, width] = kSizes[level];
    EXPECT_EQ(kLevelShapes[level].height(), height);
    EXPECT_EQ(kLevelShapes[level].width(), width);
    EXPECT_EQ(kLevelShapes[level].pixels(), height * width);
    EXPECT_EQ(LevelOf(kLevelShapes[level].log2_height, kLevelShapes[level].log2_width), level);
  }
  EXPECT_EQ(LevelOf(5, 0), -1);
  EXPECT_EQ(kMacroblockLevel, LevelOfSize(16, 16));
}

TEST(LevelsTest, HalfLevels) {
  for (int level = 0; level < kLevelCount; ++level) {
    SCOPED_TRACE(level);
    const auto [height, width] = kSizes[level];
    EXPECT_EQ(HalfLevel(level, Split::kVertical), width > 1 ? LevelOfSize(height, width / 2) : -1);
    EXPECT_EQ(HalfLevel(level, Split::kHorizontal),
              height > 1 ? LevelOfSize(height / 2, width) : -1);
  }
}

TEST(LevelsTest, HalvesTileTheBlock) {
  for (int level = 1; level < kLevelCount; ++level) {
    const auto [height, width] = kSizes[level];
    const BlockRect rect{static_cast<uint8_t>(16 - height), static_cast<uint8_t>(16 - width),
                         static_cast<uint8_t>(level)};
    for (const Split split : {Split::kVertical, Split::kHorizontal}) {
      if (HalfLevel(level, split) < 0) continue;
      SCOPED_TRACE(level);
      const BlockRect first = rect.Half(split, 0), second = rect.Half(split, 1);
      EXPECT_EQ(first.level, HalfLevel(level, split));
      EXPECT_EQ(second.level, first.level);
      EXPECT_EQ(first.pixels() + second.pixels(), rect.pixels());
      EXPECT_EQ(first.y, rect.y);
      EXPECT_EQ(first.x, rect.x);
      EXPECT_EQ(second.y, split == Split::kHorizontal ? rect.y + height / 2 : rect.y);
      EXPECT_EQ(second.x, split == Split::kVertical ? rect.x + width / 2 : rect.x);
    }
  }
}

TEST(LevelsTest, PredictionSplitsWhereTheHalvesAreLargeEnough) {
  for (int smallest = 0; smallest <= kLevelCount; ++smallest) {
    for (int level = 0; level < kLevelCount; ++level) {
      SCOPED_TRACE(testing::Message() << "level " << level << ", smallest " << smallest);
      const auto [height, width] = kSizes[level];
      EXPECT_EQ(PredictionMaySplit(level, Split::kVertical, smallest),
                width > 1 && LevelOfSize(height, width / 2) >= smallest);
      EXPECT_EQ(PredictionMaySplit(level, Split::kHorizontal, smallest),
                height > 1 && LevelOfSize(height / 2, width) >= smallest);
    }
  }
}

TEST(LevelsTest, AllowedFlags) {
  EXPECT_EQ(AllowedResidualFlags(0), 1u << kPattern);
  EXPECT_EQ(AllowedResidualFlags(LevelOfSize(1, 8)), 1u << kPattern | 1u << kSplitVertical);
  EXPECT_EQ(AllowedResidualFlags(LevelOfSize(8, 1)), 1u << kPattern | 1u << kSplitHorizontal);
  EXPECT_EQ(AllowedResidualFlags(kMacroblockLevel),
            1u << kPattern | 1u << kSplitVertical | 1u << kSplitHorizontal);

  EXPECT_EQ(AllowedPartitions(0, 0), 1u << kLeaf);
  EXPECT_EQ(AllowedPartitions(kMacroblockLevel, 0), 31u);
  EXPECT_EQ(AllowedPartitions(kMacroblockLevel, kLevelCount),
            1u << kLeaf | 1u << kSplitResidualVertical | 1u << kSplitResidualHorizontal);
  // 8x4 pixels split into 4x4 (level 8) or 8x2 (level 12), 4x8 into 2x8 (11) or 4x4 (8).
  EXPECT_EQ(AllowedPartitions(LevelOfSize(8, 4), 9), 1u << kLeaf | 1u << kSplitResidualVertical |
                                                         1u << kSplitResidualHorizontal |
                                                         1u << kSplitBothVertical);
  EXPECT_EQ(AllowedPartitions(LevelOfSize(4, 8), 9), 1u << kLeaf | 1u << kSplitResidualVertical |
                                                         1u << kSplitResidualHorizontal |
                                                         1u << kSplitBothHorizontal);
}

}  // namespace
}  // namespace mmp
