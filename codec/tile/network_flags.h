// The partitions and residual flags of a tile whose models begin with a trained network: these
// models, and what is around a block that they look at. Normative: docs/format-flags.md.
#ifndef MMP_CODEC_TILE_NETWORK_FLAGS_H_
#define MMP_CODEC_TILE_NETWORK_FLAGS_H_

#include <bit>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/tile/contexts.h"
#include "codec/tile/flag_models.h"
#include "codec/tile/surroundings.h"

namespace mmp {

// What is around the blocks of a tile.
struct FlagMaps {
  // Of a tile whose sides are whole macroblocks. `pattern_scale`: CodecParameters::pattern_scale.
  FlagMaps(int width, int height, uint8_t pattern_scale)
      : leaves(width, height), surroundings(width, height, pattern_scale) {}
  // Become those of another tile.
  void Restart(int width, int height, uint8_t pattern_scale) {
    leaves.Restart(width, height);
    surroundings.Restart(width, height, pattern_scale);
  }

  LeafMap leaves;
  SurroundingMap surroundings;
};

// It is told of all elements of a tile's macroblocks, in their order, or of those of a substream.
class NetworkFlags {
 public:
  // `maps`: of the tile; those of other substreams may use them for other macroblocks of a front.
  explicit NetworkFlags(FlagMaps& maps) : leaves_(&maps.leaves), surroundings_(maps.surroundings) {}
  // Another tile begins.
  void Restart() {
    surroundings_.Restart();
    models_ = {};
  }

  // The next elements are of the macroblock at `place`.
  void BeginMacroblock(MacroblockPlace place) {
    place_ = place;
    surroundings_.BeginMacroblock(place);
  }
  // Its last element has been coded.
  void EndMacroblock() { surroundings_.EndMacroblock(); }
  // Codes the partition of `rect`, one of `allowed`, and returns it; if these are several, by
  // decisions: bit(decision, p) as FlagModels has it.
  template <typename Bit>
  int CodePartition(BlockRect rect, uint32_t allowed, Bit bit) {
    const int flag = std::has_single_bit(allowed)
                         ? std::countr_zero(allowed)
                         : models_.CodePartition(
                               PlaceOf(rect, surroundings_.PartitionFeatures(rect)), allowed, bit);
    surroundings_.AddPartition(rect, flag);
    return flag;
  }
  // The same of a residual flag.
  template <typename Bit>
  int CodeResidualFlag(BlockRect rect, uint32_t allowed, Bit bit) {
    const int flag =
        std::has_single_bit(allowed)
            ? std::countr_zero(allowed)
            : models_.CodeResidualFlag(PlaceOf(rect, surroundings_.ResidualFlagFeatures(rect)),
                                       allowed, bit);
    surroundings_.AddResidualFlag(rect, flag);
    return flag;
  }
  void AddMode(BlockRect rect, int mode) { surroundings_.AddMode(rect, mode); }
  // `norm`: the sum of the pattern's squares.
  void AddLeaf(BlockRect rect, int64_t norm) {
    leaves_->Add(place_.y + rect.y, place_.x + rect.x, rect.level);
    surroundings_.AddLeaf(rect, norm);
  }

 private:
  // As long as `features` lives.
  FlagPlace PlaceOf(BlockRect rect, const FlagFeatures& features) const {
    return {rect.level, leaves_->Context(place_.y + rect.y, place_.x + rect.x, rect.level),
            features};
  }

  LeafMap* leaves_;
  Surroundings surroundings_;
  FlagModels models_;
  MacroblockPlace place_{};
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_NETWORK_FLAGS_H_
