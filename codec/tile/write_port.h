// The port of a FrontCoder that writes symbols to a tile's bytes.
#ifndef MMP_CODEC_TILE_WRITE_PORT_H_
#define MMP_CODEC_TILE_WRITE_PORT_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/symbol_stats.h"
#include "codec/tile/tile_models.h"

namespace mmp {

// The symbols of a macroblock in coding order; those that are the only one allowed are left out.
using MacroblockSymbols = std::vector<uint32_t>;

// Writes the symbols that the search chose and counts what they cost.
class WritePort {
 public:
  WritePort(TileModels& models, RangeEncoder& coder, SymbolStats& stats)
      : models_(models), coder_(coder), stats_(stats) {}

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
  int PartitionByNetwork(const FlagPlace& place, uint32_t allowed) {
    const int flag = Next();
    models_.flags.CodePartition(place, allowed, [&](FlagDecision decision, int probability) {
      return WriteDecision(FlagBit(decision, flag), probability, stats_.partition_bits);
    });
    models_.partition[place.level].CountWithoutContext(flag);
    return flag;
  }
  int ResidualByNetwork(const FlagPlace& place, uint32_t allowed) {
    const int flag = Next();
    models_.flags.CodeResidualFlag(place, allowed, [&](FlagDecision decision, int probability) {
      return WriteDecision(FlagBit(decision, flag), probability, stats_.residual_flag_bits);
    });
    models_.residual_flag[place.level].Update(flag);
    return flag;
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

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = Next();
    bits += model.RateQ12(symbol, allowed) / double{1 << kRateShift};
    model.Encode(coder_, symbol, allowed);
    return symbol;
  }

  // Codes a bit that is 1 with `probability` / kProbabilityUnit; returns it.
  int WriteDecision(int bit, int probability, double& bits) {
    const int of_bit = bit != 0 ? probability : kProbabilityUnit - probability;
    bits += kProbabilityBits - std::log2(of_bit);
    EncodeBit(coder_, bit, static_cast<uint32_t>(probability));
    return bit;
  }

  int WriteBits(int count, double& bits) {
    const int value = Next();
    bits += count;
    coder_.Encode(static_cast<uint32_t>(value), 1, 1u << count);
    return value;
  }

  TileModels& models_;
  RangeEncoder& coder_;
  SymbolStats& stats_;
  const MacroblockSymbols* symbols_ = nullptr;
  size_t position_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_WRITE_PORT_H_
