// What the network makes of a tile at the levels of noise that are tried in any case: computed area
// by area, while later fronts are searched elsewhere.
#ifndef MMP_CODEC_ENCODER_FILTER_NETWORK_AHEAD_H_
#define MMP_CODEC_ENCODER_FILTER_NETWORK_AHEAD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/progress.h"
#include "codec/postfilter/network_filter.h"
#include "codec/tile/tile_state.h"

namespace mmp {

class NetworkAhead {
 public:
  // For work by so many threads. The tile, whose files have the network, must last.
  NetworkAhead(const TileState& tile, const std::vector<int>& levels, int threads);

  // All fronts up to number `front`, counted from 0, have been reconstructed. For one thread.
  void AddFront(int front);
  // Whether an area waits to be filtered.
  bool HasWork() const { return next_ < ready_; }
  // Filters areas until none waits; for any number of threads. Asks `goes_on` as NetworkFilter
  // does; if it says no, what Take gives means nothing.
  void Work(const GoesOn& goes_on);
  // Once all fronts have been added and all threads have returned from Work: the tile's filtered
  // plane at this level; empty if it is not one of them, or was taken already.
  std::vector<uint8_t> Take(int level);

 private:
  struct Level {
    int level;
    NetworkFilter filter;
    std::vector<uint8_t> filtered;
  };

  const TileState& tile_;
  const std::vector<uint8_t> blocks_;  // all
  std::vector<Level> levels_;
  std::vector<NetworkFilter::AreaBehind> areas_;
  // In units of work, which are the levels of each area.
  std::atomic<size_t> next_{0}, ready_{0};
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_NETWORK_AHEAD_H_
