#include "codec/encoder/filter/network_ahead.h"

#include <utility>

#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_weights.h"

namespace mmp {
namespace {

// Of blocks, in an area: what lies around areas is computed twice, and those of the last fronts
// are left when all has been searched.
constexpr int kMostRows = 4;

PredictedTile Predicted(const TileState& tile) {
  return {tile.plane.data(), tile.prediction.data(), tile.width, tile.height};
}

}  // namespace

NetworkAhead::NetworkAhead(const TileState& tile, const std::vector<int>& levels, int threads)
    : tile_(tile), blocks_(FilterBlocks(tile.width, tile.height), 1) {
  const NetworkWeights& network = StandardNetwork(NetworkSizeOf(tile.parameters));
  for (const int level : levels)
    levels_.push_back(
        {level, NetworkFilter(network, level), std::vector<uint8_t>(tile.plane.size())});
  areas_ = levels_[0].filter.AreasBehind(Predicted(tile), tile.parameters.order, blocks_, threads,
                                         kMostRows);
}

void NetworkAhead::AddFront(int front) {
  size_t ready = ready_;
  while (ready < areas_.size() * levels_.size() && areas_[ready / levels_.size()].front <= front)
    ready += levels_.size();
  ready_ = ready;
}

void NetworkAhead::Work(const GoesOn& goes_on) {
  size_t unit = next_;
  while (unit < ready_) {
    if (!next_.compare_exchange_weak(unit, unit + 1)) continue;
    Level& level = levels_[unit % levels_.size()];
    level.filter.ApplyTo(areas_[unit / levels_.size()].area, Predicted(tile_), blocks_,
                         level.filtered.data(), goes_on);
    unit = next_;
  }
}

std::vector<uint8_t> NetworkAhead::Take(int level) {
  for (Level& of : levels_)
    if (of.level == level) return std::exchange(of.filtered, {});
  return {};
}

}  // namespace mmp
