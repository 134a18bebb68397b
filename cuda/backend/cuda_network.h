// The network filter on a CUDA device: area by area, so that little memory is enough for tiles of
// all sizes. Makes exactly what the CPU's makes.
#ifndef MMP_CUDA_BACKEND_CUDA_NETWORK_H_
#define MMP_CUDA_BACKEND_CUDA_NETWORK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/postfilter/network_device.h"
#include "codec/postfilter/network_weights.h"
#include "cuda/backend/device_memory.h"
#include "cuda/kernels/network_kernel.h"
#include "mmp/status.h"

namespace mmp::cuda {

// Takes nothing of the device before it filters. For one thread at a time, which has the device as
// its current one whenever it calls, the destructor too.
class CudaNetwork : public NetworkDevice {
 public:
  Status Filter(NetworkRun run, const PredictedTile& tile, uint8_t* filtered,
                const GoesOn& goes_on) override;

 private:
  // A network's layers, one behind the other.
  struct Layers {
    DeviceBuffer<uint32_t> weights;
    DeviceBuffer<int32_t> shifts;
  };

  Status Prepare();
  Status CopyLayers(const NetworkWeights& network, Layers& layers);
  // Writes what the sums of all layers begin with.
  Status BeginLevel(const NetworkWeights& network, int level);
  // Of the tile, for an area, all that the first layer needs.
  Status CopyTile(const PredictedTile& tile, const NetworkArea& needed);
  // Filters an area.
  Status Compute(NetworkRun run, const PredictedTile& tile, const NetworkArea& area,
                 uint8_t* filtered);

  bool is_prepared_ = false;
  Stream stream_;
  std::array<Layers, kNetworkKinds> layers_;  // by NetworkKind
  DeviceBuffer<int32_t> starts_;
  DeviceBuffer<int16_t> values_[2];  // of the positions of an area and around it
  DeviceBuffer<uint8_t> planes_;     // pixels, predictions, filtered pixels
  PinnedBuffer host_starts_, host_planes_;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_CUDA_NETWORK_H_
