// The network filter of the CPU where tests have devices.
#ifndef MMP_TESTS_SUPPORT_NETWORK_BY_CPU_H_
#define MMP_TESTS_SUPPORT_NETWORK_BY_CPU_H_

#include <cstdint>
#include <vector>

#include "codec/postfilter/network_device.h"

namespace mmp {

// What a device is to make of a tile.
std::vector<uint8_t> FilteredByCpu(NetworkSize size, int level, const PredictedTile& tile);

// Does that behind the interface of a device.
class FakeNetworkDevice : public NetworkDevice {
 public:
  // Fails after so many calls.
  explicit FakeNetworkDevice(size_t most_calls = 100) : most_calls_(most_calls) {}

  Status Filter(NetworkSize size, int level, const PredictedTile& tile, uint8_t* filtered,
                const GoesOn& goes_on) override;

  // Of the calls that it did not fail in.
  const std::vector<int>& levels() const { return levels_; }

 private:
  const size_t most_calls_;
  std::vector<int> levels_;
};

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_NETWORK_BY_CPU_H_
