// The search on the CPU: exhaustive over the prediction tree, all modes and all residual trees, with
// exact pruning; its threads share the branches of a macroblock.
#ifndef MMP_CODEC_CPU_SEARCH_H_
#define MMP_CODEC_CPU_SEARCH_H_

#include <memory>

#include "codec/search.h"

namespace mmp {

// What a search may leave out; nothing by default.
struct SearchEffort {
  // If not 0: full residual search of only so many modes a node, those with the least sum of absolute
  // transformed differences and rate.
  int modes_searched = 0;
  // Prediction nodes have at least this many pixels in their shorter side.
  int thinnest_prediction = 1;

  static SearchEffort Of(Preset preset);
};

// `threads` >= 1 work on each macroblock. If `timing`, the stages are timed for AddStats, which costs
// some speed.
std::unique_ptr<MacroblockSearch> MakeCpuSearch(const SearchEffort& effort, int threads,
                                                bool timing);

}  // namespace mmp

#endif  // MMP_CODEC_CPU_SEARCH_H_
