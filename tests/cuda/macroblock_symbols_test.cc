#include "cuda/schedule/macroblock_symbols.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "codec/encoder/effort.h"
#include "codec/intra/predict.h"
#include "codec/search/cpu_search.h"
#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

BlockSources Sources(const TileState& tile, MacroblockPlace place) {
  return FindBlockSources(tile.block_vectors, tile.parameters.order, tile.width, place);
}

// What the device would return for a macroblock's symbols: follows the format's syntax, and notes
// at each pixel the leaves that cover it and the way to them.
class OutputWriter {
 public:
  OutputWriter(const MacroblockSymbols& symbols, const Canvas& canvas, const BlockSources& sources,
               const CodecParameters& parameters, MacroblockOutput& output)
      : symbols_(symbols),
        canvas_(canvas),
        sources_(sources),
        parameters_(parameters),
        output_(output) {}

  // Returns false if there are more or fewer symbols than the macroblock takes.
  bool Write() {
    Node({0, 0, kMacroblockLevel}, 0, 0);
    return position_ == symbols_.size();
  }

 private:
  uint32_t Next() { return position_ < symbols_.size() ? symbols_[position_++] : 0; }
  uint32_t Next(uint32_t allowed) {
    return std::has_single_bit(allowed) ? std::countr_zero(allowed) : Next();
  }

  void Node(BlockRect rect, uint32_t path, uint32_t length) {
    const uint32_t flag = Next(AllowedPartitions(rect.level, parameters_.prediction_level));
    if (flag == kSplitBothVertical || flag == kSplitBothHorizontal) {
      const uint32_t cut = flag - kSplitBothVertical;
      for (int half = 0; half < 2; ++half)
        Node(rect.Half(static_cast<Split>(cut), half), path | cut << length, length + 1);
      return;
    }
    BlockBorder border;
    LoadBorder(canvas_, rect, border);
    const uint32_t mode = Next(AvailableModes(border, sources_, rect) & parameters_.modes);
    prediction_ = PackPrediction(path, length, mode);
    const uint32_t root = flag - kSplitResidualVertical + kSplitVertical;
    Tree(rect, flag == kLeaf ? uint32_t{kPattern} : root, 0, 0);
    MarkAvailable(canvas_, rect);
  }

  void Tree(BlockRect rect, uint32_t flag, uint32_t path, uint32_t length) {
    if (flag == kPattern) {
      const PixelChoice choice = {PackResidual(Next(), path, length), prediction_};
      for (int i = 0; i < rect.height(); ++i)
        for (int j = 0; j < rect.width(); ++j)
          output_.pixels[(rect.y + i) * kMacroblockSize + rect.x + j] = choice;
      return;
    }
    const uint32_t cut = flag - kSplitVertical;
    for (int half = 0; half < 2; ++half) {
      const BlockRect part = rect.Half(static_cast<Split>(cut), half);
      Tree(part, Next(AllowedResidualFlags(part.level)), path | cut << length, length + 1);
    }
  }

  const MacroblockSymbols& symbols_;
  size_t position_ = 0;
  Canvas canvas_;
  const BlockSources sources_;
  const CodecParameters& parameters_;
  MacroblockOutput& output_;
  uint32_t prediction_ = 0;
};

Canvas CanvasOf(const TileState& tile, int y, int x) {
  Canvas canvas;
  LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, canvas);
  return canvas;
}

std::array<int32_t, kLevelCount> PatternCounts(const TileState& tile) {
  std::array<int32_t, kLevelCount> counts;
  for (int level = 0; level < kLevelCount; ++level) counts[level] = tile.dictionary.size(level);
  return counts;
}

void CheckPicture(Picture picture, const CodecParameters& parameters, Lambda lambda) {
  SCOPED_TRACE(testing::Message() << PictureName(picture) << ", prediction level "
                                  << parameters.prediction_level);
  const Image image = Draw(picture, 48, 32, 3);
  TileState tile(parameters, image.width(), image.height());
  Random random(4);
  const auto search = MakeCpuSearch(PresetSpeedFeatures(Preset::kFast), false);
  for (int y = 0; y < image.height(); y += kMacroblockSize) {
    for (int x = 0; x < image.width(); x += kMacroblockSize) {
      if (parameters.UsesBlockCopy()) AddRandomBlockVectors(random, tile);
      MacroblockSymbols chosen, read;
      ASSERT_TRUE(SearchOne(*search, tile, lambda, SamplesAt(image, y, x), y, x, chosen).ok());
      const Canvas canvas = CanvasOf(tile, y, x);
      MacroblockOutput output{};
      ASSERT_TRUE(OutputWriter(chosen, canvas, Sources(tile, {y, x}), parameters, output).Write());
      ASSERT_TRUE(ReadSymbols(output, canvas, Sources(tile, {y, x}), parameters,
                              PatternCounts(tile), read));
      ASSERT_EQ(read, chosen) << FirstDifference(read, chosen);
      CodeMacroblock(tile, chosen, y, x);
    }
  }
}

