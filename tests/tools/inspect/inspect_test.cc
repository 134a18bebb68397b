// What the decoder's observer sees, and what `mmp inspect` makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/dictionary/dictionary.h"
#include "common/file_io.h"
#include "common/image_files/bitmap_font.h"
#include "common/image_files/image_io.h"
#include "tests/support/test_support.h"
#include "tools/command_line/name_lists.h"
#include "tools/inspect/block_edges.h"
#include "tools/inspect/decoded_syntax.h"
#include "tools/inspect/dictionary_sheet.h"
#include "tools/inspect/pictures.h"
#include "tools/inspect/syntax_json.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

std::vector<uint8_t> GoldenFile(const std::string& name) {
  Result<std::vector<uint8_t>> bytes =
      ReadFile(std::string(MMP_TEST_DATA) + "/golden/" + name + ".mmp", 1 << 20);
  EXPECT_TRUE(bytes.ok());
  return bytes.ok() ? *std::move(bytes) : std::vector<uint8_t>();
}

DecodedSyntax MustInspect(const std::vector<uint8_t>& file) {
  Result<DecodedSyntax> syntax = DecodeSyntax(file);
  EXPECT_TRUE(syntax.ok()) << syntax.status().message();
  return syntax.ok() ? *std::move(syntax) : DecodedSyntax();
}

// Legends show modes by their names, of which some differ in a sign alone.
TEST(Inspect, TheFontHasAllCharactersOfModes) {
  for (const char character : ModesText(kAllModes)) {
    int dots = 0;
    DrawText(0, 0, std::string(1, character), 1, [&](int, int, int) { ++dots; });
    EXPECT_GT(dots, 0) << character;
  }
}

// True if the blocks with an element of this kind cover each pixel of the macroblock once.
bool CoversOnce(const MacroblockSyntax& macroblock, CodedElement kind) {
  std::array<int, kMacroblockPixels> covered{};
  for (const SyntaxElement& element : macroblock.elements) {
    if (element.kind != kind) continue;
    for (int y = element.rect.y; y < element.rect.y + element.rect.height(); ++y)
      for (int x = element.rect.x; x < element.rect.x + element.rect.width(); ++x)
        ++covered[y * kMacroblockSize + x];
  }
  return std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; });
}

double TileBits(const TileSyntax& tile) {
  double bits = tile.filter_bits + tile.exact_block_bits;
  for (const MacroblockSyntax& macroblock : tile.macroblocks) bits += macroblock.Bits();
  return bits;
}

class GoldenInspection : public testing::TestWithParam<const char*> {};

TEST_P(GoldenInspection, AgreesWithTheDecoder) {
  const std::vector<uint8_t> file = GoldenFile(GetParam());
  const Result<DecodedImage> decoded = Decode(file);
  ASSERT_TRUE(decoded.ok());
  const DecodedSyntax syntax = MustInspect(file);
  EXPECT_EQ(syntax.decoded, decoded->image);
  for (size_t i = 0; i < syntax.residual.size(); ++i)
    ASSERT_EQ(std::clamp(syntax.prediction.pixels()[i] + syntax.residual[i], 0, 255),
              syntax.reconstruction.pixels()[i])
        << "pixel " << i;
  if (!HasFilter(syntax.info)) {
    EXPECT_EQ(syntax.reconstruction, syntax.decoded);
  }
}

TEST_P(GoldenInspection, BlocksCoverEachMacroblock) {
  const DecodedSyntax syntax = MustInspect(GoldenFile(GetParam()));
  std::set<std::pair<int, int>> places;
  for (const TileSyntax& tile : syntax.tiles) {
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      places.insert({macroblock.x, macroblock.y});
      ASSERT_TRUE(CoversOnce(macroblock, CodedElement::kMode));
      ASSERT_TRUE(CoversOnce(macroblock, CodedElement::kIndex));
    }
  }
  size_t expected = 0;
  for (const TileInfo& tile : syntax.info.tiles)
    expected += static_cast<size_t>((tile.width + 15) / 16) * ((tile.height + 15) / 16);
  EXPECT_EQ(places.size(), expected);
}

