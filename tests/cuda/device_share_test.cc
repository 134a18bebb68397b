#include "cuda/backend/device_share.h"

#include <gtest/gtest.h>

#include <vector>

namespace mmp::cuda {
namespace {

std::vector<int> DevicesOf(int part, int parts, int devices) {
  std::vector<int> share;
  for (int device = 0; device < devices; ++device)
    if (DeviceShare{part, parts}.Has(device, devices)) share.push_back(device);
  return share;
}

TEST(DeviceShareTest, OneProcessHasAll) {
  EXPECT_EQ(DevicesOf(0, 1, 3), (std::vector{0, 1, 2}));
  EXPECT_EQ(DevicesOf(0, 1, 0), std::vector<int>());
}

TEST(DeviceShareTest, OneEach) {
  for (int part = 0; part < 4; ++part) EXPECT_EQ(DevicesOf(part, 4, 4), std::vector{part});
}

TEST(DeviceShareTest, SomeProcessesAndMoreDevices) {
  EXPECT_EQ(DevicesOf(0, 3, 8), (std::vector{0, 3, 6}));
  EXPECT_EQ(DevicesOf(1, 3, 8), (std::vector{1, 4, 7}));
  EXPECT_EQ(DevicesOf(2, 3, 8), (std::vector{2, 5}));
}

TEST(DeviceShareTest, MoreProcessesThanDevices) {
  for (int part = 0; part < 5; ++part) EXPECT_EQ(DevicesOf(part, 5, 2), std::vector{part % 2});
}

}  // namespace
}  // namespace mmp::cuda
