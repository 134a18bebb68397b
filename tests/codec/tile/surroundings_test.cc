#include "codec/tile/surroundings.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/tile/syntax_elements.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// Codes blocks of a macroblock at random and hands out the features of each flag.
class RandomMacroblock {
 public:
  RandomMacroblock(Surroundings& surroundings, MacroblockPlace place, uint32_t seed)
      : surroundings_(surroundings), random_(seed) {
    surroundings_.BeginMacroblock(place);
    Predict({0, 0, kMacroblockLevel});
    surroundings_.EndMacroblock();
  }
  const std::vector<FlagFeatures>& features() const { return features_; }

 private:
  int Choose(uint32_t allowed) {
    int symbol;
    do {
      symbol = random_.Below(5);
    } while ((allowed >> symbol & 1) == 0);
    return symbol;
  }
  void Predict(BlockRect rect) {
    features_.push_back(surroundings_.PartitionFeatures(rect));
    const int partition = Choose(AllowedPartitions(rect.level, 8));
    surroundings_.AddPartition(rect, partition);
    if (partition == kSplitBothVertical || partition == kSplitBothHorizontal) {
      const Split split = partition == kSplitBothVertical ? Split::kVertical : Split::kHorizontal;
      for (const int half : {0, 1}) Predict(rect.Half(split, half));
      return;
    }
    surroundings_.AddMode(rect, random_.Below(kPredictionModes));
    AddResidual(rect, partition == kLeaf ? 0 : partition - kSplitResidualVertical + 1);
  }
  void AddResidual(BlockRect rect, int flag) {
    if (flag == kPattern) return surroundings_.AddLeaf(rect, random_.Below(1 << 20));
    const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
    for (const int half : {0, 1}) {
      const BlockRect part = rect.Half(split, half);
      features_.push_back(surroundings_.ResidualFlagFeatures(part));
      const int part_flag = Choose(AllowedResidualFlags(part.level));
      surroundings_.AddResidualFlag(part, part_flag);
      AddResidual(part, part_flag);
    }
  }

  Surroundings& surroundings_;
  Random random_;
  std::vector<FlagFeatures> features_;
};

using PlacedFeatures = std::map<std::pair<int, int>, std::vector<FlagFeatures>>;

// The rows of macroblocks are dealt out to so many that follow them.
PlacedFeatures CodeTile(MacroblockOrder order, int width, int height, SurroundingMap& map,
                        size_t followers = 1) {
  PlacedFeatures features;
  std::vector<Surroundings> surroundings(followers, Surroundings(map));
  FrontWalk walk(order, width, height);
  while (walk.Next()) {
    for (const MacroblockPlace place : walk.front()) {
      const uint32_t seed = static_cast<uint32_t>(place.y * 1000 + place.x);
      Surroundings& follower =
          surroundings[static_cast<size_t>(place.y / kMacroblockSize) % followers];
      features[{place.y, place.x}] = RandomMacroblock(follower, place, seed).features();
    }
  }
  return features;
}

// Also where what lies before them in memory could be taken for cuts.
TEST(OpenCutsTest, NoneIsOpenAtFirst) {
  struct {
    std::array<uint8_t, 16> before;
    OpenCuts cuts;
  } memory = {};
  for (const uint8_t value : {1, 2, 5, 255}) {
    memory.before.fill(value);
    const OpenCuts::Cut cut = memory.cuts.Innermost();
    EXPECT_EQ(cut.symbol, 0);
    EXPECT_EQ(cut.parts_to_come, 2);
    EXPECT_FALSE(memory.cuts.IsSecondPart());
  }
}

// All that is looked at has been coded before in either order, except for the leaf coded last.
TEST(SurroundingsTest, AreTheSameInEitherOrder) {
  const int width = 112, height = 80;
  SurroundingMap map(width, height, 40);
  const PlacedFeatures raster = CodeTile(MacroblockOrder::kRaster, width, height, map);
  constexpr int kLastLeaf[] = {42, 43, 59};
  for (const size_t followers : {1u, 2u, 4u}) {
    map.Restart(width, height, 40);
    const PlacedFeatures fronts =
        CodeTile(MacroblockOrder::kWavefront, width, height, map, followers);
    ASSERT_EQ(raster.size(), fronts.size());
    for (const auto& [place, expected] : raster) {
      const std::vector<FlagFeatures>& found = fronts.at(place);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        FlagFeatures a = expected[i], b = found[i];
        for (const int k : kLastLeaf) a[k] = b[k] = 0;
        ASSERT_EQ(a, b) << "flag " << i << " of the macroblock at " << place.first << ", "
                        << place.second << " by " << followers;
      }
    }
  }
}

TEST(SurroundingsTest, RestartForgets) {
  SurroundingMap used(64, 64, 40), fresh(32, 48, 7);
  CodeTile(MacroblockOrder::kWavefront, 64, 64, used);
  used.Restart(32, 48, 7);
  EXPECT_EQ(CodeTile(MacroblockOrder::kRaster, 32, 48, used),
            CodeTile(MacroblockOrder::kRaster, 32, 48, fresh));
}

