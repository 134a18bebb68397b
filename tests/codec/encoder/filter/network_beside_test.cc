#include "codec/encoder/filter/network_beside.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "codec/encoder/filter/choose_filter.h"
#include "tests/support/network_by_cpu.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Plane = std::vector<uint8_t>;

class NetworkBesideTest : public testing::TestWithParam<NetworkKind> {
 protected:
  NetworkBesideTest() {
    Random random(13);
    for (int y = 0; y < tile_.height; ++y) {
      for (int x = 0; x < tile_.width; ++x) {
        const size_t at = static_cast<size_t>(y) * tile_.width + x;
        const int sample = image_.Row(y)[x];
        tile_.prediction[at] = static_cast<uint8_t>(sample);
        tile_.plane[at] = static_cast<uint8_t>(std::clamp(sample + random.Between(-5, 5), 0, 255));
      }
    }
  }

  // Without the Wiener filter, which might do better.
  static CodecParameters Parameters() {
    CodecParameters parameters = {.tools = kFilterNetwork};
    if (IsSmall(GetParam())) parameters.tools |= kSmallNetwork;
    if (GetParam() > NetworkKind::kLarge) parameters.tools |= kTwoNetworks;
    return parameters;
  }
  static NetworkRun Run(int level) { return {GetParam(), level}; }
  Plane Expected(int level) const { return FilteredByCpu(Run(level), tile_.Predicted()); }
  ChosenFilter Choose(NetworkBeside* network) const {
    return ChooseFilter(tile_, image_.View(), kLambda, StepWeights(),
                        {.is_hurried = IsSmall(GetParam())}, network, TaskPool::Alone());
  }

  static constexpr Lambda kLambda = {.q8 = 256 * 25};

  TileState tile_{Parameters(), 96, 80};
  const Image image_ = Draw(Picture::kTexture, tile_.width, tile_.height, 3);
};

TEST_P(NetworkBesideTest, GivesWhatTheDeviceMakes) {
  FakeNetworkDevice device;
  NetworkBeside network(device, tile_, {Run(5), Run(4)}, TaskPool::Alone());
  EXPECT_EQ(network.Take(Run(4)), Expected(4));
  EXPECT_EQ(network.Take(Run(7)), Expected(7));  // which nobody has told it of
  EXPECT_EQ(network.Take(Run(5)), Expected(5));
  EXPECT_FALSE(network.HasFailed());
  EXPECT_EQ(device.runs(), std::vector({Run(5), Run(4), Run(7)}));
}

// Begins at once: what it is told to go on by is asked before anything is taken.
TEST_P(NetworkBesideTest, IdleThreadWaitsForTheDevice) {
  TaskPool pool(2);
  while (!pool.HasIdle()) std::this_thread::yield();
  FakeNetworkDevice device;
  std::atomic<bool> has_begun{false};
  NetworkBeside network(device, tile_, {Run(5), Run(4)}, pool, [&] { return has_begun = true; });
  while (!has_begun) std::this_thread::yield();
  EXPECT_EQ(network.Take(Run(5)), Expected(5));
  EXPECT_EQ(device.runs(), std::vector({Run(5), Run(4)}));
}

TEST_P(NetworkBesideTest, GivesNothingAfterAFailure) {
  FakeNetworkDevice device(1);
  NetworkBeside network(device, tile_, {Run(5), Run(4)}, TaskPool::Alone());
  EXPECT_EQ(network.Take(Run(5)), Expected(5));
  EXPECT_TRUE(network.HasFailed());
  EXPECT_TRUE(network.Take(Run(4)).empty());
  EXPECT_TRUE(network.Take(Run(6)).empty());
}

TEST_P(NetworkBesideTest, AsksWhetherToGoOn) {
  FakeNetworkDevice device;
  int asked = 0;
  NetworkBeside network(device, tile_, {Run(5), Run(4)}, TaskPool::Alone(),
                        [&] { return ++asked < 2; });
  network.Take(Run(5));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(device.runs(), std::vector({Run(5)}));
}