TEST_P(GoldenInspection, BitsAreThoseOfTheStream) {
  const DecodedSyntax syntax = MustInspect(GoldenFile(GetParam()));
  for (const TileSyntax& tile : syntax.tiles) {
    // The encoder ends a stream with some bits more, or leaves out zero bytes.
    EXPECT_NEAR(TileBits(tile), 8.0 * static_cast<double>(tile.info.bytes), 34);
    for (const MacroblockSyntax& macroblock : tile.macroblocks)
      for (const SyntaxElement& element : macroblock.elements) ASSERT_GE(element.bits, 0);
  }
}

// Fronts come in order; what they have in common is counted once.
TEST_P(GoldenInspection, FrontsAreThoseOfTheOrder) {
  const DecodedSyntax syntax = MustInspect(GoldenFile(GetParam()));
  const bool has_wave_fronts = std::string(GetParam()).ends_with("-fronts");
  EXPECT_EQ(syntax.info.order,
            has_wave_fronts ? MacroblockOrder::kWavefront : MacroblockOrder::kRaster);
  for (const TileSyntax& tile : syntax.tiles) {
    const MacroblockSyntax* last = nullptr;
    int fronts = 0;
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      const int row = (macroblock.y - tile.info.y) / 16, column = (macroblock.x - tile.info.x) / 16;
      if (has_wave_fronts) {
        EXPECT_EQ(macroblock.front, column + 2 * row);
      } else {
        EXPECT_EQ(macroblock.front, row * ((tile.info.width + 15) / 16) + column);
      }
      if (last != nullptr && last->front == macroblock.front) {
        EXPECT_EQ(macroblock.block_vectors, last->block_vectors);
        EXPECT_EQ(macroblock.block_vector_bits, 0);
      } else {
        ++fronts;
        EXPECT_TRUE(last == nullptr || last->front < macroblock.front);
        EXPECT_EQ(macroblock.block_vector_bits > 0, HasBlockCopies(syntax.info));
      }
      last = &macroblock;
    }
    EXPECT_EQ(fronts, CountFronts(tile));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenInspection,
                         testing::Values("natural-30-fast", "natural-40-best", "natural-100-tiles",
                                         "text-lossless", "slide-20", "noise-lossless",
                                         "odd-1x1-10", "odd-17x1-5", "odd-33x31-lossless",
                                         "odd-65x3-100", "natural-30-fast-fronts",
                                         "slide-20-best-fronts", "compound-40-columns-fronts",
                                         "odd-33x31-lossless-fronts"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The symbols that docs/format.md lists for "Two columns".
TEST(DecodeSyntax, GivesTheSymbolsOfTheWorkedExample) {
  Image image(2, 2);
  image.pixels() = {90, 180, 90, 180};
  EncodeOptions options;
  options.preset = Preset::kThesis;
  const DecodedSyntax syntax = MustInspect(MustEncode(image.View(), options));
  ASSERT_EQ(syntax.tiles.size(), 1u);
  ASSERT_EQ(syntax.tiles[0].macroblocks.size(), 1u);
  using Symbol = std::tuple<CodedElement, int, int, int>;  // level, x, value
  std::vector<Symbol> symbols;
  for (const SyntaxElement& e : syntax.tiles[0].macroblocks[0].elements)
    symbols.push_back({e.kind, e.rect.level, e.rect.x, e.value});
  const auto flag = CodedElement::kPartition, residual_flag = CodedElement::kResidualFlag;
  const auto mode = CodedElement::kMode, index = CodedElement::kIndex;
  EXPECT_EQ(symbols, (std::vector<Symbol>{
                         {flag, 24, 0, 1},
                         {flag, 23, 0, 1},
                         {flag, 21, 0, 1},
                         {flag, 19, 0, 3},
                         {mode, 19, 0, 2},
                         {residual_flag, 17, 0, 0},
                         {index, 17, 0, 40},
                         {residual_flag, 17, 1, 0},
                         {index, 17, 1, 45},
                         {flag, 19, 2, 0},
                         {mode, 19, 2, 1},
                         {index, 19, 2, 3},
                         {flag, 21, 4, 0},
                         {mode, 21, 4, 1},
                         {index, 21, 4, 0},
                         {flag, 23, 8, 0},
                         {mode, 23, 8, 1},
                         {index, 23, 8, 0},
                     }));
  const std::vector<SyntaxElement>& elements = syntax.tiles[0].macroblocks[0].elements;
  EXPECT_EQ(elements[4].bits, 0);  // the only mode available
  EXPECT_NEAR(elements[0].bits, std::log2(5.0), 1e-4);
  EXPECT_NEAR(elements[6].bits, std::log2(69.0), 1e-4);
}

TEST(DecodeSyntax, CountsWhatTheEncoderCounts) {
  const Image image = Draw(Picture::kTexture, 64, 48, 3);
  EncodeOptions options;
  options.preset = Preset::kThesis;
  options.tile_width = 32;
  options.tile_height = 48;
  EncodeStats stats;
  const DecodedSyntax syntax = MustInspect(MustEncode(image.View(), options, &stats));
  std::array<double, kCodedElements> bits{};
  std::array<int64_t, kModes> modes{};
  std::array<int64_t, kLevels> leaves{}, patterns{}, uses{};
  for (const TileSyntax& tile : syntax.tiles) {
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      for (const SyntaxElement& element : macroblock.elements) {
        bits[static_cast<size_t>(element.kind)] += element.bits;
        if (element.kind == CodedElement::kMode && element.bits > 0) ++modes[element.value];
        if (element.kind == CodedElement::kIndex) ++leaves[element.rect.level];
      }
    }
    for (int level = 0; level < kLevels; ++level) {
      const LevelPatterns& learned = tile.dictionary[level];
      EXPECT_EQ(learned.initial, level == 0 ? kPixelPatterns : kInitialPatterns);
      EXPECT_EQ(learned.values.size(),
                static_cast<size_t>(learned.size()) * kLevelShapes[level].pixels());
      patterns[level] = std::max<int64_t>(patterns[level], learned.size());
      for (const int count : learned.uses) uses[level] += count;
    }
  }
  EXPECT_EQ(modes, stats.modes_chosen);
  EXPECT_EQ(leaves, stats.leaves_by_level);
  EXPECT_EQ(uses, stats.leaves_by_level);
  EXPECT_EQ(patterns, stats.dictionary_size);
  const auto bits_of = [&](CodedElement kind) { return bits[static_cast<size_t>(kind)]; };
  // The encoder's are estimates.
  EXPECT_NEAR(bits_of(CodedElement::kPartition), stats.partition_bits, 1);
  EXPECT_NEAR(bits_of(CodedElement::kResidualFlag), stats.residual_flag_bits, 1);
  EXPECT_NEAR(bits_of(CodedElement::kMode), stats.mode_bits, 1);
  EXPECT_NEAR(bits_of(CodedElement::kIndex), stats.index_bits, 1);
}

// The tile's part of an image.
std::vector<uint8_t> PlaneOf(const Image& image, const TileSyntax& tile) {
  std::vector<uint8_t> plane;
  for (int y = 0; y < tile.info.height; ++y) {
    const uint8_t* row = image.Row(tile.info.y + y) + tile.info.x;
    plane.insert(plane.end(), row, row + tile.info.width);
  }
  return plane;
}

// Preset best filters; without the filter the same search makes the same reconstruction.
TEST(DecodeSyntax, SeesTheFilter) {
  const Image image = Draw(Picture::kTexture, 80, 48, 5);
  EncodeOptions options;
  options.preset = Preset::kBest;
  options.lambda = 100;
  options.tile_width = 48;
  options.tile_height = 48;
  EncodeStats stats;
  const DecodedSyntax filtered = MustInspect(MustEncode(image.View(), options, &stats));
  ASSERT_TRUE(HasFilter(filtered.info));
  options.tools =
      filtered.info.tools &
      ~static_cast<uint32_t>(kWiener | kFilterNetwork | kJpegLattice | kLevelMaps | kExactBlocks);
  const DecodedSyntax unfiltered = MustInspect(MustEncode(image.View(), options));
  EXPECT_FALSE(HasFilter(unfiltered.info));
  EXPECT_EQ(filtered.reconstruction, unfiltered.decoded);

  double bits = 0;
  Image again = filtered.reconstruction;
  for (const TileSyntax& tile : filtered.tiles) {
    bits += tile.filter_bits;
    // The decoder filters whole macroblocks, as the tiles are here.
    std::vector<uint8_t> plane = PlaneOf(again, tile);
    const int width = tile.info.width, height = tile.info.height;
    ApplyFilter(tile.filter, PlaneOf(filtered.prediction, tile), {width, height, width, height},
                plane);
    for (int y = 0; y < tile.info.height; ++y)
      std::copy_n(&plane[static_cast<size_t>(y) * tile.info.width], tile.info.width,
                  again.Row(tile.info.y + y) + tile.info.x);
  }
  EXPECT_EQ(again, filtered.decoded);
  EXPECT_NE(filtered.reconstruction, filtered.decoded);
  EXPECT_NEAR(bits, stats.filter_bits, 1);
  for (const TileSyntax& tile : unfiltered.tiles) EXPECT_EQ(tile.filter_bits, 0);

  const Image picture = FilterPicture(filtered);
  for (size_t i = 0; i < picture.pixels().size(); ++i) {
    const int change = filtered.decoded.pixels()[i] - filtered.reconstruction.pixels()[i];
    ASSERT_EQ(picture.pixels()[i], std::clamp(128 + 8 * change, 0, 255));
  }
  const std::optional<Json> json = ReadJson(SyntaxJson(filtered));
  ASSERT_TRUE(json.has_value());
  for (size_t t = 0; t < filtered.tiles.size(); ++t) {
    const Json& filter = (*json)["tiles"].items[t]["filter"];
    const auto& [network, wiener, jpeg_lattice, level_maps, exact_blocks] =
        filtered.tiles[t].filter;
    EXPECT_FALSE(exact_blocks.IsUsed());
    EXPECT_EQ(filter["network_level"].number, network.level);
    EXPECT_EQ(filter["network_blocks"].items.size(), network.blocks.size());
    EXPECT_EQ(filter["strength"].number, wiener.strength);
    EXPECT_EQ(filter["blocks"].items.size(), wiener.blocks.size());
    EXPECT_EQ(filter["jpeg_lattice"]["steps"].items.size(), jpeg_lattice.is_used ? 64 : 0);
    EXPECT_EQ(filter["level_maps"].items.size(), static_cast<size_t>(level_maps.count()));
    EXPECT_NEAR(filter["bits"].number, filtered.tiles[t].filter_bits, 1e-4);
  }
  EXPECT_EQ((*ReadJson(SyntaxJson(unfiltered)))["tiles"].items[0]["filter"].type,
            Json::Type::kNull);
}

TEST(DecodeSyntax, SaysWhereBlocksOfJpegBegin) {
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.lambda = 12;
  options.exact_lambda = true;  // by patterns
  options.backend = Backend::kCpu;
  const auto filter_of = [&](const Image& image) {
    return (*ReadJson(SyntaxJson(MustInspect(MustEncode(image.View(), options)))))["tiles"]
        .items[0]["filter"];
  };
  const Json jpeg = filter_of(DrawJpeg(120, 100, 5, 2, 1));
  ASSERT_EQ(jpeg["third_network_from"].items.size(), 2);
  EXPECT_EQ(jpeg["third_network_from"].items[0].number, 0);
  EXPECT_EQ(jpeg["third_network_from"].items[1].number, 1);
  const Json other = filter_of(Draw(Picture::kTexture, 120, 100, 1));
  EXPECT_EQ(other["third_network_from"].type, Json::Type::kNull);
  const Json& lattice = jpeg["jpeg_lattice"];
  ASSERT_EQ(lattice["from"].items.size(), 2);
  EXPECT_EQ(lattice["from"].items[0].number, 2);
  EXPECT_EQ(lattice["from"].items[1].number, 5);
  ASSERT_EQ(lattice["steps"].items.size(), 64);
  EXPECT_EQ(other["jpeg_lattice"].type, Json::Type::kNull);
}

TEST(SyntaxJson, SaysWhichBlocksAreExact) {
  const Image image = DrawTextBeside(Picture::kNoise, 120, 90, 72);
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.lambda = 60;
  options.exact_lambda = true;  // by patterns
  const DecodedSyntax syntax = MustInspect(MustEncode(image.View(), options));
  const std::optional<Json> json = ReadJson(SyntaxJson(syntax));
  ASSERT_TRUE(json.has_value());
  const Json& exact = (*json)["tiles"].items[0]["exact_blocks"];
  ASSERT_EQ(exact["rows"].items.size(), 12);
  for (const Json& row : exact["rows"].items) EXPECT_EQ(row.text, "111111111000000");
  EXPECT_NEAR(exact["bits"].number, syntax.tiles[0].exact_block_bits, 1e-4);
  EXPECT_GT(exact["bits"].number, 72 * 90 / 20);
}

TEST(DecodeSyntax, RefusesWhatDecodeRefuses) {
  std::vector<uint8_t> file = GoldenFile("odd-33x31-lossless");
  EXPECT_EQ(DecodeSyntax(file, {.max_pixels = 100}).status().code(), StatusCode::kLimitExceeded);
  file[file.size() / 2] ^= 1;
  EXPECT_EQ(DecodeSyntax(file).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(DecodeSyntax({}).status().code(), Decode({}).status().code());
}

TEST(BlockEdges, AreDrawnInsideTheImage) {
  std::set<std::tuple<int, int, int, int>> drawn;
  DrawBlockEdges({{0, 0, 16, 8}, {4, 8, 16, 16}, {20, 0, 4, 4}}, 10, 12, 3,
                 [&](int x, int y, int width, int height) {
                   drawn.insert({x, y, width, height});
                 });
  EXPECT_EQ(drawn, (std::set<std::tuple<int, int, int, int>>{
                       {0, 0, 30, 1}, {0, 0, 1, 24}, {12, 24, 18, 1}, {12, 24, 1, 12}}));
}

TEST(Pictures, AreOfTheImage) {
  const DecodedSyntax syntax = MustInspect(GoldenFile("natural-100-tiles"));
  const int scale = PictureScale(syntax.info);
  EXPECT_EQ(scale, 4);
  const Image residual = ResidualPicture(syntax);
  for (size_t i = 0; i < syntax.residual.size(); ++i)
    ASSERT_EQ(residual.pixels()[i], std::clamp(syntax.residual[i] + 128, 0, 255));

  const RgbImage segmentation = SegmentationPicture(syntax);
  EXPECT_EQ(segmentation.width(), syntax.info.width * scale);
  EXPECT_EQ(segmentation.height(), syntax.info.height * scale);
  for (const BlockPlace& block : BlocksWith(syntax, CodedElement::kMode))
    EXPECT_EQ(segmentation.Row(block.y * scale)[block.x * scale], kPredictionColor);

  const RgbImage modes = ModePicture(syntax);
  EXPECT_GT(modes.height(), syntax.info.height * scale);
  int64_t blocks = 0, pixels = 0;
  for (const ModeUse& use : ModesUsed(syntax)) {
    blocks += use.blocks;
    pixels += use.pixels;
  }
  EXPECT_EQ(pixels, int64_t{1} * syntax.info.width * syntax.info.height);
  EXPECT_EQ(static_cast<size_t>(blocks), BlocksWith(syntax, CodedElement::kMode).size());

  const RgbImage bits = BitsPicture(syntax);
  const double most = MostBits(syntax);
  for (const TileSyntax& tile : syntax.tiles)
    for (const MacroblockSyntax& macroblock : tile.macroblocks)
      EXPECT_EQ(bits.Row(macroblock.y * scale)[macroblock.x * scale],
                HeatColor(macroblock.Bits() / most));
}

TEST(Pictures, ColorsDiffer) {
  for (int a = 0; a < kPredictionModes; ++a) {
    for (int b = 0; b < a; ++b) {
      const Rgb p = ModeColor(a), q = ModeColor(b);
      const int distance =
          std::abs(p.red - q.red) + std::abs(p.green - q.green) + std::abs(p.blue - q.blue);
      EXPECT_GT(distance, 60) << a << " and " << b;
    }
  }
  EXPECT_LT(HeatColor(0).green, HeatColor(0.5).green);
  EXPECT_LT(HeatColor(0.5).green, HeatColor(1).green);
  EXPECT_EQ(HeatColor(-1), HeatColor(0));
  EXPECT_EQ(HeatColor(2), HeatColor(1));
}

TEST(Pictures, OfLargeImagesAreNotEnlarged) {
  FileInfo info;
  info.width = 1000;
  info.height = 10;
  EXPECT_EQ(PictureScale(info), 4);
  info.height = 2000;
  EXPECT_EQ(PictureScale(info), 2);
  info.width = 60000;
  EXPECT_EQ(PictureScale(info), 1);
}

TEST(DictionarySheet, ShowsPatterns) {
  const DecodedSyntax syntax = MustInspect(GoldenFile("natural-300"));
  const RgbImage grown = DictionarySheet(syntax.tiles[0]);
  TileSyntax initial = syntax.tiles[0];
  for (int level = 0; level < kLevelCount; ++level) {
    LevelPatterns& patterns = initial.dictionary[level];
    patterns.values.resize(static_cast<size_t>(patterns.initial) * kLevelShapes[level].pixels());
    patterns.uses.assign(patterns.initial, 0);
  }
  const RgbImage bare = DictionarySheet(initial);
  ASSERT_EQ(grown.width(), bare.width());
  ASSERT_EQ(grown.height(), bare.height());
  int64_t different = 0;
  for (int y = 0; y < grown.height(); ++y)
    for (int x = 0; x < grown.width(); ++x) different += grown.Row(y)[x] != bare.Row(y)[x];
  EXPECT_GT(different, 100000);
}

TEST(SyntaxJson, HasEveryElement) {
  const DecodedSyntax syntax = MustInspect(GoldenFile("odd-33x31-lossless"));
  const std::optional<Json> json = ReadJson(SyntaxJson(syntax));
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["width"].number, 33);
  EXPECT_EQ((*json)["preset"].text, "thesis");
  EXPECT_EQ((*json)["order"].text, "raster");
  ASSERT_EQ((*json)["tiles"].items.size(), syntax.tiles.size());
  for (size_t t = 0; t < syntax.tiles.size(); ++t) {
    const Json& tile = (*json)["tiles"].items[t];
    EXPECT_EQ(tile["patterns_by_level"].items.size(), static_cast<size_t>(kLevelCount));
    ASSERT_EQ(tile["macroblocks"].items.size(), syntax.tiles[t].macroblocks.size());
    for (size_t m = 0; m < syntax.tiles[t].macroblocks.size(); ++m) {
      const MacroblockSyntax& macroblock = syntax.tiles[t].macroblocks[m];
      const Json& written = tile["macroblocks"].items[m];
      EXPECT_EQ(written["x"].number, macroblock.x);
      EXPECT_EQ(written["front"].number, macroblock.front);
      EXPECT_NEAR(written["bits"].number, macroblock.Bits(), 1e-4);
      ASSERT_EQ(written["elements"].items.size(), macroblock.elements.size());
      const Json& first = written["elements"].items[0];
      EXPECT_EQ(first["element"].text, "partition");
      EXPECT_EQ(first["x"].number, macroblock.x);
      EXPECT_EQ(first["y"].number, macroblock.y);
      EXPECT_EQ(first["width"].number, 16);
      EXPECT_EQ(first["value"].number, macroblock.elements[0].value);
      EXPECT_EQ(first["name"].text,
                ValueName(CodedElement::kPartition, macroblock.elements[0].value));
    }
  }
}

}  // namespace
}  // namespace mmp
