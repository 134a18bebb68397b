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
#include "codec/bitstream/range_coder.h"
#include "codec/tile/network_flags.h"

namespace mmp {

class FlagsBehind {
 public:
  FlagsBehind(NetworkFlags& flags, RangeEncoder& coder) : flags_(flags), coder_(coder) {}

  // As those of NetworkFlags: keep what it is to be told. A flag's place in the stream is that of
  // the coder's next symbol.
  void BeginMacroblock(MacroblockPlace place) { Keep({.kind = Kind::kMacroblock, .place = place}); }
  void AddPartition(BlockRect rect, uint32_t allowed, int flag) {
    Keep({.kind = Kind::kPartition, .rect = rect, .value = flag, .allowed = allowed});
  }
  void AddResidualFlag(BlockRect rect, uint32_t allowed, int flag) {
    Keep({.kind = Kind::kResidualFlag, .rect = rect, .value = flag, .allowed = allowed});
  }
  void AddMode(BlockRect rect, int mode) {
    Keep({.kind = Kind::kMode, .rect = rect, .value = mode});
  }
  void AddLeaf(BlockRect rect, int64_t norm) {
    Keep({.kind = Kind::kLeaf, .rect = rect, .norm = norm});
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
  struct Element {
    Kind kind;
    BlockRect rect{};
    int32_t value = 0;
    uint32_t allowed = 0;
    MacroblockPlace place{};
    int64_t norm = 0;
    size_t position = 0;  // in the stream
  };

  void Keep(Element element) {
    element.position = coder_.size();
    elements_.push_back(element);
  }
  void CodeOne(const Element& element, Rates& rates);

  NetworkFlags& flags_;
  RangeEncoder& coder_;
  std::vector<Element> elements_, handed_over_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FLAGS_BEHIND_H_
