// Flags by network that an encoder codes behind the other symbols: their models, the dearest of
// all, say nothing that a search asks for, so they can be computed beside the next front's search.
#ifndef MMP_CODEC_TILE_FLAGS_BEHIND_H_
#define MMP_CODEC_TILE_FLAGS_BEHIND_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/bitstream/range_coder.h"
#include "codec/tile/kept_flags.h"
#include "codec/tile/macroblock_writer.h"
#include "codec/tile/network_flags.h"

namespace mmp {

class FlagsBehind {
 public:
  // Of a substream; `coder` is its own.
  FlagsBehind(int substream, NetworkFlags& flags, RangeEncoder& coder)
      : substream_(substream), flags_(&flags), coder_(&coder) {}

  // What flags cost, in 1/4096 bit.
  struct Rates {
    int64_t partitions_q12 = 0;
    int64_t residual_flags_q12 = 0;
  };
  // Codes those of the next macroblocks, as far as they are of the substream. Meanwhile another
  // thread may give the coder further symbols.
  Rates Code(std::span<const WrittenMacroblock> macroblocks);

 private:
  using Kind = KeptFlags::Kind;
  using Element = KeptFlags::Element;

  void CodeOne(const Element& element, size_t first_symbol, Rates& rates);

  int substream_;
  NetworkFlags* flags_;
  RangeEncoder* coder_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FLAGS_BEHIND_H_
