// The size of the exhaustive search: how many nodes the prediction tree has when every path is
// walked, and in how many of them each mode is available.
#ifndef MMP_CODEC_CENSUS_H_
#define MMP_CODEC_CENSUS_H_

#include <array>
#include <cstdint>

#include "codec/parameters.h"

namespace mmp {

struct SearchCensus {
  int64_t macroblocks = 0;
  int64_t nodes = 0;
  std::array<int64_t, kPredictionModes> mode_uses{};
};

// Of a tile of width x height pixels. Walks the trees with the codec's own rules.
SearchCensus TakeCensus(const CodecParameters& parameters, int width, int height);

// Ways to segment a residual block of `level`: its partitions of every size.
int64_t CountPartitions(int level);

}  // namespace mmp

#endif  // MMP_CODEC_CENSUS_H_
