#include "cuda/backend/cuda_network.h"

#include <algorithm>
#include <cstring>

#include "codec/postfilter/network_area.h"
#include "codec/postfilter/network_arithmetic.h"

namespace mmp::cuda {
namespace {

// Of an area that is filtered in one go, in positions.
constexpr int kMostAcross = 256;

// Parts of `length`, as equal as can be: the end of number i.
int EndOfPart(int length, int parts, int i) {
  return static_cast<int>(int64_t{length} * (i + 1) / parts);
}

int PartsOf(int length) { return (length + kMostAcross - 1) / kMostAcross; }

// The region and so many positions around it, as far as the tile has them.
NetworkArea Around(const NetworkArea& region, int positions, const PredictedTile& tile) {
  return {.top = std::max(region.top - positions, 0),
          .bottom = std::min(region.bottom + positions, tile.height / 2),
          .left = std::max(region.left - positions, 0),
          .right = std::min(region.right + positions, tile.width / 2)};
}

size_t PixelsOf(const NetworkArea& region) { return size_t{4} * region.rows() * region.columns(); }

// Filtered pixels of an area into a plane of the tile.
void CopyFiltered(const PredictedTile& tile, const NetworkArea& area, const uint8_t* from,
                  uint8_t* filtered) {
  const size_t row = size_t{2} * area.columns();
  for (int y = 2 * area.top; y < 2 * area.bottom; ++y, from += row)
    std::memcpy(filtered + y * tile.stride + 2 * area.left, from, row);
}

}  // namespace

Status CudaNetwork::CopyLayers(const NetworkWeights& network, Layers& layers) {
  std::vector<uint32_t> weights;
  std::vector<int32_t> shifts;
  for (const NetworkLayer& layer : network.layers) {
    const std::vector<uint32_t> words = NetworkWords(layer);
    weights.insert(weights.end(), words.begin(), words.end());
    shifts.insert(shifts.end(), layer.shifts.begin(), layer.shifts.end());
  }
  MMP_RETURN_IF_ERROR(layers.weights.Allocate(weights.size()));
  MMP_RETURN_IF_ERROR(layers.shifts.Allocate(shifts.size()));
  auto copy = [this](void* to, const void* from, size_t bytes) {
    return ToStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_.get()),
                    "copy the network");
  };
  MMP_RETURN_IF_ERROR(copy(layers.weights.data(), weights.data(), layers.weights.bytes()));
  MMP_RETURN_IF_ERROR(copy(layers.shifts.data(), shifts.data(), layers.shifts.bytes()));
  return ToStatus(cudaStreamSynchronize(stream_.get()), "copy the network");
}

Status CudaNetwork::Prepare() {
  if (is_prepared_) return {};
  constexpr NetworkShape kLargest = ShapeOfNetwork(NetworkKind::kFirstDeep);
  constexpr size_t kAcross = kMostAcross + 2 * kLargest.layers();
  constexpr size_t kPlanes = 4 * (2 * kAcross * kAcross + size_t{kMostAcross} * kMostAcross);
  MMP_RETURN_IF_ERROR(stream_.Create());
  for (int kind = 0; kind < kNetworkKinds; ++kind)
    MMP_RETURN_IF_ERROR(CopyLayers(StandardNetwork(static_cast<NetworkKind>(kind)), layers_[kind]));
  MMP_RETURN_IF_ERROR(starts_.Allocate(size_t{kLargest.layers()} * kLargest.channels));
  for (DeviceBuffer<int16_t>& values : values_)
    MMP_RETURN_IF_ERROR(values.Allocate(kAcross * kAcross * kLargest.channels));
  MMP_RETURN_IF_ERROR(planes_.Allocate(kPlanes));
  MMP_RETURN_IF_ERROR(host_starts_.Allocate(starts_.bytes()));
  MMP_RETURN_IF_ERROR(host_planes_.Allocate(kPlanes));
  is_prepared_ = true;
  return {};
}

Status CudaNetwork::BeginLevel(const NetworkWeights& network, int level) {
  auto* const starts = static_cast<int32_t*>(host_starts_.data());
  size_t count = 0;
  for (const NetworkLayer& layer : network.layers)
    for (int output = 0; output < layer.outputs; ++output)
      starts[count++] = layer.Start(output, level);
  return ToStatus(cudaMemcpyAsync(starts_.data(), starts, count * sizeof(int32_t),
                                  cudaMemcpyHostToDevice, stream_.get()),
                  "copy the network");
}

