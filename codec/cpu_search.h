// The search on the CPU: exhaustive over the prediction tree, all modes and all residual trees,
// with exact pruning; its threads share the branches of a macroblock.
#ifndef MMP_CODEC_CPU_SEARCH_H_
#define MMP_CODEC_CPU_SEARCH_H_

#include <algorithm>
#include <memory>

#include "codec/search.h"
#include "codec/search_rates.h"

namespace mmp {

// What a search may leave out; nothing by default. Every rule looks at the block and the rates
// only, so that the choice does not depend on the order of the search.
struct SearchEffort {
  // If not 0: residual trees are searched for only so many modes of a node, those of least SATD
  // plus rate.
  int modes_searched = 0;
  // Prediction nodes have at least this many pixels in their shorter side.
  int thinnest_prediction = 1;
  // A residual block is not split if its best pattern costs at most 1 + this / 16 times what is
  // certain that the split costs.
  int residual_slack_q4 = 0;
  // A prediction node that is best coded whole, by one pattern, is not split if it costs less than
  // this / 16 times the cheapest tree with a pattern that is not zero.
  int prediction_slack_q4 = 0;

  // What a leaf of one pattern must cost less than, not to be split; `least_other`: the cheapest
  // tree with a pattern that is not zero.
  int32_t GoodEnough(int32_t least_other) const {
    return static_cast<int32_t>(
        std::min<int64_t>(int64_t{least_other} * prediction_slack_q4 >> 4, kImpossible));
  }

  static SearchEffort Of(Preset preset);
};

// `threads` >= 1 work on each macroblock. If `timing`, the stages are timed for AddStats, which
// costs some speed.
std::unique_ptr<MacroblockSearch> MakeCpuSearch(const SearchEffort& effort, int threads,
                                                bool timing);

}  // namespace mmp

#endif  // MMP_CODEC_CPU_SEARCH_H_
