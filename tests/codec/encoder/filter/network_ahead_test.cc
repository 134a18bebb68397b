#include "codec/encoder/filter/network_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "codec/base/macroblock_order.h"
#include "codec/encoder/filter/choose_filter.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_weights.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

CodecParameters ParametersOf(NetworkSize size, MacroblockOrder order) {
  CodecParameters parameters = {.tools = kWiener | kFilterNetwork};
  if (size == NetworkSize::kSmall) parameters.tools |= kSmallNetwork;
  parameters.order = order;
  return parameters;
}

// Any samples, smooth enough for the network to change them little.
struct Planes {
  std::vector<uint8_t> pixels, prediction;
};
Planes RandomPlanes(Random& random, size_t count) {
  Planes planes;
  for (size_t k = 0; k < count; ++k) {
    const int sample = 100 + random.Between(0, 50);
    planes.prediction.push_back(static_cast<uint8_t>(sample));
    planes.pixels.push_back(static_cast<uint8_t>(sample + random.Between(-20, 20)));
  }
  return planes;
}

void Copy(const Planes& from, MacroblockPlace place, TileState& tile) {
  for (int y = place.y; y < place.y + kMacroblockSize; ++y) {
    for (int x = place.x; x < place.x + kMacroblockSize; ++x) {
      const size_t at = static_cast<size_t>(y) * tile.width + x;
      tile.plane[at] = from.pixels[at];
      tile.prediction[at] = from.prediction[at];
    }
  }
}

std::vector<uint8_t> FilteredAtOnce(const TileState& tile, int level) {
  std::vector<uint8_t> filtered(tile.plane.size());
  const std::vector<uint8_t> all(FilterBlocks(tile.width, tile.height), 1);
  NetworkFilter(StandardNetwork(NetworkSizeOf(tile.parameters)), level)
      .Apply(tile.Predicted(), all, filtered.data());
  return filtered;
}

// Macroblocks appear front by front, and all that waits is filtered before the next one does: an
// area that were filtered too early would differ.
TEST(NetworkAheadTest, FiltersAreasOnceTheyAreThere) {
  Random random(11);
  for (const auto size : {NetworkSize::kLarge, NetworkSize::kSmall}) {
    for (const auto order : {MacroblockOrder::kRaster, MacroblockOrder::kWavefront}) {
      TileState tile(ParametersOf(size, order), 208, 300);
      const Planes planes = RandomPlanes(random, tile.plane.size());
      NetworkAhead ahead(tile, {5, 4}, 8);
      EXPECT_FALSE(ahead.HasWork());
      FrontWalk walk(order, tile.width, tile.height);
      int worked = 0, fronts = 0;
      while (walk.Next()) {
        for (const MacroblockPlace place : walk.front()) Copy(planes, place, tile);
        ahead.AddFront(fronts++);
        worked += ahead.HasWork();
        ahead.Work();
        EXPECT_FALSE(ahead.HasWork());
      }
      EXPECT_GE(worked, 3) << "of " << fronts << " fronts";
      for (const int level : {4, 5}) EXPECT_EQ(ahead.Take(level), FilteredAtOnce(tile, level));
      EXPECT_TRUE(ahead.Take(5).empty());
      EXPECT_TRUE(ahead.Take(6).empty());
    }
  }
}

// Threads come and go while fronts are added.
TEST(NetworkAheadTest, IsSharedByThreads) {
  Random random(12);
  TileState tile(ParametersOf(NetworkSize::kSmall, MacroblockOrder::kWavefront), 256, 256);
  const Planes planes = RandomPlanes(random, tile.plane.size());
  NetworkAhead ahead(tile, {3, 2}, 16);
  std::atomic<bool> all_are_there{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!all_are_there || ahead.HasWork()) ahead.Work();
    });
  FrontWalk walk(tile.parameters.order, tile.width, tile.height);
  for (int front = 0; walk.Next(); ++front) {
    for (const MacroblockPlace place : walk.front()) Copy(planes, place, tile);
    ahead.AddFront(front);
  }
  all_are_there = true;
  for (std::thread& thread : threads) thread.join();
  for (const int level : {2, 3}) EXPECT_EQ(ahead.Take(level), FilteredAtOnce(tile, level));
}

// The choice is the same, whether or not the network has been at work before.
TEST(NetworkAheadTest, ChangesNoChoice) {
  Random random(13);
  for (const auto size : {NetworkSize::kLarge, NetworkSize::kSmall}) {
    CodecParameters parameters = ParametersOf(size, MacroblockOrder::kWavefront);
    parameters.tools &= ~kWiener;  // which might do better
    TileState tile(parameters, 96, 80);
    const Image image = Draw(Picture::kTexture, tile.width, tile.height, 3);
    for (int y = 0; y < tile.height; ++y) {
      for (int x = 0; x < tile.width; ++x) {
        const size_t at = static_cast<size_t>(y) * tile.width + x;
        const int sample = image.Row(y)[x];
        tile.prediction[at] = static_cast<uint8_t>(sample);
        tile.plane[at] = static_cast<uint8_t>(std::clamp(sample + random.Between(-5, 5), 0, 255));
      }
    }
    const Lambda lambda = {.q8 = 256 * 25};
    const std::vector<int> levels = NetworkLevelsTried(parameters, lambda);
    EXPECT_EQ(levels.size(), size == NetworkSize::kSmall ? 1u : 4u);
    NetworkAhead ahead(tile, levels, 2);
    FrontWalk walk(parameters.order, tile.width, tile.height);
    for (int front = 0; walk.Next(); ++front) ahead.AddFront(front);
    ahead.Work();
    const ChosenFilter with =
        ChooseFilter(tile, image.View(), lambda, StepWeights(), 1, &ahead, TaskPool::Alone());
    const ChosenFilter without =
        ChooseFilter(tile, image.View(), lambda, StepWeights(), 1, nullptr, TaskPool::Alone());
    EXPECT_EQ(with.symbols, without.symbols);
    EXPECT_EQ(with.after_network, without.after_network);
    EXPECT_FALSE(with.after_network.empty());
    // The first two are tried in any case.
    for (size_t k = 0; k < std::min<size_t>(levels.size(), 2); ++k)
      EXPECT_TRUE(ahead.Take(levels[k]).empty()) << levels[k];
  }
  EXPECT_TRUE(NetworkLevelsTried({.tools = kWiener | kFilterNetwork}, Lambda{0}).empty());
  EXPECT_TRUE(NetworkLevelsTried({.tools = kWiener}, Lambda{2560}).empty());
}

}  // namespace
}  // namespace mmp
