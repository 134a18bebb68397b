#include "codec/postfilter/network_weights.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>

#include "common/crc32c.h"

// The bytes of the files in codec/postfilter, see network_weights.S and those beside it.
extern "C" const uint8_t mmp_first_deep_network_weights[];
extern "C" const uint8_t mmp_first_deep_network_weights_end[];
extern "C" const uint8_t mmp_first_small_network_weights[];
extern "C" const uint8_t mmp_first_small_network_weights_end[];
extern "C" const uint8_t mmp_network_weights[];
extern "C" const uint8_t mmp_network_weights_end[];
extern "C" const uint8_t mmp_second_deep_network_weights[];
extern "C" const uint8_t mmp_second_deep_network_weights_end[];
extern "C" const uint8_t mmp_second_small_network_weights[];
extern "C" const uint8_t mmp_second_small_network_weights_end[];
extern "C" const uint8_t mmp_small_network_weights[];
extern "C" const uint8_t mmp_small_network_weights_end[];
extern "C" const uint8_t mmp_third_deep_network_weights[];
extern "C" const uint8_t mmp_third_deep_network_weights_end[];

namespace mmp {
namespace {

// Followed by the shape and a 0.
constexpr uint8_t kMagic[5] = {'M', 'M', 'P', 'N', 1};
constexpr size_t kHeaderBytes = sizeof(kMagic) + 3;
constexpr size_t kCrcBytes = 4;
constexpr int kKernelSide = 3;
constexpr int kMostShift = 24;
// Of biases, and of slopes times levels. With products of 8 and 16 bits, at most 9 for each
// channel, sums then stay below 2^31.
constexpr int64_t kMostAdded = int64_t{1} << 28;
static_assert(9 * int64_t{ShapeOfNetwork(NetworkKind::kLarge).channels} * 128 * 32768 +
                  2 * kMostAdded + (1 << (kMostShift - 1)) <
              int64_t{1} << 31);

std::vector<uint8_t> Header(NetworkShape shape) {
  std::vector<uint8_t> header(kMagic, kMagic + sizeof(kMagic));
  header.push_back(static_cast<uint8_t>(shape.channels));
  header.push_back(static_cast<uint8_t>(shape.residual_blocks));
  header.push_back(0);
  return header;
}

// That of a file, if some kind has it.
std::optional<NetworkShape> ParseShape(std::span<const uint8_t> file) {
  for (int kind = 0; kind < kNetworkKinds; ++kind) {
    const NetworkShape shape = ShapeOfNetwork(static_cast<NetworkKind>(kind));
    const std::vector<uint8_t> header = Header(shape);
    if (file.size() >= kHeaderBytes && std::equal(header.begin(), header.end(), file.begin()))
      return shape;
  }
  return std::nullopt;
}

// Layer number `number` without its values.
NetworkLayer EmptyLayer(NetworkShape shape, int number) {
  NetworkLayer layer;
  layer.inputs = number == 0 ? kNetworkInputs : shape.channels;
  layer.outputs = number == shape.layers() - 1 ? kNetworkOutputs : shape.channels;
  layer.shifts.resize(layer.outputs);
  layer.biases.resize(layer.outputs);
  layer.slopes.resize(layer.outputs);
  layer.weights.resize(static_cast<size_t>(layer.outputs) * layer.inputs * kKernelSide *
                       kKernelSide);
  return layer;
}

size_t FileBytes(NetworkShape shape) {
  size_t bytes = kHeaderBytes + kCrcBytes;
  for (int number = 0; number < shape.layers(); ++number) {
    const NetworkLayer layer = EmptyLayer(shape, number);
    bytes += layer.shifts.size() + 4 * (layer.biases.size() + layer.slopes.size()) +
             layer.weights.size();
  }
  return bytes;
}

uint32_t U32(const uint8_t* bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

bool IsInBounds(const NetworkLayer& layer) {
  constexpr int64_t kMostLevels =
      std::max(kNetworkLevels - kNetworkMiddleLevel, kNetworkMiddleLevel - 1);
  for (int output = 0; output < layer.outputs; ++output) {
    if (layer.shifts[output] < 1 || layer.shifts[output] > kMostShift ||
        std::abs(int64_t{layer.biases[output]}) >= kMostAdded ||
        std::abs(int64_t{layer.slopes[output]}) * kMostLevels >= kMostAdded)
      return false;
  }
  return true;
}

}  // namespace

Result<NetworkWeights> ParseNetwork(std::span<const uint8_t> file) {
  const std::optional<NetworkShape> shape = ParseShape(file);
  if (!shape)
    return Status(StatusCode::kUnsupported,
                  "not a file of a network that this version of mmp filters with");
  const Status corrupt = {StatusCode::kCorrupt, "the network's file is damaged"};
  if (file.size() != FileBytes(*shape)) return corrupt;
  const uint8_t* crc = file.data() + file.size() - kCrcBytes;
  if (Crc32c(file.first(file.size() - kCrcBytes)) != U32(crc)) return corrupt;
  const uint8_t* at = file.data() + kHeaderBytes;
  NetworkWeights network = {*shape, {}};
  for (int number = 0; number < shape->layers(); ++number) {
    NetworkLayer& layer = network.layers.emplace_back(EmptyLayer(*shape, number));
    for (uint8_t& shift : layer.shifts) shift = *at++;
    for (std::vector<int32_t>* values : {&layer.biases, &layer.slopes}) {
      for (int32_t& value : *values) {
        value = static_cast<int32_t>(U32(at));
        at += 4;
      }
    }
    for (int8_t& weight : layer.weights) weight = static_cast<int8_t>(*at++);
    if (!IsInBounds(layer)) return corrupt;
  }
  return network;
}

std::vector<uint8_t> WriteNetwork(const NetworkWeights& network) {
  std::vector<uint8_t> file = Header(network.shape);
  auto u32 = [&](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      file.push_back(static_cast<uint8_t>(value >> shift));
  };
  for (const NetworkLayer& layer : network.layers) {
    file.insert(file.end(), layer.shifts.begin(), layer.shifts.end());
    for (const int32_t bias : layer.biases) u32(static_cast<uint32_t>(bias));
    for (const int32_t slope : layer.slopes) u32(static_cast<uint32_t>(slope));
    for (const int8_t weight : layer.weights) file.push_back(static_cast<uint8_t>(weight));
  }
  u32(Crc32c(file));
  return file;
}

const NetworkWeights& StandardNetwork(NetworkKind kind) {
  static const std::array<NetworkWeights, kNetworkKinds> networks = {
      *ParseNetwork({mmp_small_network_weights, mmp_small_network_weights_end}),
      *ParseNetwork({mmp_network_weights, mmp_network_weights_end}),
      *ParseNetwork({mmp_first_small_network_weights, mmp_first_small_network_weights_end}),
      *ParseNetwork({mmp_second_small_network_weights, mmp_second_small_network_weights_end}),
      *ParseNetwork({mmp_first_deep_network_weights, mmp_first_deep_network_weights_end}),
      *ParseNetwork({mmp_second_deep_network_weights, mmp_second_deep_network_weights_end}),
      *ParseNetwork({mmp_third_deep_network_weights, mmp_third_deep_network_weights_end})};
  return networks[static_cast<size_t>(kind)];
}

}  // namespace mmp