TEST(SurroundingsTest, FeaturesAreSmall) {
  for (const int scale : {0, 1, 40, 255}) {
    SurroundingMap surroundings(160, 96, static_cast<uint8_t>(scale));
    for (const auto& [place, all] : CodeTile(MacroblockOrder::kWavefront, 160, 96, surroundings))
      for (const FlagFeatures& features : all)
        for (const int16_t feature : features) {
          ASSERT_LE(feature, 127);
          ASSERT_GE(feature, -127);
        }
  }
}

// The first macroblock is halved, its left half one block; the features of the right one and of
// the next macroblock are as docs/format-flags.md says.
TEST(SurroundingsTest, FeaturesAreAsSpecified) {
  SurroundingMap map(32, 16, 0);  // the scale is 16
  Surroundings surroundings(map);
  surroundings.BeginMacroblock({0, 0});
  const BlockRect whole = {0, 0, kMacroblockLevel};
  const BlockRect left = whole.Half(Split::kVertical, 0), right = whole.Half(Split::kVertical, 1);
  FlagFeatures first = surroundings.PartitionFeatures(whole);
  EXPECT_EQ(first[0], 0) << "nothing is left of it";
  EXPECT_EQ(first[33], 8 * 4 - 56) << "the scale";
  surroundings.AddPartition(whole, kSplitBothVertical);
  surroundings.AddPartition(left, kLeaf);
  surroundings.AddMode(left, kTemplate);
  surroundings.AddLeaf(left, 16 * 8 * 4);  // 2^14 4 / 16^2 = 256, nine bits

  const FlagFeatures second = surroundings.PartitionFeatures(right);
  EXPECT_EQ(second[0], 16);
  EXPECT_EQ(second[1], 0) << "nothing is above it";
  for (const int k : {2, 3, 4, 5, 18, 19}) EXPECT_EQ(second[k], 0) << "as large as the other half";
  EXPECT_EQ(second[26], 8 * 9) << "energy on the left";
  EXPECT_EQ(second[27], 0) << "energy above";
  EXPECT_EQ(second[28], 8 * 4 + 8 * 3 - 16) << "mean size";
  EXPECT_EQ(second[29], 8 * 3 - 8 * 4) << "mean shape";
  EXPECT_EQ(second[30], -16) << "no residual is cut";
  EXPECT_EQ(second[32], 8 * 2 - 12) << "third column of four";
  for (int k = 0; k < 6; ++k) EXPECT_EQ(second[40 + k], k == 4 ? 16 : 0) << "template, left";
  EXPECT_EQ(second[52], 16) << "a half, cut vertically";
  EXPECT_EQ(second[53], 0);
  EXPECT_EQ(second[54], 16) << "the second half";
  for (int k = 0; k < 5; ++k) EXPECT_EQ(second[55 + k], k == kLeaf ? 16 : 0);

  surroundings.AddPartition(right, kSplitResidualHorizontal);
  surroundings.AddMode(right, kPlanar);
  const BlockRect top = right.Half(Split::kHorizontal, 0);
  const BlockRect bottom = right.Half(Split::kHorizontal, 1);
  surroundings.AddResidualFlag(top, kPattern);
  surroundings.AddLeaf(top, 0);
  const FlagFeatures part = surroundings.ResidualFlagFeatures(bottom);
  EXPECT_EQ(part[40], 4 * 8) << "rows below the block's first";
  EXPECT_EQ(part[41], 0);
  EXPECT_EQ(part[44], 0) << "cut horizontally";
  EXPECT_EQ(part[45], 16) << "the second half";
  EXPECT_EQ(part[46], 16) << "the first has a pattern";
  EXPECT_EQ(part[49], 4 * 1 - 8) << "one cut above it";
  EXPECT_EQ(part[50], 8) << "the prediction block is twice as high";
  EXPECT_EQ(part[52], 16) << "group of planar";
  EXPECT_EQ(part[57], 0) << "no energy above, inside";
  EXPECT_EQ(part[58], 16);
  surroundings.AddResidualFlag(bottom, kPattern);
  surroundings.AddLeaf(bottom, 1 << 20);

  surroundings.EndMacroblock();
  surroundings.BeginMacroblock({0, 16});
  const FlagFeatures next = surroundings.PartitionFeatures(whole);
  EXPECT_EQ(next[30], 32 - 16) << "all residual on the left is cut";
  EXPECT_EQ(next[34], 8 - 16) << "two prediction blocks on the left";
  EXPECT_EQ(next[37], 12 - 16) << "three leaves, 8 log2(3) = 12.7";
  EXPECT_EQ(next[54], 0) << "no half";
}

}  // namespace
}  // namespace mmp
