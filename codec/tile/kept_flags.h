// Flags by network that an encoder keeps, to be coded behind the other symbols.
#ifndef MMP_CODEC_TILE_KEPT_FLAGS_H_
#define MMP_CODEC_TILE_KEPT_FLAGS_H_

#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/tile/syntax_elements.h"

namespace mmp {

// What NetworkFlags is to be told of a macroblock: as its functions, but a flag comes with how many
// symbols of the macroblock the coder has been given before it.
class KeptFlags {
 public:
  void Clear() { elements_.clear(); }
  void BeginMacroblock(MacroblockPlace place) {
    Keep(Kind::kMacroblock, {}, 0, 0, static_cast<uint32_t>(place.y),
         static_cast<uint32_t>(place.x));
  }
  void EndMacroblock() {}
  void AddPartition(BlockRect rect, uint32_t allowed, int flag, uint32_t before) {
    Keep(Kind::kPartition, rect, flag, allowed, before);
  }
  void AddResidualFlag(BlockRect rect, uint32_t allowed, int flag, uint32_t before) {
    Keep(Kind::kResidualFlag, rect, flag, allowed, before);
  }
  void AddMode(BlockRect rect, int mode) { Keep(Kind::kMode, rect, mode); }
  void AddLeaf(BlockRect rect, int32_t norm) {
    Keep(Kind::kLeaf, rect, 0, 0, static_cast<uint32_t>(norm));
  }

 private:
  friend class FlagsBehind;
  enum class Kind : uint8_t { kMacroblock, kPartition, kResidualFlag, kMode, kLeaf };
  // As small as can be, as one core writes it and another reads it.
  struct Element {
    Kind kind;
    uint8_t y, x, level;  // of the block
    uint8_t value;        // a flag or a mode
    uint8_t allowed;      // flags
    // The symbols before a flag; a leaf's norm; where a macroblock begins.
    uint32_t first, second;

    BlockRect rect() const { return {y, x, level}; }
  };
  static_assert(kPartitions <= 8 && kResidualFlags <= 8 && kPredictionModes <= 256);

  void Keep(Kind kind, BlockRect rect, int value, uint32_t allowed = 0, uint32_t first = 0,
            uint32_t second = 0) {
    elements_.push_back({kind, static_cast<uint8_t>(rect.y), static_cast<uint8_t>(rect.x),
                         static_cast<uint8_t>(rect.level), static_cast<uint8_t>(value),
                         static_cast<uint8_t>(allowed), first, second});
  }

  std::vector<Element> elements_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_KEPT_FLAGS_H_
