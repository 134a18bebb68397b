// What the network makes of a tile at the levels of noise that will be tried: computed area by area
// by idle threads, while later fronts are searched elsewhere.
#ifndef MMP_CODEC_ENCODER_FILTER_NETWORK_AHEAD_H_
#define MMP_CODEC_ENCODER_FILTER_NETWORK_AHEAD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "codec/base/progress.h"
#include "codec/postfilter/network_filter.h"
#include "codec/tile/tile_state.h"
#include "common/task_pool.h"

namespace mmp {

class NetworkAhead {
 public:
  // For work by so many threads, which ask `goes_on` as NetworkFilter does: if it says no, what
  // Take gives means nothing. The tile, whose files have the network, must last.
  NetworkAhead(const TileState& tile, const std::vector<int>& levels, int threads,
               GoesOn goes_on = {});

  // All fronts up to number `front`, counted from 0, have been reconstructed. For one thread.
  void AddFront(int front);
  // Whether an area waits to be filtered.
  bool HasWork() const { return next_ < ready_; }
  // Filters areas until none waits; for any number of threads.
  void Work();
  // Lets idle members of the pool, which must last, work: at most half of all, as others are needed
  // for what has to be done at once. For member 0.
  void RecruitIdle(TaskPool& pool);
  // Once all fronts have been added: filters what is left, and waits for those recruited.
  void Finish(TaskPool& pool);
  // After that: the tile's filtered plane at this level; empty if it is not one of them, or was
  // taken already.
  std::vector<uint8_t> Take(int level);

 private:
  struct Level {
    int level;
    NetworkFilter filter;
    std::vector<uint8_t> filtered;
  };

  using Worker = std::function<void(int member)>;

  const TileState& tile_;
  const GoesOn goes_on_;
  const std::vector<uint8_t> blocks_;  // all
  std::vector<Level> levels_;
  std::vector<NetworkFilter::AreaBehind> areas_;
  // In units of work, which are the levels of each area.
  std::atomic<size_t> next_{0}, ready_{0};
  Worker work_ = [this](int /*member*/) { Work(); };
  std::list<WorkBeside<Worker>> recruits_;
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_NETWORK_AHEAD_H_
