#include "codec/encoder/filter/network_ahead.h"

#include <utility>

#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_weights.h"

namespace mmp {
namespace {

// Of blocks, in an area: what lies around areas is computed twice.
constexpr int kMostRows = 4;

}  // namespace

NetworkAhead::NetworkAhead(const TileState& tile, const std::vector<int>& levels, int threads,
                           GoesOn goes_on)
    : tile_(tile), goes_on_(std::move(goes_on)), blocks_(FilterBlocks(tile.width, tile.height), 1) {
  const NetworkWeights& network = StandardNetwork(NetworkSizeOf(tile.parameters));
  for (const int level : levels)
    levels_.push_back(
        {level, NetworkFilter(network, level), std::vector<uint8_t>(tile.plane.size())});
  // Twice as many areas as threads: those of the last fronts are left for the end.
  areas_ = levels_[0].filter.AreasBehind(tile.Predicted(), tile.parameters.order, blocks_,
                                         2 * threads, kMostRows);
}

void NetworkAhead::AddFront(int front) {
  size_t ready = ready_;
  while (ready < areas_.size() * levels_.size() && areas_[ready / levels_.size()].front <= front)
    ready += levels_.size();
  ready_ = ready;
}

void NetworkAhead::Work() {
  size_t unit = next_;
  while (unit < ready_) {
    if (!next_.compare_exchange_weak(unit, unit + 1)) continue;
    Level& level = levels_[unit % levels_.size()];
    level.filter.ApplyTo(areas_[unit / levels_.size()].area, tile_.Predicted(), blocks_,
                         level.filtered.data(), goes_on_);
    unit = next_;
  }
}

void NetworkAhead::RecruitIdle(TaskPool& pool) {
  for (auto recruit = recruits_.begin(); recruit != recruits_.end();) {
    if (recruit->IsDone()) {
      recruit->Finish();
      recruit = recruits_.erase(recruit);
    } else {
      ++recruit;
    }
  }
  const size_t most = static_cast<size_t>(pool.size()) / 2;
  while (recruits_.size() < most && HasWork() && pool.HasIdle())
    recruits_.emplace_back(pool, work_);
}

void NetworkAhead::Finish(TaskPool& pool) {
  pool.OnAll(work_);
  for (WorkBeside<Worker>& recruit : recruits_) recruit.Finish();
  recruits_.clear();
}

std::vector<uint8_t> NetworkAhead::Take(int level) {
  for (Level& of : levels_)
    if (of.level == level) return std::exchange(of.filtered, {});
  return {};
}

}  // namespace mmp