// The choice is the same with a device, without, and with one that fails at any moment.
TEST_P(NetworkBesideTest, ChangesNoChoice) {
  const std::vector<NetworkRun> runs =
      NetworkRunsTried(Parameters(), image_.View(), kLambda, IsSmall(GetParam()));
  const size_t most_runs[kNetworkKinds] = {1, 4, 2, 2, 5, 5, 5};
  EXPECT_EQ(runs.size(), most_runs[static_cast<size_t>(GetParam())]);
  const ChosenFilter without = Choose(nullptr);
  EXPECT_NE(without.filtered, tile_.plane);
  FakeNetworkDevice sound_device;
  NetworkBeside sound_network(sound_device, tile_, runs, TaskPool::Alone());
  EXPECT_EQ(Choose(&sound_network).symbols, without.symbols);
  // Two levels more than were likely are tried where the deep networks are.
  const size_t all_calls = runs.size() + (GetParam() == NetworkKind::kSecondDeep ? 2 : 0);
  EXPECT_EQ(sound_device.runs().size(), all_calls);
  for (size_t calls = 0; calls <= all_calls; ++calls) {
    FakeNetworkDevice device(calls);
    NetworkBeside network(device, tile_, runs, TaskPool::Alone());
    const ChosenFilter with = Choose(&network);
    EXPECT_EQ(with.symbols, without.symbols);
    EXPECT_EQ(with.filtered, without.filtered);
    EXPECT_EQ(device.runs().size(), calls);
    EXPECT_EQ(network.HasFailed(), calls < all_calls);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, NetworkBesideTest,
                         testing::Values(NetworkKind::kSmall, NetworkKind::kLarge,
                                         NetworkKind::kSecondSmall, NetworkKind::kSecondDeep),
                         [](const auto& network) { return NetworkName(network.param); });

TEST(NetworkRunsTriedTest, SoftPicturesHaveASecondNetworkAndThoseOfJpegAThird) {
  const Image gradient = Draw(Picture::kGradient, 60, 50, 1),
              noise = Draw(Picture::kNoise, 60, 50, 1), jpeg = DrawJpeg(90, 80, 3, 2, 1);
  const Image flat(60, 50), narrow(1, 50);
  for (const Image* image : {&gradient, &noise, &jpeg, &flat, &narrow}) {
    for (const auto& [tools, second] :
         {std::pair{kPresetTools | kSmallNetwork, NetworkKind::kSecondSmall},
          {kPresetTools, NetworkKind::kSecondDeep}}) {
      const std::vector<NetworkRun> runs =
          NetworkRunsTried({.tools = tools}, image->View(), Lambda{2560}, false);
      const auto count = [&runs](NetworkKind kind) {
        return std::ranges::count(runs, kind, &NetworkRun::kind);
      };
      const bool has_third = image == &jpeg && second == NetworkKind::kSecondDeep;
      const bool is_soft = image == &gradient || image == &jpeg;
      EXPECT_EQ(count(NetworkKind::kThirdDeep), has_third ? 1 : 0);
      EXPECT_EQ(count(second), is_soft && !has_third ? 1 : 0);
      for (const NetworkRun& run : runs)
        EXPECT_EQ(run.origin,
                  run.kind == NetworkKind::kThirdDeep ? (NetworkOrigin{0, 1}) : NetworkOrigin());
    }
  }
}

TEST(NetworkRunsTriedTest, NoneWithoutTheNetworkOrWithoutLoss) {
  const Image image(16, 16);
  EXPECT_TRUE(NetworkRunsTried({.tools = kWiener | kFilterNetwork}, image.View(), Lambda{0}, false)
                  .empty());
  EXPECT_TRUE(NetworkRunsTried({.tools = kWiener}, image.View(), Lambda{2560}, false).empty());
}

}  // namespace
}  // namespace mmp
