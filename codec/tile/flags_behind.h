// Flags by network that an encoder codes behind the other symbols: their models, the dearest of
// all, say nothing that a search asks for, so they can be computed beside the next front's search.
#ifndef MMP_CODEC_TILE_FLAGS_BEHIND_H_
#define MMP_CODEC_TILE_FLAGS_BEHIND_H_

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

// What NetworkFlags is to be told of a macroblock: as its functions, but a flag comes with how many
// symbols of the macroblock the coder has been given before it.
class KeptFlags {
 public:
  void Clear() { elements_.clear(); }
  void BeginMacroblock(MacroblockPlace place) {
    Keep(Kind::kMacroblock, {}, 0, 0, static_cast<uint32_t>(place.y),
         static_cast<uint32_t>(place.x));
  }
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

class FlagsBehind {
 public:
  FlagsBehind(NetworkFlags& flags, RangeEncoder& coder) : flags_(flags), coder_(coder) {}

  // What flags cost, in 1/4096 bit.
  struct Rates {
    int64_t partitions_q12 = 0;
    int64_t residual_flags_q12 = 0;
  };
  // Hands over what has been kept of a macroblock, to be coded, and leaves it empty. The first of
  // its symbols that the coder was given has number `first_symbol`. Not while Code runs.
  void HandOver(KeptFlags& kept, size_t first_symbol) {
    if (count_ == handed_over_.size()) handed_over_.emplace_back();
    Macroblock& macroblock = handed_over_[count_++];
    std::swap(macroblock.elements, kept.elements_);
    macroblock.first_symbol = first_symbol;
  }
  // Codes what was handed over, and forgets it. Meanwhile, in another thread, more may be kept and
  // the coder given further symbols.
  Rates Code();

 private:
  using Kind = KeptFlags::Kind;
  using Element = KeptFlags::Element;
  struct Macroblock {
    std::vector<Element> elements;
    size_t first_symbol = 0;
  };

  void CodeOne(const Element& element, size_t first_symbol, Rates& rates);

  NetworkFlags& flags_;
  RangeEncoder& coder_;
  std::vector<Macroblock> handed_over_;  // the first count_ are in use
  size_t count_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FLAGS_BEHIND_H_
