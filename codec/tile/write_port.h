// The port of a FrontCoder that writes symbols to a tile's bytes.
#ifndef MMP_CODEC_TILE_WRITE_PORT_H_
#define MMP_CODEC_TILE_WRITE_PORT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/flags_behind.h"
#include "codec/tile/symbol_stats.h"
#include "codec/tile/tile_state.h"

namespace mmp {

// The symbols of a macroblock in coding order; those that are the only one allowed are left out.
using MacroblockSymbols = std::vector<uint32_t>;

// Writes the symbols that the search chose and counts what they cost; flags by network only once
// they are handed over.
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
    ContextModel<kPartitions>& model = models_.partition[rect.level];
    const int flag = Next();
    stats_.partition_bits += model.RateQ12(flag, context, allowed) / double{1 << kRateShift};
    model.Encode(coder_, flag, context, allowed);
    return flag;
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Write(models_.residual_flag[rect.level], allowed, stats_.residual_flag_bits);
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
    stats_.partition_bits += static_cast<double>(rates.partitions_q12) / (1 << kRateShift);
    stats_.residual_flag_bits += static_cast<double>(rates.residual_flags_q12) / (1 << kRateShift);
  }
  int Mode(BlockRect rect, uint32_t allowed) {
    const int mode = Write(models_.mode[rect.level], allowed, stats_.mode_bits);
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
    const int index = Next();
    const int32_t rate_q12 = models_.index[rect.level].Encode(coder_, index);
    const double bits = rate_q12 / double{1 << kRateShift};
    stats_.index_bits += bits;
    stats_.index_bits_by_level[rect.level] += bits;
    ++stats_.leaves_by_level[rect.level];
    return index;
  }

 private:
  int Next() { return static_cast<int>((*symbols_)[position_++]); }
  int NextOf(uint32_t allowed) {
    return std::has_single_bit(allowed) ? std::countr_zero(allowed) : Next();
  }

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = Next();
    bits += model.RateQ12(symbol, allowed) / double{1 << kRateShift};
    model.Encode(coder_, symbol, allowed);
    return symbol;
  }

  int WriteBits(int count, double& bits) {
    const int value = Next();
    bits += count;
    coder_.Encode(static_cast<uint32_t>(value), 1, 1u << count);
    return value;
  }

  TileModels& models_;
  RangeEncoder& coder_;
  FlagsBehind flags_;
  SymbolStats& stats_;
  const MacroblockSymbols* symbols_ = nullptr;
  size_t position_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_WRITE_PORT_H_
