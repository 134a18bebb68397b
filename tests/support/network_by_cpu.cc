#include "tests/support/network_by_cpu.h"

#include <algorithm>
#include <cstddef>

#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_filter.h"

namespace mmp {

std::vector<uint8_t> FilteredByCpu(NetworkRun run, const PredictedTile& tile) {
  std::vector<uint8_t> filtered(tile.pixels, tile.pixels + tile.stride * tile.height);
  const std::vector<uint8_t> all(FilterBlocks(tile.width, tile.height), 1);
  NetworkFilter(StandardNetwork(run.kind), run.level, run.origin).Apply(tile, all, filtered.data());
  return filtered;
}

Status FakeNetworkDevice::Filter(NetworkRun run, const PredictedTile& tile, uint8_t* filtered,
                                 const GoesOn& goes_on) {
  if (goes_on && !goes_on()) return {};
  if (runs_.size() == most_calls_) return {StatusCode::kUnavailable, "broken"};
  runs_.push_back(run);
  std::ranges::copy(FilteredByCpu(run, tile), filtered);
  return {};
}

}  // namespace mmp
