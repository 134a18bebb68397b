// The network filter on the device makes exactly what the CPU's makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/backend/cuda_network.h"
#include "tests/cuda/device.h"
#include "tests/support/network_by_cpu.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

using Plane = std::vector<uint8_t>;

// Of any samples; smooth ones, which the network changes little; the least and greatest ones.
enum class Samples { kNoise, kSmooth, kExtreme };

uint8_t Sample(Random& random, Samples kind, int before) {
  switch (kind) {
    case Samples::kNoise:
      return static_cast<uint8_t>(random.Between(0, 255));
    case Samples::kSmooth:
      return static_cast<uint8_t>(std::clamp(before + random.Between(-4, 4), 0, 255));
    default:
      return random.OneIn(2) ? 0 : 255;
  }
}

Plane RandomPlane(Random& random, Samples kind, size_t count) {
  Plane plane(count);
  int before = 128;
  for (uint8_t& sample : plane) before = sample = Sample(random, kind, before);
  return plane;
}

class NetworkGpuTest : public DeviceTest, public testing::WithParamInterface<NetworkKind> {};

// Tiles of one area, of many, and of areas of several sizes; one after the other, so that nothing
// of one is left in the next.
TEST_P(NetworkGpuTest, FiltersAsTheCpu) {
  Random random(5);
  CudaNetwork network;
  int level = 0;
  for (const auto& [width, height] : {std::pair{16, 16},
                                      {512, 512},
                                      {48, 1040},
                                      {1056, 32},
                                      {528, 544},
                                      {64, 48},
                                      {1040, 1040}}) {
    for (const Samples kind : {Samples::kNoise, Samples::kSmooth, Samples::kExtreme}) {
      const size_t count = static_cast<size_t>(width) * height;
      const Plane pixels = RandomPlane(random, kind, count);
      const Plane prediction = RandomPlane(random, kind, count);
      const PredictedTile tile = {pixels.data(), prediction.data(), width, height};
      level = level % kNetworkLevels + 1;
      const NetworkRun run = {GetParam(), level, {random.Below(2), random.Below(2)}};
      Plane filtered = pixels;
      const Status status = network.Filter(run, tile, filtered.data(), {});
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_TRUE(filtered == FilteredByCpu(run, tile))
          << width << "x" << height << ", level " << level;
    }
  }
}

TEST_P(NetworkGpuTest, HasAllLevels) {
  Random random(6);
  CudaNetwork network;
  const Plane pixels = RandomPlane(random, Samples::kSmooth, 64 * 64);
  const Plane prediction = RandomPlane(random, Samples::kSmooth, 64 * 64);
  const PredictedTile tile = {pixels.data(), prediction.data(), 64, 64};
  for (int level = 1; level <= kNetworkLevels; ++level) {
    Plane filtered(pixels.size());
    ASSERT_TRUE(network.Filter({GetParam(), level}, tile, filtered.data(), {}).ok());
    EXPECT_TRUE(filtered == FilteredByCpu({GetParam(), level}, tile)) << level;
  }
}

TEST_P(NetworkGpuTest, EndsWhenItIsToldTo) {
  CudaNetwork network;
  const Plane gray(size_t{1024} * 1024, 100);
  const PredictedTile tile = {gray.data(), gray.data(), 1024, 1024};
  Plane filtered(gray.size(), 7);
  int asked = 0;
  ASSERT_TRUE(
      network.Filter({GetParam(), 10}, tile, filtered.data(), [&] { return ++asked < 2; }).ok());
  EXPECT_EQ(asked, 2);
  EXPECT_NE(filtered.front(), 7);
  EXPECT_EQ(filtered.back(), 7);
}

INSTANTIATE_TEST_SUITE_P(Networks, NetworkGpuTest,
                         testing::Values(NetworkKind::kSmall, NetworkKind::kLarge,
                                         NetworkKind::kFirstSmall, NetworkKind::kSecondSmall,
                                         NetworkKind::kFirstDeep, NetworkKind::kSecondDeep,
                                         NetworkKind::kThirdDeep),
                         [](const auto& network) { return NetworkName(network.param); });

}  // namespace
}  // namespace mmp::cuda
