// The symbols that say how a tile is filtered, and what they cost.
#ifndef MMP_CODEC_ENCODER_FILTER_SYMBOLS_H_
#define MMP_CODEC_ENCODER_FILTER_SYMBOLS_H_

#include <cstdint>

#include "codec/postfilter/wiener_filter.h"
#include "codec/tile/write_port.h"

namespace mmp {

// As CodeWienerChoice takes them; without corrections if those cannot be coded.
MacroblockSymbols FilterSymbols(const WienerChoice& choice, bool has_corrections);

// Bits of all symbols of the choice, and of its corrections alone, q12. They depend on nothing
// else, as a tile has one choice.
int64_t FilterRateQ12(const WienerChoice& choice, bool has_corrections);
int64_t CorrectionsRateQ12(const WienerCorrections& corrections);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_SYMBOLS_H_
