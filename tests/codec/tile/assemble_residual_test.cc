#include "codec/tile/assemble_residual.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/dictionary.h"
#include "codec/tile/coded_front.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// Cuts a macroblock at random and paints its residual, pixel by pixel.
class PaintedMacroblock {
 public:
  PaintedMacroblock(Random& random, const Dictionary& dictionary, CodedMacroblock& coded)
      : random_(random), dictionary_(dictionary), coded_(coded) {
    coded_.Clear({0, 0});
    AddBlocks({0, 0, kMacroblockLevel});
  }

  // As ResidualAssembler is to make them.
  std::vector<int16_t> residual, concatenations;
  std::vector<int> concatenation_levels;

 private:
  // The cut of a node, if it has one.
  bool Cuts(BlockRect rect, Split& split) {
    if (rect.pixels() == 1 || random_.OneIn(3)) return false;
    split = random_.OneIn(2) ? Split::kVertical : Split::kHorizontal;
    if (rect.width() == 1) split = Split::kHorizontal;
    if (rect.height() == 1) split = Split::kVertical;
    return true;
  }
  void AddBlocks(BlockRect rect) {
    Split split;
    if (rect.pixels() > 16 && Cuts(rect, split)) {
      for (const int half : {0, 1}) AddBlocks(rect.Half(split, half));
      return;
    }
    coded_.Add(rect, 0);
    AddNodes(rect);
    Append(rect, residual);
  }
  void AddNodes(BlockRect rect) {
    Split split;
    if (!Cuts(rect, split)) {
      const int index = random_.Below(dictionary_.size(rect.level));
      coded_.AddNode(index);
      std::array<int16_t, kMacroblockPixels> values;
      dictionary_.Copy(rect.level, index, values.data());
      for (int i = 0; i < rect.height(); ++i)
        for (int j = 0; j < rect.width(); ++j)
          picture_[rect.y + i][rect.x + j] = values[i * rect.width() + j];
      return;
    }
    coded_.AddNode(CodedMacroblock::NodeOf(split));
    for (const int half : {0, 1}) AddNodes(rect.Half(split, half));
    Append(rect, concatenations);
    concatenation_levels.push_back(rect.level);
  }
  void Append(BlockRect rect, std::vector<int16_t>& to) const {
    for (int i = 0; i < rect.height(); ++i)
      for (int j = 0; j < rect.width(); ++j) to.push_back(picture_[rect.y + i][rect.x + j]);
  }

  Random& random_;
  const Dictionary& dictionary_;
  CodedMacroblock& coded_;
  int16_t picture_[kMacroblockSize][kMacroblockSize];
};

TEST(ResidualAssemblerTest, PutsPatternsWhereTheCutsSay) {
  Random random(1);
  const Dictionary dictionary(1000);
  CodedMacroblock coded;
  size_t concatenated = 0;
  for (int round = 0; round < 200; ++round) {
    const PaintedMacroblock painted(random, dictionary, coded);
    // Without concatenations first: they change nothing else.
    for (const bool keeps : {false, true}) {
      std::vector<int16_t> concatenations(painted.concatenations.size());
      std::fill_n(coded.residual(), kMacroblockPixels, int16_t{-1});
      ResidualAssembler(dictionary, coded, keeps ? concatenations.data() : nullptr);
      ASSERT_EQ(std::vector<int16_t>(coded.residual(), coded.residual() + kMacroblockPixels),
                painted.residual);
      if (keeps) {
        ASSERT_EQ(concatenations, painted.concatenations);
      }
    }
    concatenated += painted.concatenations.size();
    PatternList list;
    list.Add(1);  // of a macroblock before
    ConcatenationLister(coded, list);
    std::vector<int> levels;
    for (int i = 1; i < list.size(); ++i) levels.push_back(list.level(i));
    ASSERT_EQ(levels, painted.concatenation_levels);
  }
  EXPECT_GT(concatenated, 1000u);
}

}  // namespace
}  // namespace mmp
