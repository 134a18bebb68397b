#include "tools/inspect/inspect_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/tile/tile_state.h"
#include "tools/command_line/terminal.h"
#include "tools/inspect/pictures.h"
#include "tools/inspect/syntax_json.h"
#include "tools/text/info_json.h"
#include "tools/text/json.h"

namespace mmp {
namespace {

constexpr std::array<int, kCodedElements> kValueNames = {kPartitions, kPredictionModes,
                                                         kResidualFlags, 0};

std::string CssColor(Rgb color) {
  return Format("#%02x%02x%02x", color.red, color.green, color.blue);
}

void WriteFiles(const PageFiles& files, const DecodedSyntax& syntax, JsonWriter& json) {
  json.Key("layers").BeginArray();
  for (const PageLayer& layer : files.layers) {
    json.BeginObject()
        .Field("name", layer.name)
        .Field("file", layer.file)
        .Field("scale", layer.scale)
        .EndObject();
  }
  json.EndArray().Key("tiles").BeginArray();
  for (size_t i = 0; i < syntax.tiles.size(); ++i) {
    const TileSyntax& tile = syntax.tiles[i];
    int initial = 0, patterns = 0;
    for (const LevelPatterns& level : tile.dictionary) {
      initial += level.initial;
      patterns += level.size();
    }
    json.BeginObject()
        .Field("x", tile.info.x)
        .Field("y", tile.info.y)
        .Field("width", tile.info.width)
        .Field("height", tile.info.height)
        .Field("bytes", tile.info.bytes)
        .Field("patterns", patterns)
        .Field("initialPatterns", initial)
        .Field("dictionary", files.dictionaries[i])
        .EndObject();
  }
  json.EndArray();
}

// Of every kind of element its name, its values' names, how many there are and their bits.
void WriteElements(const DecodedSyntax& syntax, JsonWriter& json) {
  std::array<int64_t, kCodedElements> counts{};
  std::array<double, kCodedElements> bits{};
  for (const TileSyntax& tile : syntax.tiles) {
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      for (const SyntaxElement& element : macroblock.elements) {
        ++counts[static_cast<size_t>(element.kind)];
        bits[static_cast<size_t>(element.kind)] += element.bits;
      }
    }
  }
  json.Key("elements").BeginArray();
  for (int k = 0; k < kCodedElements; ++k) {
    const auto kind = static_cast<CodedElement>(k);
    json.BeginObject()
        .Field("name", ElementName(kind))
        .Field("count", counts[k])
        .Field("bits", RoundedBits(bits[k]));
    json.Key("values").BeginArray();
    for (int value = 0; value < kValueNames[k]; ++value) json.Value(ValueName(kind, value));
    json.EndArray().EndObject();
  }
  json.EndArray();
}

// How many tiles say how they are filtered, and in how many bits; empty if the file has no filter.
void WriteFilter(const DecodedSyntax& syntax, JsonWriter& json) {
  json.Key("filter").BeginObject();
  if (HasFilter(syntax.info)) {
    double bits = 0;
    for (const TileSyntax& tile : syntax.tiles) bits += tile.filter_bits;
    json.Field("count", syntax.tiles.size())
        .Field("bits", RoundedBits(bits))
        .Field("scale", kFilterScale);
  }
  json.EndObject();
}

// How many blocks are exact, and in how many bits; empty if none is.
void WriteExactBlocks(const DecodedSyntax& syntax, JsonWriter& json) {
  ptrdiff_t count = 0;
  double bits = 0;
  for (const TileSyntax& tile : syntax.tiles) {
    const std::vector<uint8_t>& blocks = tile.exact_blocks.is_exact;
    count += std::count(blocks.begin(), blocks.end(), 1);
    bits += tile.exact_block_bits;
  }
  json.Key("exact").BeginObject();
  if (count > 0) json.Field("count", count).Field("bits", RoundedBits(bits));
  json.EndObject();
}

// How many fronts say which vectors they have, and in how many bits; empty if none does.
void WriteBlockVectors(const DecodedSyntax& syntax, JsonWriter& json) {
  json.Key("copies").BeginObject();
  if (HasBlockCopies(syntax.info)) {
    double bits = 0;
    size_t count = 0;
    for (const TileSyntax& tile : syntax.tiles) {
      count += static_cast<size_t>(CountFronts(tile));
      for (const MacroblockSyntax& macroblock : tile.macroblocks)
        bits += macroblock.block_vector_bits;
    }
    json.Field("count", count).Field("bits", RoundedBits(bits));
  }
  json.EndObject();
}

void WriteModes(const DecodedSyntax& syntax, JsonWriter& json) {
  json.Key("modes").BeginArray();
  for (const ModeUse& use : ModesUsed(syntax)) {
    json.BeginObject()
        .Field("name", use.name)
        .Field("color", CssColor(ModeColor(use.mode)))
        .Field("blocks", use.blocks)
        .Field("pixels", use.pixels)
        .EndObject();
  }
  json.EndArray();
}

void WriteHeat(const DecodedSyntax& syntax, JsonWriter& json) {
  constexpr int kColors = 13;
  json.Field("mostBits", RoundedBits(MostBits(syntax)));
  json.Key("heat").BeginArray();
  for (int i = 0; i < kColors; ++i)
    json.Value(CssColor(HeatColor(static_cast<double>(i) / (kColors - 1))));
  json.EndArray();
}

int Hundredths(float bits) { return static_cast<int>(std::lround(bits * 100)); }

// As lists of numbers: x and y of the macroblock, its front, the hundredths of a bit and the number
// of its block vectors, these, down and across; then of each element kind, level, x, y, value and
// hundredths of a bit, x and y being inside the macroblock.
void WriteMacroblocks(const DecodedSyntax& syntax, JsonWriter& json) {
  json.Key("macroblocks").BeginArray();
  std::vector<int> numbers;
  for (const TileSyntax& tile : syntax.tiles) {
    for (const MacroblockSyntax& macroblock : tile.macroblocks) {
      numbers = {macroblock.x, macroblock.y, macroblock.front,
                 Hundredths(macroblock.block_vector_bits),
                 static_cast<int>(macroblock.block_vectors.size())};
      for (const BlockVector vector : macroblock.block_vectors)
        numbers.insert(numbers.end(), {vector.y, vector.x});
      for (const SyntaxElement& element : macroblock.elements) {
        const BlockRect& rect = element.rect;
        numbers.insert(numbers.end(), {static_cast<int>(element.kind), rect.level, rect.x, rect.y,
                                       element.value, Hundredths(element.bits)});
      }
      json.Numbers(numbers);
    }
  }
  json.EndArray();
}

void WriteLevels(JsonWriter& json) {
  json.Key("levels").BeginArray();
  for (const LevelShape& shape : kLevelShapes)
    json.Numbers(std::array{shape.height(), shape.width()});
  json.EndArray();
}

}  // namespace

std::string InspectJson(const DecodedSyntax& syntax, const std::string& name,
                        const PageFiles& files) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject().Field("name", name).Field("macroblockSize", kMacroblockSize);
  json.Field("predictionColor", CssColor(kPredictionColor))
      .Field("patternColor", CssColor(kPatternColor));
  json.Key("info").BeginObject();
  WriteInfoFields(syntax.info, json);
  json.EndObject();
  WriteFiles(files, syntax, json);
  WriteElements(syntax, json);
  WriteFilter(syntax, json);
  WriteExactBlocks(syntax, json);
  WriteBlockVectors(syntax, json);
  WriteModes(syntax, json);
  WriteHeat(syntax, json);
  WriteLevels(json);
  WriteMacroblocks(syntax, json);
  return json.EndObject().text();
}

}  // namespace mmp
