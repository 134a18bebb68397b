// What networks make of a tile at the levels of noise that will be tried, computed by a device
// beside what the encoder's threads do.
#ifndef MMP_CODEC_ENCODER_FILTER_NETWORK_BESIDE_H_
#define MMP_CODEC_ENCODER_FILTER_NETWORK_BESIDE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "codec/base/progress.h"
#include "codec/postfilter/network_device.h"
#include "codec/tile/tile_state.h"
#include "common/task_pool.h"

namespace mmp {

class NetworkBeside {
 public:
  // Begins with these runs, if a member of the pool is idle, who waits for the device then. All
  // must last. If `goes_on`, as NetworkDevice asks it, says no, what Take gives means nothing.
  NetworkBeside(NetworkDevice& device, const TileState& tile, std::vector<NetworkRun> runs,
                TaskPool& pool, GoesOn goes_on = {});

  // The tile's filtered plane of any run; empty if the device has failed. Each at most once, by
  // member 0 of the pool.
  std::vector<uint8_t> Take(NetworkRun run);

  // Whether the device has failed, after a call of Take.
  bool HasFailed() const { return has_failed_; }

 private:
  using Worker = std::function<void(int member)>;

  std::vector<uint8_t> Filtered(NetworkRun run);

  NetworkDevice& device_;
  const TileState& tile_;
  const std::vector<NetworkRun> runs_;
  const GoesOn goes_on_;
  std::vector<std::vector<uint8_t>> filtered_;  // by place in runs_
  bool is_finished_ = false, has_failed_ = false;
  Worker work_;
  WorkBeside<Worker> beside_;
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_NETWORK_BESIDE_H_
