// The port of a FrontCoder that writes symbols to a tile's bytes. Models of different levels know
// nothing of each other, so that what a front says of blocks is kept, and then coded level beside
// level.
#ifndef MMP_CODEC_TILE_WRITE_PORT_H_
#define MMP_CODEC_TILE_WRITE_PORT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/flags_behind.h"
#include "codec/tile/symbol_stats.h"
#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_state.h"

namespace mmp {

// The symbols of a macroblock in coding order; those that are the only one allowed are left out.
using MacroblockSymbols = std::vector<uint32_t>;

// Writes the symbols that the search chose and counts what they cost: those of blocks once
// CodeLevel has coded them, flags by network only once they are handed over.
class WritePort {
 public:
  WritePort(TileState& tile, RangeEncoder& coder, SymbolStats& stats)
      : models_(tile.models), coder_(coder), flags_(tile.network_flags, coder), stats_(stats) {}

  void Take(const MacroblockSymbols& symbols) {
    symbols_ = &symbols;
    position_ = 0;
  }
  bool AllTaken() const { return position_ == symbols_->size(); }

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    return Keep(CodedElement::kPartition, rect, allowed, context);
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Keep(CodedElement::kResidualFlag, rect, allowed);
  }
  FlagsBehind& flags() { return flags_; }
  int PartitionByNetwork(BlockRect rect, uint32_t allowed) {
    const int flag = NextOf(allowed);
    if (!std::has_single_bit(allowed)) models_.partition[rect.level].CountWithoutContext(flag);
    flags_.AddPartition(rect, allowed, flag);
    return flag;
  }
  int ResidualByNetwork(BlockRect rect, uint32_t allowed) {
    const int flag = NextOf(allowed);
    if (!std::has_single_bit(allowed)) models_.residual_flag[rect.level].Update(flag);
    flags_.AddResidualFlag(rect, allowed, flag);
    return flag;
  }
  // Hands over the flags by network of all that has been written since the last call, for
  // flags().Code(); the flags before must have been coded.
  void HandOverFlags() { flags_.HandOver(); }
  // Counts what they cost.
  void CountFlags(const FlagsBehind::Rates& rates) {
    stats_.partition_bits += Bits(rates.partitions_q12);
    stats_.residual_flag_bits += Bits(rates.residual_flags_q12);
  }
  int Mode(BlockRect rect, uint32_t allowed) {
    const int mode = Keep(CodedElement::kMode, rect, allowed);
    ++stats_.modes_chosen[mode];
    return mode;
  }
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
  int Index(BlockRect rect) {
    ++stats_.leaves_by_level[rect.level];
    return Keep(CodedElement::kIndex, rect);
  }

  // Codes what has been written of blocks of a level since the last call. Different levels may be
  // coded by several threads, while nothing is written.
  void CodeLevel(int level) {
    LevelSymbols& symbols = levels_[level];
    Rates rates = symbols.rates_q12;
    for (const KeptSymbol& kept : symbols.kept) {
      const SymbolInterval interval = CodeKept(level, kept);
      coder_.Fill(kept.number, interval);
      rates[static_cast<size_t>(kept.element)] += interval.RateQ12();
    }
    symbols.rates_q12 = rates;
    symbols.kept.clear();
  }
  // Counts what the symbols cost that CodeLevel has coded.
  void CountLevels() {
    for (int level = 0; level < kLevelCount; ++level) {
      const auto [partitions, modes, residual_flags, indices] =
          std::exchange(levels_[level].rates_q12, {});
      stats_.partition_bits += Bits(partitions);
      stats_.residual_flag_bits += Bits(residual_flags);
      stats_.mode_bits += Bits(modes);
      stats_.index_bits += Bits(indices);
      stats_.index_bits_by_level[level] += Bits(indices);
    }
  }

 private:
  using Rates = std::array<int64_t, kCodedElements>;
  struct KeptSymbol {
    size_t number;  // the coder's
    uint32_t allowed;
    uint16_t symbol;
    CodedElement element;
    uint8_t context;
  };
  // Apart from each other, as several threads code.
  struct alignas(64) LevelSymbols {
    std::vector<KeptSymbol> kept;
    Rates rates_q12{};  // of those that have been coded and not counted
  };

  static double Bits(int64_t rate_q12) { return static_cast<double>(rate_q12) / (1 << kRateShift); }
  int Next() { return static_cast<int>((*symbols_)[position_++]); }
  int NextOf(uint32_t allowed) {
    return std::has_single_bit(allowed) ? std::countr_zero(allowed) : Next();
  }

  int Keep(CodedElement element, BlockRect rect, uint32_t allowed = 0, int context = 0) {
    static_assert(IndexModel::kMostSymbols <= 1 << 16);
    const int symbol = Next();
    levels_[rect.level].kept.push_back({coder_.Reserve(), allowed, static_cast<uint16_t>(symbol),
                                        element, static_cast<uint8_t>(context)});
    return symbol;
  }
  SymbolInterval CodeKept(int level, const KeptSymbol& kept) {
    switch (kept.element) {
      case CodedElement::kPartition:
        return models_.partition[level].Encode(kept.symbol, kept.context, kept.allowed);
      case CodedElement::kResidualFlag:
        return models_.residual_flag[level].Encode(kept.symbol, kept.allowed);
      case CodedElement::kMode:
        return models_.mode[level].Encode(kept.symbol, kept.allowed);
      case CodedElement::kIndex:
        break;
    }
    return models_.index[level].Encode(kept.symbol);
  }

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = Next();
    const SymbolInterval interval = model.Encode(symbol, allowed);
    bits += Bits(interval.RateQ12());
    coder_.Encode(interval);
    return symbol;
  }

  int WriteBits(int count, double& bits) {
    const int value = Next();
    bits += count;
    coder_.Encode({static_cast<uint32_t>(value), 1, 1u << count});
    return value;
  }

  TileModels& models_;
  RangeEncoder& coder_;
  FlagsBehind flags_;
  SymbolStats& stats_;
  std::array<LevelSymbols, kLevelCount> levels_;
  const MacroblockSymbols* symbols_ = nullptr;
  size_t position_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_WRITE_PORT_H_
