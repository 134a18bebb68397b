#include "tools/inspect/decoded_syntax.h"

#include <algorithm>
#include <set>
#include <utility>

#include "codec/base/parameters.h"
#include "codec/decoder/decode_observed.h"
#include "codec/dictionary/dictionary.h"

namespace mmp {
namespace {

// Collects the syntax of a tile.
class Recorder : public TileObserver {
 public:
  Recorder(TileSyntax& tile, DecodedSyntax& syntax) : tile_(tile), syntax_(syntax) {}

  void OnStart(const Dictionary& dictionary) override {
    for (int level = 0; level < kLevelCount; ++level)
      tile_.dictionary[level].initial = dictionary.size(level);
  }

  void OnBlockVectors(const BlockVectorList& vectors, double bits) override {
    vectors_ = vectors;
    vector_bits_ = bits;
  }

  void OnMacroblock(MacroblockPlace place) override {
    const bool has_wave_fronts = syntax_.info.order == MacroblockOrder::kWavefront;
    const int front =
        has_wave_fronts ? FrontOf(place.y, place.x) : static_cast<int>(tile_.macroblocks.size());
    tile_.macroblocks.push_back(
        {.x = tile_.info.x + place.x, .y = tile_.info.y + place.y, .front = front});
    MacroblockSyntax& macroblock = tile_.macroblocks.back();
    for (int k = 0; k < vectors_.count(); ++k) macroblock.block_vectors.push_back(vectors_[k]);
    macroblock.block_vector_bits = static_cast<float>(std::exchange(vector_bits_, 0));
  }

  void OnElement(CodedElement kind, BlockRect rect, int value, double bits) override {
    tile_.macroblocks.back().elements.push_back({kind, rect, value, static_cast<float>(bits)});
    if (kind != CodedElement::kIndex) return;
    std::vector<int>& uses = tile_.dictionary[rect.level].uses;
    if (value >= static_cast<int>(uses.size())) uses.resize(static_cast<size_t>(value) + 1);
    ++uses[value];
  }

  void OnBlock(MacroblockPlace place, BlockRect rect, const uint8_t* prediction,
               const int16_t* residual) override {
    const int left = tile_.info.x + place.x + rect.x, top = tile_.info.y + place.y + rect.y;
    // Macroblocks reach beyond the tile at its right and lower edge.
    const int width = std::min(rect.width(), tile_.info.x + tile_.info.width - left);
    const int height = std::min(rect.height(), tile_.info.y + tile_.info.height - top);
    if (width <= 0) return;
    for (int i = 0; i < height; ++i) {
      std::copy_n(prediction + i * rect.width(), width, syntax_.prediction.Row(top + i) + left);
      std::copy_n(residual + i * rect.width(), width,
                  &syntax_.residual[static_cast<size_t>(top + i) * syntax_.info.width + left]);
    }
  }

  void OnFilter(const FilterChoice& choice, double bits) override {
    tile_.filter = choice;
    tile_.filter_bits = bits;
  }

  void OnExactBlocks(const ExactBlocks& blocks, double bits) override {
    tile_.exact_blocks = blocks;
    tile_.exact_block_bits = bits;
  }

  void OnEnd(const Dictionary& dictionary) override {
    for (int level = 0; level < kLevelCount; ++level) {
      LevelPatterns& patterns = tile_.dictionary[level];
      const size_t pixels = kLevelShapes[level].pixels();
      patterns.uses.resize(dictionary.size(level));
      patterns.values.resize(pixels * dictionary.size(level));
      for (int index = 0; index < dictionary.size(level); ++index)
        dictionary.Copy(level, index, &patterns.values[pixels * index]);
    }
  }

 private:
  TileSyntax& tile_;
  DecodedSyntax& syntax_;
  // Of the front that is being decoded.
  BlockVectorList vectors_;
  double vector_bits_ = 0;
};

Image Sum(const Image& prediction, const std::vector<int16_t>& residual) {
  Image sum(prediction.width(), prediction.height());
  for (size_t i = 0; i < residual.size(); ++i)
    sum.pixels()[i] =
        static_cast<uint8_t>(std::clamp(prediction.pixels()[i] + residual[i], 0, 255));
  return sum;
}

}  // namespace

bool HasFilter(const FileInfo& info) {
  return (info.tools & (kWiener | kFilterNetwork | kJpegLattice | kLevelMaps | kExactBlocks)) != 0;
}
bool HasBlockCopies(const FileInfo& info) { return (info.modes & kAllBlockCopyModes) != 0; }

int CountFronts(const TileSyntax& tile) {
  std::set<int> fronts;
  for (const MacroblockSyntax& macroblock : tile.macroblocks) fronts.insert(macroblock.front);
  return static_cast<int>(fronts.size());
}

double MacroblockSyntax::Bits() const {
  double bits = block_vector_bits;
  for (const SyntaxElement& element : elements) bits += element.bits;
  return bits;
}

Result<DecodedSyntax> DecodeSyntax(std::span<const uint8_t> file, const DecodeOptions& options) {
  Result<FileInfo> info = ReadInfo(file);
  if (!info.ok()) return info.status();
  if (uint64_t{1} * info->width * info->height > options.max_pixels)
    return Decode(file, options).status();  // it says so
  DecodedSyntax syntax;
  syntax.info = *std::move(info);
  syntax.prediction = Image(syntax.info.width, syntax.info.height);
  syntax.residual.resize(syntax.prediction.pixels().size());
  for (const TileInfo& tile : syntax.info.tiles) syntax.tiles.push_back({.info = tile});
  std::vector<Recorder> recorders;
  for (TileSyntax& tile : syntax.tiles) recorders.emplace_back(tile, syntax);
  Result<DecodedImage> decoded =
      DecodeObserved(file, options, [&](int tile) -> TileObserver& { return recorders[tile]; });
  if (!decoded.ok()) return decoded.status();
  syntax.decoded = std::move(decoded->image);
  syntax.reconstruction = Sum(syntax.prediction, syntax.residual);
  return syntax;
}

std::vector<BlockPlace> BlocksWith(const DecodedSyntax& syntax, CodedElement kind) {
  std::vector<BlockPlace> blocks;
  for (const TileSyntax& tile : syntax.tiles)
    for (const MacroblockSyntax& macroblock : tile.macroblocks)
      for (const SyntaxElement& element : macroblock.elements)
        if (element.kind == kind)
          blocks.push_back({macroblock.x + element.rect.x, macroblock.y + element.rect.y,
                            element.rect.width(), element.rect.height()});
  return blocks;
}

}  // namespace mmp