TEST(MacroblockSymbolsTest, RoundTrip) {
  for (const Picture picture : kAllPictures)
    for (const int prediction_level : {0, 3, 8, 15, kNoPredictionSplit})
      for (const int lambda : {0, 10, 300})
        CheckPicture(picture, {.dictionary_size = 100, .prediction_level = prediction_level},
                     Lambda{256 * lambda});
}

TEST(MacroblockSymbolsTest, FewModes) {
  for (const uint32_t modes : {0x004u, 0x006u, 0x204u, 0x1fcu})
    CheckPicture(Picture::kTexture, {.dictionary_size = 100, .prediction_level = 3, .modes = modes},
                 Lambda{2560});
}

TEST(MacroblockSymbolsTest, NewerModes) {
  for (const Picture picture : kAllPictures)
    for (const uint32_t modes : {kBestModes, kAllModes})
      CheckPicture(picture, {.dictionary_size = 100, .prediction_level = 8, .modes = modes},
                   Lambda{2560});
}

// A macroblock of one leaf, predicted with `mode`.
MacroblockOutput OneLeaf(uint32_t mode) {
  MacroblockOutput output{};
  for (PixelChoice& pixel : output.pixels)
    pixel = {PackResidual(7, 0, 0), PackPrediction(0, 0, mode)};
  return output;
}

class BadOutputTest : public testing::Test {
 protected:
  bool Read(const MacroblockOutput& output) {
    symbols_.clear();
    return ReadSymbols(output, canvas_, Sources(tile_, {0, 0}), parameters_, PatternCounts(tile_),
                       symbols_);
  }

  CodecParameters parameters_;
  const TileState tile_{parameters_, 32, 32};
  const Canvas canvas_ = CanvasOf(tile_, 16, 16);
  MacroblockSymbols symbols_;
};

TEST_F(BadOutputTest, GoodOutputIsRead) {
  ASSERT_TRUE(Read(OneLeaf(kHorizontal)));
  EXPECT_EQ(symbols_, (MacroblockSymbols{kLeaf, kHorizontal, 7}));
}

TEST_F(BadOutputTest, ModeThatCannotBeUsed) {
  for (uint32_t mode = 0; mode < 32; ++mode)
    EXPECT_EQ(Read(OneLeaf(mode)), mode <= kDownLeft) << "mode " << mode;
  parameters_.modes = kAllModes;
  for (uint32_t mode = 0; mode < 32; ++mode)
    EXPECT_EQ(Read(OneLeaf(mode)), mode <= kDownLeft || mode == kPlanar || mode == kTemplate)
        << "mode " << mode;
}

// Paths that go on where blocks cannot be split.
TEST_F(BadOutputTest, PathsTooLong) {
  for (uint32_t path = 0; path < 256; ++path) {
    MacroblockOutput output = OneLeaf(kHorizontal);
    for (PixelChoice& pixel : output.pixels) pixel.prediction = PackPrediction(path, 15, 1);
    EXPECT_FALSE(Read(output)) << "prediction path " << path;
    output = OneLeaf(kHorizontal);
    for (PixelChoice& pixel : output.pixels) pixel.residual = PackResidual(7, path, 15);
    EXPECT_FALSE(Read(output)) << "residual path " << path;
  }
}

// The second half's pixels know of no split.
TEST_F(BadOutputTest, HalvesThatDisagree) {
  MacroblockOutput output = OneLeaf(kHorizontal);
  output.pixels[0].prediction = PackPrediction(1, 2, kHorizontal);
  EXPECT_FALSE(Read(output));
  output = OneLeaf(kHorizontal);
  output.pixels[0].residual = PackResidual(7, 1, 2);
  EXPECT_FALSE(Read(output));
}

TEST_F(BadOutputTest, PatternThatIsNotThere) {
  MacroblockOutput output = OneLeaf(kMostFrequent);
  for (PixelChoice& pixel : output.pixels)
    pixel.residual = PackResidual(tile_.dictionary.size(kMacroblockLevel) - 1, 0, 0);
  EXPECT_TRUE(Read(output));
  for (PixelChoice& pixel : output.pixels)
    pixel.residual = PackResidual(tile_.dictionary.size(kMacroblockLevel), 0, 0);
  EXPECT_FALSE(Read(output));
}

TEST_F(BadOutputTest, Garbage) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    MacroblockOutput output;
    std::memset(&output, 0, sizeof(output));
    const uint32_t mask = random.OneIn(2) ? ~0u : random.Bits() | 0xf0ff;
    for (PixelChoice& pixel : output.pixels) pixel = {random.Bits() & mask, random.Bits() & mask};
    if (!Read(output)) continue;
    EXPECT_LE(symbols_.size(), 5u * kMacroblockPixels);
  }
}

}  // namespace
}  // namespace mmp::cuda
