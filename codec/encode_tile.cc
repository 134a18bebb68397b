#include "codec/encode_tile.h"

#include <algorithm>
#include <cstddef>

#include "codec/macroblock_coder.h"
#include "codec/range_coder.h"
#include "codec/stopwatch.h"
#include "codec/tile_state.h"
#include "common/crc32c.h"
#include "common/metrics.h"

namespace mmp {
namespace {

// Writes the symbols that the search chose and counts what they cost.
class WritePort {
 public:
  WritePort(TileModels& models, RangeEncoder& coder, EncodeStats& stats)
      : models_(models), coder_(coder), stats_(stats) {}

  void Take(const MacroblockSymbols& symbols) {
    symbols_ = &symbols;
    position_ = 0;
  }
  bool AllTaken() const { return position_ == symbols_->size(); }

  int Prediction(int level, uint32_t allowed) {
    return Write(models_.prediction_flag[level], allowed, stats_.prediction_flag_bits);
  }
  int Residual(int level, uint32_t allowed) {
    return Write(models_.residual_flag[level], allowed, stats_.residual_flag_bits);
  }
  int Mode(int level, uint32_t allowed) {
    const int mode = Write(models_.mode[level], allowed, stats_.mode_bits);
    ++stats_.modes_chosen[mode];
    return mode;
  }
  int Index(int level) {
    const int index = Next();
    const double bits = models_.index[level].RateQ12(index) / double{1 << kRateShift};
    stats_.index_bits += bits;
    stats_.index_bits_by_level[level] += bits;
    ++stats_.leaves_by_level[level];
    models_.index[level].Encode(coder_, index);
    return index;
  }

 private:
  int Next() { return static_cast<int>((*symbols_)[position_++]); }

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = Next();
    bits += model.RateQ12(symbol, allowed) / double{1 << kRateShift};
    model.Encode(coder_, symbol, allowed);
    return symbol;
  }

  TileModels& models_;
  RangeEncoder& coder_;
  EncodeStats& stats_;
  const MacroblockSymbols* symbols_ = nullptr;
  size_t position_ = 0;
};

// The macroblock's samples; beyond the image's edge, its last row and column repeated.
MacroblockSamples LoadSamples(const ImageView& image, int y, int x) {
  MacroblockSamples block;
  for (int i = 0; i < kMacroblockSize; ++i) {
    const uint8_t* row = image.Row(std::min(y + i, image.height - 1));
    for (int j = 0; j < kMacroblockSize; ++j)
      block.samples[i * kMacroblockSize + j] = row[std::min(x + j, image.width - 1)];
  }
  return block;
}

uint32_t ReconstructionCrc(const TileState& tile, int width, int height) {
  uint32_t crc = 0;
  for (int y = 0; y < height; ++y)
    crc =
        Crc32c({&tile.plane[static_cast<size_t>(y) * tile.width], static_cast<size_t>(width)}, crc);
  return crc;
}

uint64_t ReconstructionError(const TileState& tile, const ImageView& image) {
  return SumSquaredError(
      image, {tile.plane.data(), image.width, image.height, static_cast<size_t>(tile.width)});
}

// Adds to `to` what a search counted between two of its AddStats.
void AddDifference(const EncodeStats& now, const EncodeStats& before, EncodeStats& to) {
  to.nodes_searched += now.nodes_searched - before.nodes_searched;
  for (int mode = 0; mode < kModes; ++mode) {
    to.mode_searches[mode] += now.mode_searches[mode] - before.mode_searches[mode];
    to.mode_reused[mode] += now.mode_reused[mode] - before.mode_reused[mode];
  }
  to.partitions_matched += now.partitions_matched - before.partitions_matched;
  to.multiply_adds += now.multiply_adds - before.multiply_adds;
  to.seconds_prediction += now.seconds_prediction - before.seconds_prediction;
  to.seconds_lsp += now.seconds_lsp - before.seconds_lsp;
  to.seconds_matching += now.seconds_matching - before.seconds_matching;
  to.seconds_trees += now.seconds_trees - before.seconds_trees;
}

}  // namespace

Result<EncodedTile> EncodeTile(const ImageView& image, const CodecParameters& parameters,
                               Lambda lambda, MacroblockSearch& search, bool timing,
                               const std::function<bool()>& step, EncodeStats& stats) {
  TileState tile(parameters, image.width, image.height);
  RangeEncoder coder;
  WritePort port(tile.models, coder, stats);
  MacroblockCoder<WritePort> macroblock_coder(tile, port);
  MacroblockSymbols symbols;
  EncodeStats before, after;
  search.AddStats(before);
  for (int y = 0; y < image.height; y += kMacroblockSize) {
    for (int x = 0; x < image.width; x += kMacroblockSize) {
      MMP_RETURN_IF_ERROR(search.Search(tile, lambda, LoadSamples(image, y, x), y, x, symbols));
      {
        const StageTimer timer(timing, stats.seconds_coding);
        port.Take(symbols);
        macroblock_coder.Code(y, x);
      }
      {
        const StageTimer timer(timing, stats.seconds_dictionary);
        macroblock_coder.Learn();
      }
      ++stats.macroblocks;
      if (!step()) return Status(StatusCode::kCancelled, "encoding was cancelled");
    }
  }
  search.AddStats(after);
  AddDifference(after, before, stats);
  for (int level = 0; level < kLevelCount; ++level)
    stats.dictionary_size[level] = tile.dictionary.size(level);
  stats.sum_squared_error = ReconstructionError(tile, image);
  return EncodedTile{coder.Finish(), ReconstructionCrc(tile, image.width, image.height)};
}

}  // namespace mmp
