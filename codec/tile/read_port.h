// The port of a FrontCoder that reads symbols from a tile's bytes.
#ifndef MMP_CODEC_TILE_READ_PORT_H_
#define MMP_CODEC_TILE_READ_PORT_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/index_classes.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/tile_state.h"

namespace mmp {

class ReadPort {
 public:
  ReadPort(TileState& tile, RangeDecoder& coder)
      : models_(tile.models),
        flags_(tile.network_flags),
        features_(tile.pattern_features),
        coder_(coder) {}

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    return models_.partition[rect.level].Decode(coder_, context, allowed);
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return models_.residual_flag[rect.level].Decode(coder_, allowed);
  }
  NetworkFlags& flags() { return flags_; }
  int PartitionByNetwork(BlockRect rect, uint32_t allowed) {
    return flags_.CodePartition(rect, allowed, Decisions{coder_});
  }
  int ResidualByNetwork(BlockRect rect, uint32_t allowed) {
    return flags_.CodeResidualFlag(rect, allowed, Decisions{coder_});
  }
  int Mode(BlockRect rect, ModeNeighbours neighbours, uint32_t allowed) {
    return models_.mode[rect.level].Decode(coder_, neighbours, allowed);
  }
  int Index(BlockRect rect, const IndexContext* context) {
    IndexModel& counts = models_.index[rect.level];
    if (context == nullptr) return counts.Decode(coder_);
    return models_.neighbour_index[rect.level].Decode(
        coder_, counts, StandardIndexClasses(rect.level), features_.OfLevel(rect.level), *context);
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

 private:
  struct Decisions {
    RangeDecoder& coder;
    int operator()(FlagDecision /*decision*/, int probability) const {
      return DecodeBit(coder, static_cast<uint32_t>(probability));
    }
  };

  int Bits(int count) {
    const uint32_t value = coder_.Target(1u << count);
    coder_.Consume(value, 1);
    return static_cast<int>(value);
  }

  TileModels& models_;
  NetworkFlags& flags_;
  const PatternFeatures& features_;
  RangeDecoder& coder_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_READ_PORT_H_
