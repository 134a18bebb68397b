#include "codec/encode_tile.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>

#include "codec/copy_search.h"
#include "codec/macroblock_coder.h"
#include "codec/range_coder.h"
#include "codec/stopwatch.h"
#include "codec/tile_state.h"
#include "codec/wiener_filter.h"
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

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    ContextModel<kPredictionFlags>& model = models_.prediction_flag[rect.level];
    const int flag = Next();
    stats_.prediction_flag_bits += model.RateQ12(flag, context, allowed) / double{1 << kRateShift};
    model.Encode(coder_, flag, context, allowed);
    return flag;
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Write(models_.residual_flag[rect.level], allowed, stats_.residual_flag_bits);
  }
  int Mode(BlockRect rect, uint32_t allowed) {
    const int mode = Write(models_.mode[rect.level], allowed, stats_.mode_bits);
    ++stats_.modes_chosen[mode];
    return mode;
  }
  int CopyCount() { return Write(models_.copy_count, kAnyCopyCount, stats_.copy_bits); }
  int CopyClass(int axis) {
    return Write(models_.copy_class[axis], kAnyCopyClass, stats_.copy_bits);
  }
  int CopyBits(int count) {
    const int value = Next();
    stats_.copy_bits += count;
    coder_.Encode(static_cast<uint32_t>(value), 1, 1u << count);
    return value;
  }
  int WienerStrength() {
    return Write(models_.wiener_strength, kAllWienerStrengths, stats_.filter_bits);
  }
  int WienerBlock() { return Write(models_.wiener_block, kBothWienerBlocks, stats_.filter_bits); }
  int Index(BlockRect rect) {
    const int index = Next();
    const double bits = models_.index[rect.level].RateQ12(index) / double{1 << kRateShift};
    stats_.index_bits += bits;
    stats_.index_bits_by_level[rect.level] += bits;
    ++stats_.leaves_by_level[rect.level];
    models_.index[rect.level].Encode(coder_, index);
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

// True if the macroblock at (y, x) of the tile's reconstruction is the original.
bool IsReconstructed(const TileState& tile, const MacroblockSamples& original, int y, int x) {
  for (int i = 0; i < kMacroblockSize; ++i) {
    const uint8_t* row = &tile.plane[static_cast<size_t>(y + i) * tile.width + x];
    if (!std::equal(row, row + kMacroblockSize, original.samples + i * kMacroblockSize))
      return false;
  }
  return true;
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

// By how much the filter lowers the squared error of the block at (y, x).
int64_t WienerGain(const TileState& tile, const ImageView& image,
                   const std::vector<uint8_t>& filtered, int y, int x) {
  const int height = std::min(kWienerBlockSize, image.height - y);
  const int width = std::min(kWienerBlockSize, image.width - x);
  const ImageView original = image.Crop(x, y, width, height);
  auto error = [&](const std::vector<uint8_t>& plane) {
    const size_t stride = static_cast<size_t>(tile.width);
    return static_cast<int64_t>(
        SumSquaredError(original, {&plane[y * stride + x], width, height, stride}));
  };
  return error(tile.plane) - error(filtered);
}

// The strength that gains most, and the blocks that gain by it.
MacroblockSymbols ChooseWiener(const TileState& tile, const ImageView& image, Lambda lambda) {
  const WienerFilter filter(tile.plane, tile.width, tile.height);
  const int64_t one_bit = lambda.q8 >> 8;  // about what the choice for a block costs
  int64_t most = 0;
  MacroblockSymbols best = {0};
  for (int strength = 1; strength <= kWienerStrengths; ++strength) {
    const std::vector<uint8_t> filtered = filter.Filter(strength);
    MacroblockSymbols symbols = {static_cast<uint32_t>(strength)};
    int64_t gain = 0;
    for (int y = 0; y < tile.height; y += kWienerBlockSize) {
      for (int x = 0; x < tile.width; x += kWienerBlockSize) {
        const int64_t block_gain = WienerGain(tile, image, filtered, y, x) - one_bit;
        symbols.push_back(block_gain > 0);
        gain += std::max<int64_t>(block_gain, 0);
      }
    }
    if (gain <= most) continue;
    most = gain;
    best = std::move(symbols);
  }
  return best;
}

// As MacroblockCoder::CodeCopies takes them.
MacroblockSymbols CopySymbols(const std::vector<CopyVector>& vectors) {
  MacroblockSymbols symbols = {static_cast<uint32_t>(vectors.size())};
  for (const CopyVector vector : vectors) {
    for (const int32_t component : {vector.y, vector.x}) {
      const int bits = CopyClass(component);
      symbols.push_back(bits);
      const uint32_t size = static_cast<uint32_t>(std::abs(component));
      if (bits > 1) symbols.push_back(size & ((1u << (bits - 1)) - 1));
    }
    if (vector.x != 0) symbols.push_back(vector.x < 0);
  }
  return symbols;
}

}  // namespace

Result<EncodedTile> EncodeTile(const ImageView& image, const CodecParameters& parameters,
                               const TrainedPatterns* trained, Lambda lambda,
                               MacroblockSearch& search, bool timing,
                               const std::function<bool()>& step, EncodeStats& stats) {
  TileState tile(parameters, image.width, image.height, trained);
  RangeEncoder coder;
  WritePort port(tile.models, coder, stats);
  MacroblockCoder<WritePort> macroblock_coder(tile, port);
  std::optional<CopySearch> copy_search;
  if (parameters.MayCopy()) copy_search.emplace(image);
  MacroblockSymbols symbols;
  EncodeStats before;
  search.AddStats(before);
  for (int y = 0; y < image.height; y += kMacroblockSize) {
    for (int x = 0; x < image.width; x += kMacroblockSize) {
      if (copy_search) {
        symbols = CopySymbols(copy_search->FindNew(tile.copy_vectors, y, x));
        port.Take(symbols);
        macroblock_coder.CodeCopies(y, x);
      }
      const MacroblockSamples original = LoadSamples(image, y, x);
      MMP_RETURN_IF_ERROR(search.Search(tile, lambda, original, y, x, symbols));
      {
        const StageTimer timer(timing, stats.seconds_coding);
        port.Take(symbols);
        macroblock_coder.Code(y, x);
      }
      // No archive shall trust a search, on a device perhaps, that went wrong.
      if (lambda.lossless() && !IsReconstructed(tile, original, y, x)) {
        search.Distrust();
        return Status(StatusCode::kUnavailable, "the search failed: it lost pixels at lambda 0");
      }
      {
        const StageTimer timer(timing, stats.seconds_dictionary);
        macroblock_coder.Learn();
      }
      if (copy_search) copy_search->Add(y, x);
      ++stats.macroblocks;
      if (!step()) return Status(StatusCode::kCancelled, "encoding was cancelled");
    }
  }
  if (parameters.Uses(kWiener)) symbols = ChooseWiener(tile, image, lambda);
  port.Take(symbols);
  macroblock_coder.Finish();
  search.AddStats(stats);
  AddSearchStats(before, -1, stats);
  for (int level = 0; level < kLevelCount; ++level)
    stats.dictionary_size[level] = tile.dictionary.size(level);
  stats.sum_squared_error = ReconstructionError(tile, image);
  return EncodedTile{coder.Finish(), ReconstructionCrc(tile, image.width, image.height)};
}

}  // namespace mmp
