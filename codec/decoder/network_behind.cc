#include "codec/decoder/network_behind.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_weights.h"

namespace mmp {
namespace {

// Of blocks, in an area: what lies around areas is computed twice, and the lowest ones are left
// when all has been parsed.
constexpr int kMostRows = 8;

}  // namespace

NetworkBehind::NetworkBehind(const NetworkChoice& choice, TileState& tile, int threads)
    : blocks_(choice.blocks), tile_(tile), filtered_(tile.plane.size()) {
  for (auto& [kind, origin, is_filtered] : BlocksByNetwork(choice))
    networks_.push_back({std::move(is_filtered), {StandardNetwork(kind), choice.level, origin}});
  for (const Network& network : networks_)
    for (const auto& behind : network.filter.AreasBehind(tile.Predicted(), tile.parameters.order,
                                                         network.is_filtered, threads, kMostRows))
      jobs_.push_back({&network, behind});
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const Job& a, const Job& b) { return a.behind.front < b.behind.front; });
}

void NetworkBehind::FilterBehind(FrontPipeline& pipeline, const GoesOn& goes_on) {
  std::vector<uint32_t> fronts;
  for (const Job& job : jobs_) fronts.push_back(static_cast<uint32_t>(job.behind.front));
  pipeline.Follow(std::move(fronts), [this, &pipeline, goes_on](int i) {
    if (!goes_on()) return pipeline.Stop();
    const auto& [network, behind] = jobs_[i];
    network->filter.ApplyTo(behind.area, tile_.Predicted(), network->is_filtered, filtered_.data(),
                            goes_on);
  });
}

void NetworkBehind::Finish() {
  for (size_t block = 0; block < blocks_.size(); ++block)
    if (blocks_[block] == 0)
      CopyFilterBlock(static_cast<int>(block), tile_.width, tile_.height, tile_.plane.data(),
                      filtered_.data());
  for (const Network& network : networks_) CopyUnseen(network);
  tile_.plane.swap(filtered_);
}

void NetworkBehind::CopyUnseen(const Network& network) {
  const int width = tile_.width, height = tile_.height;
  const NetworkOrigin origin = network.filter.origin();
  const auto copy = [&](int y, int x) {
    const int block = y / kFilterBlockSize * FilterBlocksAcross(width) + x / kFilterBlockSize;
    const size_t at = static_cast<size_t>(y) * width + x;
    if (network.is_filtered[block] != 0) filtered_[at] = tile_.plane[at];
  };
  if (origin.row > 0)
    for (int x = 0; x < width; ++x) {
      copy(0, x);
      copy(height - 1, x);
    }
  if (origin.column > 0)
    for (int y = 0; y < height; ++y) {
      copy(y, 0);
      copy(y, width - 1);
    }
}

}  // namespace mmp
