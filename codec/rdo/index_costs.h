// The costs of a level's indices, with SIMD.
#ifndef MMP_CODEC_RDO_INDEX_COSTS_H_
#define MMP_CODEC_RDO_INDEX_COSTS_H_

#include <cstdint>

#include "codec/rdo/symbol_costs.h"

namespace mmp {

// costs[i] = lambda.Cost(log2_total - Log2Q12(counts[i])) for i in [0, size), where log2_total is
// at least each logarithm and counts are in [1, 2^24). Returns the least of costs[1], costs[2],
// ..., kImpossible if there are none.
int32_t IndexCosts(const uint32_t* counts, int32_t log2_total, Lambda lambda, int size,
                   int32_t* costs);

}  // namespace mmp

#endif  // MMP_CODEC_RDO_INDEX_COSTS_H_
