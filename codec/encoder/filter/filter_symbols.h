// The symbols that say how a tile is filtered, and what they cost.
#ifndef MMP_CODEC_ENCODER_FILTER_FILTER_SYMBOLS_H_
#define MMP_CODEC_ENCODER_FILTER_FILTER_SYMBOLS_H_

#include <cstdint>

#include "codec/base/fixed_log2.h"
#include "codec/base/lambda.h"
#include "codec/base/parameters.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/tile_models.h"
#include "codec/tile/write_port.h"

namespace mmp {

// What a rate counts beside squared errors.
inline int64_t Price(Lambda lambda, int64_t rate_q12) {
  return lambda.q8 * rate_q12 >> (8 + kRateShift);
}

// As CodeFilterChoice takes them; without what the tools do not have.
MacroblockSymbols FilterSymbols(const FilterChoice& choice, const CodecParameters& parameters);

// Bits of all symbols of the choice, and of its corrections alone, q12. They depend on nothing
// else, as a tile has one choice.
int64_t FilterRateQ12(const FilterChoice& choice, const CodecParameters& parameters);
int64_t CorrectionsRateQ12(const WienerCorrections& corrections, WienerBase base);
int64_t JpegLatticeRateQ12(const JpegLattice& lattice);
// Of a map of levels, by models that are updated.
int64_t LevelMapRateQ12(const LevelMap& map, FilterModels& models);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_FILTER_SYMBOLS_H_
