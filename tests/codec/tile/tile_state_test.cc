#include "codec/tile/tile_state.h"

#include <gtest/gtest.h>

#include "codec/base/levels.h"

namespace mmp {
namespace {

// How the leaves above and to the left compare with the next block.
TEST(LeafMapTest, Contexts) {
  LeafMap leaves(32, 16);
  EXPECT_EQ(leaves.Context(0, 0, kMacroblockLevel), 15);
  leaves.Add(0, 0, LevelOf(3, 2));  // 8x4
  EXPECT_EQ(leaves.Context(0, 4, LevelOf(4, 2)), 4 * 0 + 3);
  EXPECT_EQ(leaves.Context(0, 4, LevelOf(3, 2)), 4 * 1 + 3);
  EXPECT_EQ(leaves.Context(0, 4, LevelOf(2, 2)), 4 * 2 + 3);
  EXPECT_EQ(leaves.Context(8, 0, LevelOf(3, 3)), 4 * 3 + 0);
  EXPECT_EQ(leaves.Context(8, 0, LevelOf(3, 2)), 4 * 3 + 1);
  leaves.Add(8, 0, LevelOf(3, 4));  // 8x16
  EXPECT_EQ(leaves.Context(8, 16, LevelOf(3, 2)), 4 * 1 + 3);
  leaves.Add(0, 16, LevelOf(3, 4));
  EXPECT_EQ(leaves.Context(8, 16, LevelOf(3, 2)), 4 * 1 + 2);
  leaves.Restart(16, 16);
  EXPECT_EQ(leaves.Context(8, 0, LevelOf(3, 3)), 15);
}

// Ten, or more if there is a mode that needs them (docs/format.md, "Models").
TEST(TileModelsTest, SymbolsOfTheModes) {
  EXPECT_EQ(ModeSymbols(1u << 2), 10);
  EXPECT_EQ(ModeSymbols((1u << 10) - 1), 10);
  EXPECT_EQ(ModeSymbols(1u << 10), 27);
  EXPECT_EQ(ModeSymbols((1u << 27) - 1), 27);
  EXPECT_EQ(ModeSymbols(1u << 27), 31);
  EXPECT_EQ(ModeSymbols((1u << 31) - 1), 31);
}

}  // namespace
}  // namespace mmp
