#include "codec/encoder/device_load.h"

#include <gtest/gtest.h>

#include <vector>

namespace mmp {
namespace {

using Places = std::vector<size_t>;
using Rooms = std::vector<DeviceLoad::Room>;

// One encode after the other begins with the first device.
TEST(DeviceLoadTest, AloneBeginsWithTheFirst) {
  DeviceLoad load;
  const Rooms rooms = {{0, 4}, {1, 4}, {2, 4}};
  for (int round = 0; round < 4; ++round)
    EXPECT_EQ(DeviceLoad::Claim(load, rooms, 1).places(), Places({0}));
}

TEST(DeviceLoadTest, EncodesSideBySideTakeDifferentDevices) {
  DeviceLoad load;
  const Rooms rooms = {{0, 4}, {1, 4}, {2, 4}};
  const DeviceLoad::Claim first(load, rooms, 1);
  EXPECT_EQ(first.places(), Places({0}));
  {
    const DeviceLoad::Claim second(load, rooms, 1);
    EXPECT_EQ(second.places(), Places({1}));
    const DeviceLoad::Claim third(load, rooms, 4);
    EXPECT_EQ(third.places(), Places({2, 0, 1, 2}));
  }
  // Those that ended count no more.
  EXPECT_EQ(DeviceLoad::Claim(load, rooms, 2).places(), Places({1, 2}));
}

// No device gets more workers than it has use for; one that failed, none.
TEST(DeviceLoadTest, RoomIsKept) {
  DeviceLoad load;
  const Rooms rooms = {{0, 1}, {1, 0}, {2, 3}};
  EXPECT_EQ(DeviceLoad::Claim(load, rooms, 4).places(), Places({0, 2, 2, 2}));
}

// Places are those among the rooms, whatever the devices' numbers.
TEST(DeviceLoadTest, NumbersNeedNotBeInOrder) {
  DeviceLoad load;
  EXPECT_EQ(DeviceLoad::Claim(load, Rooms{{7, 1}, {3, 1}}, 2).places(), Places({1, 0}));
}

}  // namespace
}  // namespace mmp
