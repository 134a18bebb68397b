// What the tests on the device share.
#ifndef MMP_TESTS_CUDA_DEVICE_H_
#define MMP_TESTS_CUDA_DEVICE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "mmp/mmp_cuda.h"
#include "tests/cuda/device_array.h"

namespace mmp::cuda {

// Hides all devices but the first, where others would go on working for one that fails. Before CUDA
// is used for the first time.
inline void ShowOneDevice() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::string first = visible != nullptr ? visible : "0";
  first.resize(std::min(first.find(','), first.size()));
  setenv("CUDA_VISIBLE_DEVICES", first.c_str(), 1);
}

// Tests that are skipped where there is no device.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string problem = DeviceProblem();
    if (!problem.empty()) GTEST_SKIP() << problem;
    ASSERT_EQ(CudaDeviceProblem(0), "");
  }
};

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_DEVICE_H_
