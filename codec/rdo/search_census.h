// Counts the work of the exhaustive search: how many nodes the prediction tree has when every path
// is walked, and in how many of them each mode is available.
#ifndef MMP_CODEC_RDO_SEARCH_CENSUS_H_
#define MMP_CODEC_RDO_SEARCH_CENSUS_H_

#include <array>
#include <cstdint>

#include "codec/base/parameters.h"

namespace mmp {

struct SearchCensus {
  int64_t macroblocks = 0;
  int64_t nodes = 0;
  std::array<int64_t, kPredictionModes> mode_uses{};
};

// Counts for a tile of width x height pixels. Walks the trees with the codec's own rules.
SearchCensus TakeCensus(const CodecParameters& parameters, int width, int height);

// Ways to segment a residual block of `level`: its sub-blocks of every size.
int64_t CountSubBlocks(int level);

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SEARCH_CENSUS_H_
