// Flags by network that an encoder codes behind the other symbols: their models, the dearest of
// all, say nothing that a search asks for, so they can be computed beside the next front's search.
#ifndef MMP_CODEC_TILE_FLAGS_BEHIND_H_
#define MMP_CODEC_TILE_FLAGS_BEHIND_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/network_flags.h"
#include "codec/tile/syntax_elements.h"
#include "mmp/types.h"

namespace mmp {

class FlagsBehind {
 public:
  FlagsBehind(NetworkFlags& flags, RangeEncoder& coder) : flags_(flags), coder_(coder) {}

  // As those of NetworkFlags: keep what it is to be told. A flag's place in the stream is that of
  // the coder's next symbol.
  void BeginMacroblock(MacroblockPlace place) {
    Keep(Kind::kMacroblock, {}, 0, 0, static_cast<size_t>(place.y), static_cast<size_t>(place.x));
  }
  void AddPartition(BlockRect rect, uint32_t allowed, int flag) {
    Keep(Kind::kPartition, rect, flag, allowed, coder_.size());
  }
  void AddResidualFlag(BlockRect rect, uint32_t allowed, int flag) {
    Keep(Kind::kResidualFlag, rect, flag, allowed, coder_.size());
  }
  void AddMode(BlockRect rect, int mode) { Keep(Kind::kMode, rect, mode); }
  void AddLeaf(BlockRect rect, int32_t norm) {
    Keep(Kind::kLeaf, rect, 0, 0, static_cast<size_t>(norm));
  }

  // What flags cost, in 1/4096 bit.
  struct Rates {
    int64_t partitions_q12 = 0;
    int64_t residual_flags_q12 = 0;
  };
  // Hands over what has been kept, to be coded; called when what was handed over before has been.
  void HandOver() {
    assert(handed_over_.empty());
    std::swap(elements_, handed_over_);
  }
  // Codes what was handed over, and forgets it. Meanwhile, in another thread, more may be kept and
  // the coder given further symbols.
  Rates Code();

 private:
  enum class Kind : uint8_t { kMacroblock, kPartition, kResidualFlag, kMode, kLeaf };
  // As small as can be, as one core writes it and another reads it.
  struct Element {
    Kind kind;
    uint8_t y, x, level;  // of the block
    uint8_t value;        // a flag or a mode
    uint8_t allowed;      // flags
    // A flag's place in the stream; a leaf's norm; where a macroblock begins.
    uint32_t first, second;

    BlockRect rect() const { return {y, x, level}; }
  };
  static_assert(kPartitions <= 8 && kResidualFlags <= 8 && kPredictionModes <= 256);
  // Beside flags a tile has at most two symbols a pixel, and some of its block vectors and filter.
  static_assert(kMaxTilePixels <= UINT32_MAX / 3);

  void Keep(Kind kind, BlockRect rect, int value, uint32_t allowed = 0, size_t first = 0,
            size_t second = 0) {
    elements_.push_back({kind, static_cast<uint8_t>(rect.y), static_cast<uint8_t>(rect.x),
                         static_cast<uint8_t>(rect.level), static_cast<uint8_t>(value),
                         static_cast<uint8_t>(allowed), static_cast<uint32_t>(first),
                         static_cast<uint32_t>(second)});
  }
  void CodeOne(const Element& element, Rates& rates);

  NetworkFlags& flags_;
  RangeEncoder& coder_;
  std::vector<Element> elements_, handed_over_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FLAGS_BEHIND_H_
