#include "codec/rdo/search_census.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"

namespace mmp {
namespace {

CodecParameters WithPredictionLevel(int level) {
  CodecParameters parameters;
  parameters.prediction_level = level;
  return parameters;
}

TEST(CensusTest, NodesOfAMacroblock) {
  EXPECT_EQ(TakeCensus(WithPredictionLevel(0), 16, 16).nodes, 31381);
  EXPECT_EQ(TakeCensus(WithPredictionLevel(3), 16, 16).nodes, 4501);
  EXPECT_EQ(TakeCensus(WithPredictionLevel(8), 16, 16).nodes, 661);
  EXPECT_EQ(TakeCensus(WithPredictionLevel(15), 16, 16).nodes, 69);
  EXPECT_EQ(TakeCensus(WithPredictionLevel(25), 16, 16).nodes, 1);
}

TEST(CensusTest, ReferenceImage) {
  const SearchCensus census = TakeCensus(WithPredictionLevel(8), 512, 512);
  EXPECT_EQ(census.macroblocks, 1024);
  EXPECT_EQ(census.nodes, 676864);
  EXPECT_EQ(census.mode_uses[kVertical], 670112);
  EXPECT_EQ(census.mode_uses[kHorizontal], 670112);
  EXPECT_EQ(census.mode_uses[kMostFrequent], 676864);
  EXPECT_EQ(census.mode_uses[kDownRight], 662440);
  EXPECT_EQ(census.mode_uses[kVerticalRight], 662440);
  EXPECT_EQ(census.mode_uses[kHorizontalDown], 662440);
  EXPECT_EQ(census.mode_uses[kHorizontalUp], 669120);
}

// Counts every node of every macroblock, from the definitions of what each mode needs: pixels of
// the tile that come before the block in coding order.
class DirectCount {
 public:
  DirectCount(const CodecParameters& parameters, int width, int height)
      : parameters_(parameters), width_((width + 15) / 16 * 16), height_((height + 15) / 16 * 16) {
    for (int y = 0; y < height_; y += 16)
      for (int x = 0; x < width_; x += 16) {
        coded_ = {};
        macroblock_y_ = y;
        macroblock_x_ = x;
        Node(0, 0, 4, 4);
        ++census_.macroblocks;
      }
  }

  const SearchCensus& census() const { return census_; }

 private:
  bool Coded(int y, int x) const {
    const int tile_y = macroblock_y_ + y, tile_x = macroblock_x_ + x;
    if (tile_y < 0 || tile_x < 0 || tile_x >= width_ || tile_y >= height_) return false;
    if (y < 0) return true;
    if (y >= 16 || x >= 16) return false;
    return x < 0 || coded_[y][x];
  }

  void Node(int y, int x, int log2_height, int log2_width) {
    ++census_.nodes;
    const bool top = Coded(y - 1, x), left = Coded(y, x - 1);
    const bool top_right = Coded(y - 1, x + (1 << log2_width));
    const bool macroblock = log2_height == 4 && log2_width == 4;
    Use(kVertical, top);
    Use(kHorizontal, left);
    Use(kMostFrequent, true);
    Use(kDownLeft, macroblock ? top && left : top && top_right);
    Use(kDownRight, !macroblock && top && left);
    Use(kVerticalRight, !macroblock && top && left);
    Use(kHorizontalDown, !macroblock && top && left);
    Use(kVerticalLeft, !macroblock && top && top_right);
    Use(kHorizontalUp, !macroblock && left);
    Use(kLeastSquares, !macroblock && top && left);
    Use(kPlanar, top && left);
    Use(kTemplate, Coded(y - 2, x - 2) && top && left);
    Use(kBlockLeastSquares, !macroblock && Coded(y - 2, x - 2) && top && left);
    for (int k = 0; k < 14; ++k)
      Use(kFirstAngle + k, !macroblock && (k < 4 ? top : k < 11 ? top && left : left));
    if (log2_width > 0 && LevelOf(log2_height, log2_width - 1) >= parameters_.prediction_level)
      Halves(y, x, y, x + (1 << (log2_width - 1)), log2_height, log2_width - 1);
    if (log2_height > 0 && LevelOf(log2_height - 1, log2_width) >= parameters_.prediction_level)
      Halves(y, x, y + (1 << (log2_height - 1)), x, log2_height - 1, log2_width);
  }

  void Halves(int y, int x, int second_y, int second_x, int log2_height, int log2_width) {
    auto mark = [&](bool coded) {
      for (int i = 0; i < 1 << log2_height; ++i)
        for (int j = 0; j < 1 << log2_width; ++j) coded_[y + i][x + j] = coded;
    };
    Node(y, x, log2_height, log2_width);
    mark(true);
    Node(second_y, second_x, log2_height, log2_width);
    mark(false);
  }

  void Use(int mode, bool available) {
    if (available && (parameters_.modes >> mode & 1) != 0) ++census_.mode_uses[mode];
  }

  CodecParameters parameters_;
  int width_, height_;
  int macroblock_y_ = 0, macroblock_x_ = 0;
  std::array<std::array<bool, 16>, 16> coded_{};
  SearchCensus census_;
};

TEST(CensusTest, EqualsADirectCount) {
  constexpr std::pair<int, int> kSizes[] = {{1, 1},   {16, 17}, {17, 16}, {100, 1},  {1, 100},
                                            {33, 50}, {48, 48}, {65, 66}, {90, 130}, {130, 35}};
  for (const int level : {0, 3, 8, 15, 25}) {
    for (const auto& [width, height] : kSizes) {
      if (level < 8 && width * height > 64 * 64) continue;  // enough of these
      SCOPED_TRACE(testing::Message() << width << "x" << height << ", prediction level " << level);
      CodecParameters parameters = WithPredictionLevel(level);
      parameters.modes = width % 2 == 0 ? kAllModes : 0x1d5u;
      const SearchCensus census = TakeCensus(parameters, width, height);
      const SearchCensus direct = DirectCount(parameters, width, height).census();
      EXPECT_EQ(census.macroblocks, direct.macroblocks);
      EXPECT_EQ(census.nodes, direct.nodes);
      EXPECT_EQ(census.mode_uses, direct.mode_uses);
    }
  }
}

TEST(CensusTest, LargestImage) {
  const SearchCensus census = TakeCensus(WithPredictionLevel(0), 65535, 65535);
  EXPECT_EQ(census.macroblocks, int64_t{4096} * 4096);
  EXPECT_EQ(census.nodes, int64_t{31381} * 4096 * 4096);
  EXPECT_EQ(census.mode_uses[kMostFrequent], census.nodes);
}

// Blocks of every size at every place that a tree can put one.
TEST(CensusTest, SubBlocksOfAResidualTree) {
  EXPECT_EQ(CountSubBlocks(kMacroblockLevel), 961);
  for (int level = 0; level < kLevelCount; ++level) {
    int64_t count = 0;
    for (int part = 0; part < kLevelCount; ++part) {
      const LevelShape whole = kLevelShapes[level], piece = kLevelShapes[part];
      if (piece.height() <= whole.height() && piece.width() <= whole.width())
        count += whole.pixels() / piece.pixels();
    }
    EXPECT_EQ(CountSubBlocks(level), count) << "level " << level;
  }
}

}  // namespace
}  // namespace mmp
