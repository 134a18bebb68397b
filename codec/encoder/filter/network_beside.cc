#include "codec/encoder/filter/network_beside.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/postfilter/network_filter.h"

namespace mmp {

NetworkBeside::NetworkBeside(NetworkDevice& device, const TileState& tile,
                             std::vector<NetworkRun> runs, TaskPool& pool, GoesOn goes_on)
    : device_(device),
      tile_(tile),
      runs_(std::move(runs)),
      goes_on_(std::move(goes_on)),
      work_([this](int /*member*/) {
        for (const NetworkRun run : runs_) filtered_.push_back(Filtered(run));
      }),
      beside_(pool, work_) {}

std::vector<uint8_t> NetworkBeside::Filtered(NetworkRun run) {
  if (has_failed_) return {};
  std::vector<uint8_t> filtered = tile_.plane;  // for what the network does not see
  has_failed_ = !device_.Filter(run, tile_.Predicted(), filtered.data(), goes_on_).ok();
  if (has_failed_) filtered.clear();
  return filtered;
}

std::vector<uint8_t> NetworkBeside::Take(NetworkRun run) {
  if (!std::exchange(is_finished_, true)) beside_.Finish();
  const auto found = std::find(runs_.begin(), runs_.end(), run);
  if (found == runs_.end()) return Filtered(run);
  return std::exchange(filtered_[static_cast<size_t>(found - runs_.begin())], {});
}

}  // namespace mmp
