// The search on the CPU: exhaustive over the prediction tree, all modes and all residual trees,
// with exact pruning; its threads share the macroblocks of a front, and where these are too few
// their branches.
#ifndef MMP_CODEC_SEARCH_CPU_SEARCH_H_
#define MMP_CODEC_SEARCH_CPU_SEARCH_H_

#include <memory>

#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/speed_features.h"

namespace mmp {

// If `timing`, the stages are timed for AddStats, which
// costs some speed.
std::unique_ptr<MacroblockSearch> MakeCpuSearch(const SpeedFeatures& speed_features, bool timing);

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_CPU_SEARCH_H_
