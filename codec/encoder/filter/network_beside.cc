#include "codec/encoder/filter/network_beside.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/postfilter/network_filter.h"

namespace mmp {

NetworkBeside::NetworkBeside(NetworkDevice& device, const TileState& tile, std::vector<int> levels,
                             TaskPool& pool, GoesOn goes_on)
    : device_(device),
      tile_(tile),
      levels_(std::move(levels)),
      goes_on_(std::move(goes_on)),
      work_([this](int /*member*/) {
        for (const int level : levels_) filtered_.push_back(Filtered(level));
      }),
      beside_(pool, work_) {}

std::vector<uint8_t> NetworkBeside::Filtered(int level) {
  if (has_failed_) return {};
  std::vector<uint8_t> filtered(tile_.plane.size());
  has_failed_ = !device_
                     .Filter(NetworkSizeOf(tile_.parameters), level, tile_.Predicted(),
                             filtered.data(), goes_on_)
                     .ok();
  if (has_failed_) filtered.clear();
  return filtered;
}

std::vector<uint8_t> NetworkBeside::Take(int level) {
  if (!std::exchange(is_finished_, true)) beside_.Finish();
  const auto found = std::find(levels_.begin(), levels_.end(), level);
  if (found == levels_.end()) return Filtered(level);
  return std::exchange(filtered_[static_cast<size_t>(found - levels_.begin())], {});
}

}  // namespace mmp
