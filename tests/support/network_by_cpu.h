// The network filter of the CPU where tests have devices.
#ifndef MMP_TESTS_SUPPORT_NETWORK_BY_CPU_H_
#define MMP_TESTS_SUPPORT_NETWORK_BY_CPU_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/postfilter/network_device.h"

namespace mmp {

inline const char* NetworkName(NetworkKind kind) {
  const char* const names[kNetworkKinds] = {
      "small", "large", "first_small", "second_small", "first_deep", "second_deep", "third_deep"};
  return names[static_cast<size_t>(kind)];
}

// What a device is to make of a tile.
std::vector<uint8_t> FilteredByCpu(NetworkRun run, const PredictedTile& tile);

// Does that behind the interface of a device.
class FakeNetworkDevice : public NetworkDevice {
 public:
  // Fails after so many calls.
  explicit FakeNetworkDevice(size_t most_calls = 100) : most_calls_(most_calls) {}

  Status Filter(NetworkRun run, const PredictedTile& tile, uint8_t* filtered,
                const GoesOn& goes_on) override;

  // Of the calls that it did not fail in.
  const std::vector<NetworkRun>& runs() const { return runs_; }

 private:
  const size_t most_calls_;
  std::vector<NetworkRun> runs_;
};

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_NETWORK_BY_CPU_H_