Status CudaNetwork::CopyTile(const PredictedTile& tile, const NetworkArea& needed) {
  auto* to = static_cast<uint8_t*>(host_planes_.data());
  const size_t row = size_t{2} * needed.columns();
  for (const uint8_t* plane : {tile.pixels, tile.prediction})
    for (int y = 2 * needed.top; y < 2 * needed.bottom; ++y, to += row)
      std::memcpy(to, plane + y * tile.stride + 2 * needed.left, row);
  return ToStatus(cudaMemcpyAsync(planes_.data(), host_planes_.data(), 2 * PixelsOf(needed),
                                  cudaMemcpyHostToDevice, stream_.get()),
                  "copy pixels to the device");
}

Status CudaNetwork::Compute(NetworkRun run, const PredictedTile& tile, const NetworkArea& area,
                            uint8_t* filtered) {
  const Layers& of_kind = layers_[static_cast<size_t>(run.kind)];
  const std::vector<NetworkLayer>& layers = StandardNetwork(run.kind).layers;
  const int count = static_cast<int>(layers.size());
  const NetworkArea needed = Around(area, count, tile);
  MMP_RETURN_IF_ERROR(CopyTile(tile, needed));
  const size_t before_filtered = 2 * PixelsOf(needed);
  NetworkStep step = {.computed = needed,
                      .top = needed.top,
                      .left = needed.left,
                      .stride = needed.columns(),
                      .weights = of_kind.weights.data(),
                      .starts = starts_.data(),
                      .shifts = of_kind.shifts.data(),
                      .pixels = planes_.data(),
                      .prediction = planes_.data() + PixelsOf(needed),
                      .filtered = planes_.data() + before_filtered,
                      .scale = kNetworkScales[run.level - 1]};
  for (int number = 0; number < count; ++number) {
    step.known = step.computed;
    step.computed = Around(area, count - 1 - number, tile);
    // To and fro between the two arrays: what a block of two layers begins with is in the one that
    // its result is added to.
    step.from = values_[1 - number % 2].data();
    step.to = values_[number % 2].data();
    MMP_RETURN_IF_ERROR(
        ToStatus(LaunchNetworkLayer(run.kind, number, step, stream_.get()), "filter an area"));
    const NetworkLayer& layer = layers[number];
    step.weights += NetworkWordCount(layer);
    step.starts += layer.outputs;
    step.shifts += layer.outputs;
  }
  uint8_t* const host_filtered = static_cast<uint8_t*>(host_planes_.data()) + before_filtered;
  MMP_RETURN_IF_ERROR(ToStatus(cudaMemcpyAsync(host_filtered, step.filtered, PixelsOf(area),
                                               cudaMemcpyDeviceToHost, stream_.get()),
                               "copy filtered pixels"));
  MMP_RETURN_IF_ERROR(ToStatus(cudaStreamSynchronize(stream_.get()), "filter an area"));
  CopyFiltered(tile, area, host_filtered, filtered);
  return {};
}

Status CudaNetwork::Filter(NetworkRun run, const PredictedTile& tile, uint8_t* filtered,
                           const GoesOn& goes_on) {
  MMP_RETURN_IF_ERROR(Prepare());
  MMP_RETURN_IF_ERROR(BeginLevel(StandardNetwork(run.kind), run.level));
  const PredictedTile seen = Within(tile, run.origin);
  uint8_t* const first = filtered + run.origin.Offset(tile.stride);
  const int rows = seen.height / 2, columns = seen.width / 2;
  const int down = PartsOf(rows), across = PartsOf(columns);
  NetworkArea area = {};
  for (int i = 0; i < down; ++i) {
    area.top = area.bottom;
    area.bottom = EndOfPart(rows, down, i);
    area.right = 0;
    for (int j = 0; j < across; ++j) {
      area.left = area.right;
      area.right = EndOfPart(columns, across, j);
      if (goes_on && !goes_on()) return {};
      MMP_RETURN_IF_ERROR(Compute(run, seen, area, first));
    }
  }
  return {};
}

}  // namespace mmp::cuda
