// The port of a FrontCoder that writes symbols to a tile's bytes. Models of different levels know
// nothing of each other, so that what a front's macroblocks say is kept, and then coded level
// beside level.
#ifndef MMP_CODEC_TILE_WRITE_PORT_H_
#define MMP_CODEC_TILE_WRITE_PORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/flags_behind.h"
#include "codec/tile/index_context.h"
#include "codec/tile/macroblock_writer.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/symbol_stats.h"
#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_state.h"

namespace mmp {

// Writes what the search chose and counts what it costs: symbols of blocks once CodeLevel has coded
// them, flags by network only once they are handed over.
class WritePort {
 public:
  WritePort(TileState& tile, RangeEncoder& coder, SymbolStats& stats)
      : models_(tile.models),
        features_(tile.pattern_features),
        coder_(coder),
        flags_(tile.network_flags, coder),
        stats_(stats) {}

  // The symbols of a front's block vectors, or of the tile's filter, which come next.
  void Take(const MacroblockSymbols& symbols) { symbols_.Begin(symbols); }
  bool AllTaken() const { return symbols_.AllTaken(); }
  int BlockVectorCount() {
    return Write(models_.block_vector_count, kAnyBlockVectorCount, stats_.block_vector_bits);
  }
  int BlockVectorClass(int axis) {
    return Write(models_.block_vector_class[axis], kAnyBlockVectorClass, stats_.block_vector_bits);
  }
  int BlockVectorBits(int count) { return WriteBits(count, stats_.block_vector_bits); }
  int Filter(FilterElement element, uint32_t allowed) {
    return Write(models_.filter.of[element], allowed, stats_.filter_bits);
  }
  int FilterBits(int count) { return WriteBits(count, stats_.filter_bits); }

  // Begins with so many macroblocks. What was written of those before must have been coded, and
  // their flags by network handed over.
  void BeginMacroblocks(int count) {
    if (static_cast<int>(macroblocks_.size()) < count) macroblocks_.resize(count);
    count_ = count;
  }
  // The port of one of them. They may be written side by side.
  MacroblockWriter& Macroblock(int i) { return macroblocks_[i].writer; }
  // Ends with them: their symbols are the coder's next.
  void EndMacroblocks() {
    for (Written& macroblock : Macroblocks())
      macroblock.first_symbol = coder_.Reserve(macroblock.writer.size());
  }
  // Codes what they say of blocks of a level. Different levels may be coded by several threads.
  void CodeLevel(int level) {
    LevelSums sums = sums_[level];
    for (const Written& macroblock : Macroblocks()) {
      const std::span<const IndexContext> contexts = macroblock.writer.ContextsOfLevel(level);
      const IndexContext* context = contexts.empty() ? nullptr : contexts.data();
      for (const MacroblockWriter::Kept& kept : macroblock.writer.OfLevel(level)) {
        if (kept.number == MacroblockWriter::kByNetwork) {
          CountFlag(level, kept);
          continue;
        }
        const SymbolInterval interval = Code(level, kept, context);
        coder_.Fill(macroblock.first_symbol + kept.number, interval);
        sums.rates_q12[static_cast<size_t>(kept.element)] += interval.RateQ12();
        if (kept.element == CodedElement::kMode) ++sums.modes[kept.symbol];
        if (kept.element == CodedElement::kIndex) ++sums.leaves;
      }
    }
    sums_[level] = sums;
  }
  // Counts what CodeLevel has coded.
  void CountLevels() {
    for (int level = 0; level < kLevelCount; ++level) {
      const LevelSums sums = std::exchange(sums_[level], {});
      const auto [partitions, modes, residual_flags, indices] = sums.rates_q12;
      stats_.partition_bits += Bits(partitions);
      stats_.residual_flag_bits += Bits(residual_flags);
      stats_.mode_bits += Bits(modes);
      stats_.index_bits += Bits(indices);
      stats_.index_bits_by_level[level] += Bits(indices);
      stats_.leaves_by_level[level] += sums.leaves;
      for (int mode = 0; mode < kPredictionModes; ++mode)
        stats_.modes_chosen[mode] += sums.modes[mode];
    }
  }

  FlagsBehind& flags() { return flags_; }
  // Hands over their flags by network, for flags().Code(); those before must have been coded.
  void HandOverFlags() {
    for (Written& macroblock : Macroblocks())
      flags_.HandOver(macroblock.writer.flags(), macroblock.first_symbol);
  }
  // Counts what flags by network cost.
  void CountFlags(const FlagsBehind::Rates& rates) {
    stats_.partition_bits += Bits(rates.partitions_q12);
    stats_.residual_flag_bits += Bits(rates.residual_flags_q12);
  }

 private:
  // Apart from each other, as several threads write.
  struct alignas(64) Written {
    MacroblockWriter writer;
    size_t first_symbol = 0;  // its number
  };
  // The same, as several code.
  struct alignas(64) LevelSums {
    std::array<int64_t, kCodedElements> rates_q12{};
    std::array<int32_t, kPredictionModes> modes{};
    int32_t leaves = 0;
  };

  std::span<Written> Macroblocks() { return {macroblocks_.data(), static_cast<size_t>(count_)}; }
  static double Bits(int64_t rate_q12) { return static_cast<double>(rate_q12) / (1 << kRateShift); }

  // `context`: of the next index, if there are contexts.
  SymbolInterval Code(int level, const MacroblockWriter::Kept& kept, const IndexContext*& context) {
    switch (kept.element) {
      case CodedElement::kPartition:
        return models_.partition[level].Encode(kept.symbol, kept.context, kept.allowed);
      case CodedElement::kResidualFlag:
        return models_.residual_flag[level].Encode(kept.symbol, kept.allowed);
      case CodedElement::kMode:
        return models_.mode[level].Encode(kept.symbol, kept.neighbours, kept.allowed);
      case CodedElement::kIndex:
        break;
    }
    if (context == nullptr) return models_.index[level].Encode(kept.symbol);
    return models_.neighbour_index[level].Encode(models_.index[level], features_.Groups(level),
                                                 *context++, kept.symbol);
  }
  void CountFlag(int level, const MacroblockWriter::Kept& kept) {
    if (kept.element == CodedElement::kPartition)
      models_.partition[level].CountWithoutContext(kept.symbol);
    else
      models_.residual_flag[level].Update(kept.symbol);
  }

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = symbols_.Next();
    const SymbolInterval interval = model.Encode(symbol, allowed);
    bits += Bits(interval.RateQ12());
    coder_.Encode(interval);
    return symbol;
  }

  int WriteBits(int count, double& bits) {
    const int value = symbols_.Next();
    bits += count;
    coder_.Encode({static_cast<uint32_t>(value), 1, 1u << count});
    return value;
  }

  TileModels& models_;
  const PatternFeatures& features_;
  RangeEncoder& coder_;
  FlagsBehind flags_;
  SymbolStats& stats_;
  std::vector<Written> macroblocks_;  // the first count_ are in use
  int count_ = 0;
  std::array<LevelSums, kLevelCount> sums_;
  SymbolReader symbols_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_WRITE_PORT_H_
