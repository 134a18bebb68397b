// The port of a FrontCoder that writes symbols to a tile's bytes. Models of different levels know
// nothing of each other, so that what a front's macroblocks say is kept, and then coded level
// beside level; what a search asks nothing of is coded behind the others.
#ifndef MMP_CODEC_TILE_WRITE_PORT_H_
#define MMP_CODEC_TILE_WRITE_PORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/decode_work.h"
#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"
#include "codec/bitstream/range_coder.h"
#include "codec/pixel/bit_port.h"
#include "codec/pixel/exact_blocks.h"
#include "codec/tile/flags_behind.h"
#include "codec/tile/indices_behind.h"
#include "codec/tile/macroblock_writer.h"
#include "codec/tile/substreams.h"
#include "codec/tile/symbol_stats.h"
#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_state.h"

namespace mmp {

// Writes what the search chose and counts what it costs: symbols of blocks once CodeLevel has coded
// them, flags by network and indices by neighbours only once they are handed over.
class WritePort {
 public:
  // `coders`: of the tile's substreams.
  WritePort(TileState& tile, std::span<RangeEncoder> coders, SymbolStats& stats)
      : tile_(tile),
        learns_by_fronts_(tile.parameters.LearnsByFronts()),
        coders_(coders),
        stats_(stats),
        flag_rates_(coders.size()) {
    for (int k = 0; k < substreams(); ++k)
      flags_.emplace_back(k, tile.substreams[k].flags, coders[k]);
    if (tile.parameters.Uses(kNeighbourIndices)) indices_.emplace(tile, coders);
  }

  // The symbols of a front's block vectors, or of the tile's filter, which come next.
  void Take(const MacroblockSymbols& symbols) { symbols_.Begin(symbols); }
  bool AllTaken() const { return symbols_.AllTaken(); }
  int BlockVectorCount() {
    return Write(tile_.models.block_vector_count, kAnyBlockVectorCount, stats_.block_vector_bits);
  }
  int BlockVectorClass(int axis) {
    return Write(tile_.models.block_vector_class[axis], kAnyBlockVectorClass,
                 stats_.block_vector_bits);
  }
  int BlockVectorBits(int count) { return WriteBits(count, stats_.block_vector_bits); }
  int Filter(FilterElement element, uint32_t allowed) {
    return Write(tile_.models.filter.of[element], allowed, stats_.filter_bits);
  }
  int FilterBits(int count) { return WriteBits(count, stats_.filter_bits); }
  // What CodedExactBlocks codes, if the filter's symbols say that there are any.
  void Take(ExactBlocks blocks) { exact_blocks_ = std::move(blocks); }
  ExactBlocks CodedExactBlocks() {
    int64_t rate_q12 = 0;
    BitPort port(coders_.front(), rate_q12);
    CodeExactBlocks(port, exact_blocks_, [&](int samples) {
      tile_.work += kExactSampleWork * static_cast<uint64_t>(samples);
      return true;
    });
    stats_.exact_block_bits += Bits(rate_q12);
    return std::move(exact_blocks_);
  }

  // Begins with so many macroblocks. What was written of those before must have been coded, and
  // handed over.
  void BeginMacroblocks(int count) { front_.Begin(count); }
  // The port of one of them. They may be written side by side.
  MacroblockWriter& Macroblock(int i) { return front_.macroblocks[i].writer; }
  // Where it is, before it is written.
  void Place(int i, MacroblockPlace place) {
    front_.macroblocks[i].substream = SubstreamOf(place, substreams());
  }
  // Ends with them: their symbols are the next of their substreams.
  void EndMacroblocks() {
    for (WrittenMacroblock& macroblock : front_.All())
      macroblock.first_symbol = coders_[macroblock.substream].Reserve(macroblock.writer.size());
  }
  // Codes what they say of blocks of a level. Different levels may be coded by several threads.
  void CodeLevel(int level) {
    LevelSums sums = sums_[level];
    for (const WrittenMacroblock& macroblock : front_.All()) {
      for (const MacroblockWriter::Kept& kept : macroblock.writer.OfLevel(level)) {
        if (kept.element == CodedElement::kIndex) ++sums.leaves;
        if (kept.number == MacroblockWriter::kBehind) {
          Count(level, kept);
          continue;
        }
        const SymbolInterval interval = Code(level, macroblock.substream, kept);
        if (!learns_by_fronts_) Learn(level, kept);
        coders_[macroblock.substream].Fill(macroblock.first_symbol + kept.number, interval);
        sums.rates_q12[static_cast<size_t>(kept.element)] += interval.RateQ12();
        if (kept.element == CodedElement::kMode) ++sums.modes[kept.symbol];
      }
    }
    sums_[level] = sums;
    if (!learns_by_fronts_) return;
    for (const WrittenMacroblock& macroblock : front_.All())
      for (const MacroblockWriter::Kept& kept : macroblock.writer.OfLevel(level))
        if (kept.number != MacroblockWriter::kBehind) Learn(level, kept);
  }
  // Counts what CodeLevel has coded.
  void CountLevels() {
    for (int level = 0; level < kLevelCount; ++level) {
      const LevelSums sums = std::exchange(sums_[level], {});
      const auto [partitions, modes, residual_flags, indices] = sums.rates_q12;
      stats_.partition_bits += Bits(partitions);
      stats_.residual_flag_bits += Bits(residual_flags);
      stats_.mode_bits += Bits(modes);
      CountIndices(level, indices);
      stats_.leaves_by_level[level] += sums.leaves;
      for (int mode = 0; mode < kPredictionModes; ++mode)
        stats_.modes_chosen[mode] += sums.modes[mode];
    }
  }

