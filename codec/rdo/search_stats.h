// What a search counts and times.
#ifndef MMP_CODEC_RDO_SEARCH_STATS_H_
#define MMP_CODEC_RDO_SEARCH_STATS_H_

#include <array>
#include <cstdint>

#include "codec/base/parameters.h"

namespace mmp {

struct SearchStats {
  int64_t nodes_searched = 0;
  std::array<int64_t, kPredictionModes> mode_searches{};  // residual trees asked for
  std::array<int64_t, kPredictionModes> mode_reused{};    // of these, known from an equal residual
  int64_t blocks_matched = 0;                             // residual blocks compared with patterns
  int64_t multiply_adds = 0;                              // in these comparisons
  // Seconds of thread time by stage, if they are taken.
  double seconds_prediction = 0;
  double seconds_lsp = 0;
  double seconds_matching = 0;
  double seconds_trees = 0;
  double seconds_costs = 0;
  double seconds_device = 0;  // from each macroblock's input to its result

  SearchStats& operator+=(const SearchStats& other) { return Add(other, 1); }
  SearchStats& operator-=(const SearchStats& other) { return Add(other, -1); }

 private:
  SearchStats& Add(const SearchStats& other, int sign) {
    nodes_searched += sign * other.nodes_searched;
    for (int mode = 0; mode < kPredictionModes; ++mode) {
      mode_searches[mode] += sign * other.mode_searches[mode];
      mode_reused[mode] += sign * other.mode_reused[mode];
    }
    blocks_matched += sign * other.blocks_matched;
    multiply_adds += sign * other.multiply_adds;
    seconds_prediction += sign * other.seconds_prediction;
    seconds_lsp += sign * other.seconds_lsp;
    seconds_matching += sign * other.seconds_matching;
    seconds_trees += sign * other.seconds_trees;
    seconds_costs += sign * other.seconds_costs;
    seconds_device += sign * other.seconds_device;
    return *this;
  }
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SEARCH_STATS_H_
