// The port of a FrontCoder that reads symbols from the bytes of a substream of a tile.
#ifndef MMP_CODEC_TILE_READ_PORT_H_
#define MMP_CODEC_TILE_READ_PORT_H_

#include <cstdint>
#include <utility>

#include "codec/base/decode_work.h"
#include "codec/base/levels.h"
#include "codec/base/progress.h"
#include "codec/bitstream/range_coder.h"
#include "codec/pixel/bit_port.h"
#include "codec/pixel/exact_blocks.h"
#include "codec/tile/index_classes.h"
#include "codec/tile/index_context.h"
#include "codec/tile/learnt_later.h"
#include "codec/tile/substreams.h"
#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_state.h"

namespace mmp {

class ReadPort {
 public:
  ReadPort(TileState& tile, int substream, RangeDecoder& coder)
      : tile_(tile), models_(tile.models), substream_(tile.substreams[substream]), coder_(coder) {}

  // What is asked in the middle of exact blocks.
  void SetGoesOn(GoesOn goes_on) { goes_on_ = std::move(goes_on); }
  // Where the next macroblock's symbols go that are learnt later; if null, the models learn them at
  // once.
  void SetLater(LearntSymbols* later) { later_ = later; }
  RangeDecoder& coder() { return coder_; }

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    return models_.partition[rect.level].Decode(coder_, context, allowed);
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return models_.residual_flag[rect.level].Decode(coder_, allowed);
  }
  NetworkFlags& flags() { return substream_.flags; }
  int PartitionByNetwork(BlockRect rect, uint32_t allowed) {
    return flags().CodePartition(rect, allowed, Decisions{coder_});
  }
  int ResidualByNetwork(BlockRect rect, uint32_t allowed) {
    return flags().CodeResidualFlag(rect, allowed, Decisions{coder_});
  }
  int Mode(BlockRect rect, ModeNeighbours neighbours, uint32_t allowed) {
    const int level = rect.level;
    const int mode =
        models_.mode[level].Decode(coder_, substream_.mode_mixers[level], neighbours, allowed);
    Learn({CodedElement::kMode, rect.level, static_cast<uint16_t>(mode)});
    return mode;
  }
  int Index(BlockRect rect, const IndexContext* context) {
    const int level = rect.level;
    const IndexModel& counts = models_.index[level];
    const int index = context == nullptr ? counts.Read(coder_)
                                         : substream_.indices[level].Decode(
                                               coder_, counts, models_.index_classes[level],
                                               StandardIndexClasses(level),
                                               tile_.pattern_features.OfLevel(level), *context);
    Learn({CodedElement::kIndex, rect.level, static_cast<uint16_t>(index)});
    return index;
  }
  int BlockVectorCount() { return models_.block_vector_count.Decode(coder_, kAnyBlockVectorCount); }
  int BlockVectorClass(int axis) {
    return models_.block_vector_class[axis].Decode(coder_, kAnyBlockVectorClass);
  }
  // `count` bits, 1 to 15.
  int BlockVectorBits(int count) { return Bits(count); }
  int Filter(FilterElement element, uint32_t allowed) {
    return models_.filter.of[element].Decode(coder_, allowed);
  }
  int FilterBits(int count) { return Bits(count); }
  ExactBlocks CodedExactBlocks() {
    ExactBlocks blocks(tile_.tile_width, tile_.tile_height);
    BitPort port(coder_);
    CodeExactBlocks(port, blocks, [&](int samples) {
      tile_.work += kExactSampleWork * static_cast<uint64_t>(samples);
      return !coder_.Overrun() && (!goes_on_ || goes_on_());
    });
    return blocks;
  }

 private:
  struct Decisions {
    RangeDecoder& coder;
    int operator()(FlagDecision /*decision*/, int probability) const {
      return DecodeBit(coder, static_cast<uint32_t>(probability));
    }
  };

  void Learn(LearntSymbol symbol) {
    if (later_ == nullptr)
      mmp::Learn(symbol, tile_);
    else
      later_->push_back(symbol);
  }
  int Bits(int count) {
    const uint32_t value = coder_.Target(1u << count);
    coder_.Consume(value, 1);
    return static_cast<int>(value);
  }

  TileState& tile_;
  TileModels& models_;
  SubstreamModels& substream_;
  RangeDecoder& coder_;
  GoesOn goes_on_;
  LearntSymbols* later_ = nullptr;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_READ_PORT_H_