  // Hands over the front's macroblocks, when the tile has learnt from them; those before must have
  // been coded.
  void HandOver() {
    std::swap(front_, behind_);
    front_.Begin(0);
    if (indices_) indices_->Follow(tile_);
  }
  // What is coded of macroblocks that have been handed over, in so many parts: the flags by network
  // of each substream, and the indices by neighbours of each level above 1x1. Different parts may
  // be coded by several threads, while all of the next front but its handing over is done.
  int PartsBehind() const { return substreams() + (indices_ ? kLevelCount - 1 : 0); }
  static constexpr int kMostPartsBehind = kMostSubstreams + kLevelCount - 1;
  void CodeBehind(int part) {
    const int level = part - substreams() + 1;
    if (level < 1)
      flag_rates_[part].rates = flags_[part].Code(behind_.All());
    else
      index_rates_[level].q12 = indices_->CodeLevel(level, behind_.All());
  }
  // Counts what CodeBehind has coded.
  void CountBehind() {
    for (FlagRates& of_substream : flag_rates_) {
      const FlagsBehind::Rates flags = std::exchange(of_substream.rates, {});
      stats_.partition_bits += Bits(flags.partitions_q12);
      stats_.residual_flag_bits += Bits(flags.residual_flags_q12);
    }
    for (int level = 0; level < kLevelCount; ++level)
      CountIndices(level, std::exchange(index_rates_[level].q12, 0));
  }

 private:
  // The macroblocks of a front that have been written.
  struct WrittenFront {
    std::vector<WrittenMacroblock> macroblocks;  // the first `count` are in use
    int count = 0;

    void Begin(int macroblock_count) {
      count = macroblock_count;
      if (static_cast<int>(macroblocks.size()) < count) macroblocks.resize(count);
    }
    std::span<WrittenMacroblock> All() { return {macroblocks.data(), static_cast<size_t>(count)}; }
  };
  // Of what a part has coded; apart from each other, as several threads code.
  struct alignas(64) Rate {
    int64_t q12 = 0;
  };
  struct alignas(64) FlagRates {
    FlagsBehind::Rates rates;
  };
  // The same, as several code.
  struct alignas(64) LevelSums {
    std::array<int64_t, kCodedElements> rates_q12{};
    std::array<int32_t, kPredictionModes> modes{};
    int32_t leaves = 0;
  };

  void CountIndices(int level, int64_t rate_q12) {
    stats_.index_bits += Bits(rate_q12);
    stats_.index_bits_by_level[level] += Bits(rate_q12);
  }
  static double Bits(int64_t rate_q12) { return static_cast<double>(rate_q12) / (1 << kRateShift); }

  int substreams() const { return static_cast<int>(coders_.size()); }

  SymbolInterval Code(int level, int substream, const MacroblockWriter::Kept& kept) {
    TileModels& models = tile_.models;
    switch (kept.element) {
      case CodedElement::kPartition:
        return models.partition[level].Encode(kept.symbol, kept.context, kept.allowed);
      case CodedElement::kResidualFlag:
        return models.residual_flag[level].Encode(kept.symbol, kept.allowed);
      case CodedElement::kMode:
        return models.mode[level].Encode(tile_.substreams[substream].mode_mixers[level],
                                         kept.symbol, kept.neighbours, kept.allowed);
      case CodedElement::kIndex:
        break;
    }
    return models.index[level].IntervalOf(kept.symbol);
  }
  // Counts a mode or an index that has been coded.
  void Learn(int level, const MacroblockWriter::Kept& kept) {
    if (kept.element == CodedElement::kMode)
      tile_.models.mode[level].Count(kept.symbol);
    else if (kept.element == CodedElement::kIndex)
      tile_.models.index[level].Count(kept.symbol);
  }
  // What is coded behind the others.
  void Count(int level, const MacroblockWriter::Kept& kept) {
    TileModels& models = tile_.models;
    if (kept.element == CodedElement::kPartition)
      models.partition[level].CountWithoutContext(kept.symbol);
    else if (kept.element == CodedElement::kResidualFlag)
      models.residual_flag[level].Update(kept.symbol);
    else
      models.index[level].Count(kept.symbol);
  }

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = symbols_.Next();
    const SymbolInterval interval = model.Encode(symbol, allowed);
    bits += Bits(interval.RateQ12());
    coders_.front().Encode(interval);
    return symbol;
  }

  int WriteBits(int count, double& bits) {
    const int value = symbols_.Next();
    bits += count;
    coders_.front().Encode({static_cast<uint32_t>(value), 1, 1u << count});
    return value;
  }

  TileState& tile_;
  const bool learns_by_fronts_;
  std::span<RangeEncoder> coders_;
  std::vector<FlagsBehind> flags_;        // of substreams
  std::optional<IndicesBehind> indices_;  // with tool kNeighbourIndices
  SymbolStats& stats_;
  WrittenFront front_, behind_;  // behind_ has been handed over
  std::array<LevelSums, kLevelCount> sums_;
  std::vector<FlagRates> flag_rates_;
  std::array<Rate, kLevelCount> index_rates_;
  SymbolReader symbols_;
  ExactBlocks exact_blocks_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_WRITE_PORT_H_
