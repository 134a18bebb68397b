// The kernels of the network filter: a layer of an area of a tile each.
#ifndef MMP_CUDA_KERNELS_NETWORK_KERNEL_H_
#define MMP_CUDA_KERNELS_NETWORK_KERNEL_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/postfilter/network_area.h"
#include "codec/postfilter/network_arithmetic.h"

namespace mmp::cuda {

// A layer of the network, and what it is computed of. Everything is in the device's memory; of the
// tile there is a part, from position (top, left) on, `stride` positions across.
struct NetworkStep {
  NetworkArea computed;
  NetworkArea known = {};  // positions of the layer's inputs; all others are 0
  int top, left, stride;

  // The layer: NetworkWords; by output what sums begin with, and what they are shifted by.
  const uint32_t* weights;
  const int32_t* starts;
  const int32_t* shifts;

  // By position, `channels` values each: what the layer before gave, and what this one gives; with
  // OutputRule::kAdded it is added to what is there. The first layer has pixels and their
  // predictions in place of the one, the last one pixels in place of the other.
  const int16_t* from = nullptr;
  int16_t* to = nullptr;
  const uint8_t* pixels;
  const uint8_t* prediction;
  // The pixels of `computed`, row by row.
  uint8_t* filtered;
  NetworkScale scale;
};

// A layer's weights as the kernel takes them, and how many words these are, a multiple of 4.
size_t NetworkWordCount(const NetworkLayer& layer);
std::vector<uint32_t> NetworkWords(const NetworkLayer& layer);

// Computes layer number `layer` of the network. Returns at once.
cudaError_t LaunchNetworkLayer(NetworkKind kind, int layer, const NetworkStep& step,
                               cudaStream_t stream);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_NETWORK_KERNEL_H_
