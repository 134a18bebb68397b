#include "tools/inspect/syntax_json.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/command_line/name_lists.h"
#include "tools/text/info_json.h"
#include "tools/text/json.h"

namespace mmp {
namespace {

constexpr std::array<std::string_view, kCodedElements> kElementNames = {"partition", "mode",
                                                                        "residual_flag", "index"};
constexpr std::array<std::string_view, 5> kPartitionNames = {
    "leaf", "split_vertical", "split_horizontal", "split_residual_vertical",
    "split_residual_horizontal"};
constexpr std::array<std::string_view, 3> kResidualFlagNames = {"pattern", "split_vertical",
                                                                "split_horizontal"};

void WriteElement(const MacroblockSyntax& macroblock, const SyntaxElement& element,
                  JsonWriter& json) {
  json.BeginObject()
      .Field("element", ElementName(element.kind))
      .Field("x", macroblock.x + element.rect.x)
      .Field("y", macroblock.y + element.rect.y)
      .Field("width", element.rect.width())
      .Field("height", element.rect.height())
      .Field("level", element.rect.level)
      .Field("value", element.value);
  const std::string_view name = ValueName(element.kind, element.value);
  if (!name.empty()) json.Field("name", name);
  json.Field("bits", RoundedBits(element.bits)).EndObject();
}

void WriteBlockVectors(const MacroblockSyntax& macroblock, JsonWriter& json) {
  json.Field("block_vector_bits", RoundedBits(macroblock.block_vector_bits));
  json.Key("block_vectors").BeginArray();
  for (const BlockVector vector : macroblock.block_vectors)
    json.Numbers(std::array{vector.y, vector.x});
  json.EndArray();
}

void WriteJpegLattice(const JpegLattice& lattice, JsonWriter& json) {
  std::array<int, kCosinePixels> pulls{}, steps{};
  for (int i = 0; i < kCosinePixels; ++i) {
    pulls[kJpegOrder[i]] = lattice.frequencies[i].pull;
    steps[kJpegOrder[i]] = lattice.frequencies[i].step;
  }
  json.Key("jpeg_lattice")
      .BeginObject()
      .NumbersField("from", std::array{lattice.row, lattice.column})
      .NumbersField("pulls", pulls)
      .NumbersField("steps", steps)
      .EndObject();
}

void WriteFilter(const TileSyntax& tile, JsonWriter& json) {
  const auto& [network, wiener, jpeg_lattice, level_maps, exact_blocks] = tile.filter;
  std::vector<int> blocks;
  for (const WienerBlock block : wiener.blocks) blocks.push_back(static_cast<int>(block));
  json.Key("filter")
      .BeginObject()
      .Field("network_level", network.level)
      .NumbersField("network_blocks", network.blocks);
  if (!network.networks.empty() && network.networks.back() == NetworkKind::kThirdDeep)
    json.NumbersField("third_network_from", std::array{network.origin.row, network.origin.column});
  json.Field("strength", wiener.strength).NumbersField("blocks", blocks);
  if (const WienerCorrections& corrections = wiener.corrections; !corrections.sets.empty()) {
    json.Field("step", 1 << corrections.step).NumbersField("set_by_class", corrections.set);
    json.Key("sets").BeginArray();
    for (const WienerCorrections::Set& set : corrections.sets) json.Numbers(set);
    json.EndArray();
  }
  if (jpeg_lattice.is_used) WriteJpegLattice(jpeg_lattice, json);
  if (level_maps.kind > 0) {
    if (level_maps.kind > 1) json.Field("activity_limit", kActivityLimits[level_maps.kind - 2]);
    json.Key("level_maps").BeginArray();
    for (int i = 0; i < level_maps.count(); ++i) json.Numbers(level_maps.maps[i]);
    json.EndArray();
  }
  json.Field("bits", RoundedBits(tile.filter_bits)).EndObject();
}

void WriteExactBlocks(const TileSyntax& tile, JsonWriter& json) {
  json.Key("exact_blocks").BeginObject();
  json.Key("rows").BeginArray();
  const std::vector<uint8_t>& blocks = tile.exact_blocks.is_exact;
  const size_t across = static_cast<size_t>(tile.exact_blocks.across());
  for (size_t first = 0; first < blocks.size(); first += across) {
    std::string row;
    for (size_t x = 0; x < across; ++x) row += blocks[first + x] != 0 ? '1' : '0';
    json.Value(row);
  }
  json.EndArray().Field("bits", RoundedBits(tile.exact_block_bits)).EndObject();
}

void WriteTile(const TileSyntax& tile, const FileInfo& info, JsonWriter& json) {
  json.BeginObject()
      .Field("x", tile.info.x)
      .Field("y", tile.info.y)
      .Field("width", tile.info.width)
      .Field("height", tile.info.height)
      .Field("bytes", tile.info.bytes);
  std::vector<int> patterns;
  for (const LevelPatterns& level : tile.dictionary) patterns.push_back(level.size());
  json.NumbersField("patterns_by_level", patterns);
  if (HasFilter(info)) WriteFilter(tile, json);
  if (tile.exact_blocks.IsUsed()) WriteExactBlocks(tile, json);
  json.Key("macroblocks").BeginArray();
  for (const MacroblockSyntax& macroblock : tile.macroblocks) {
    json.BeginObject()
        .Field("x", macroblock.x)
        .Field("y", macroblock.y)
        .Field("front", macroblock.front)
        .Field("bits", RoundedBits(macroblock.Bits()));
    if (HasBlockCopies(info)) WriteBlockVectors(macroblock, json);
    json.Key("elements").BeginArray();
    for (const SyntaxElement& element : macroblock.elements)
      WriteElement(macroblock, element, json);
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string_view ElementName(CodedElement kind) { return kElementNames[static_cast<size_t>(kind)]; }

std::string_view ValueName(CodedElement kind, int value) {
  switch (kind) {
    case CodedElement::kPartition:
      return kPartitionNames[value];
    case CodedElement::kMode:
      return kModeNames[value];
    case CodedElement::kResidualFlag:
      return kResidualFlagNames[value];
    case CodedElement::kIndex:
      return "";
  }
  return "";
}

double RoundedBits(double bits) { return std::round(bits * 1e4) / 1e4; }

std::string SyntaxJson(const DecodedSyntax& syntax) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject();
  WriteInfoFields(syntax.info, json);
  json.Key("tiles").BeginArray();
  for (const TileSyntax& tile : syntax.tiles) WriteTile(tile, syntax.info, json);
  return json.EndArray().EndObject().text();
}

}  // namespace mmp
