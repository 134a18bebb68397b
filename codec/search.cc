#include "codec/search.h"

namespace mmp {

void AddSearchStats(const EncodeStats& from, int sign, EncodeStats& to) {
  to.nodes_searched += sign * from.nodes_searched;
  for (int mode = 0; mode < kModes; ++mode) {
    to.mode_searches[mode] += sign * from.mode_searches[mode];
    to.mode_reused[mode] += sign * from.mode_reused[mode];
  }
  to.partitions_matched += sign * from.partitions_matched;
  to.multiply_adds += sign * from.multiply_adds;
  to.seconds_prediction += sign * from.seconds_prediction;
  to.seconds_lsp += sign * from.seconds_lsp;
  to.seconds_matching += sign * from.seconds_matching;
  to.seconds_trees += sign * from.seconds_trees;
  to.seconds_prices += sign * from.seconds_prices;
  to.seconds_device += sign * from.seconds_device;
}

}  // namespace mmp
