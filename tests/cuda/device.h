// What the tests on the device share.
#ifndef MMP_TESTS_CUDA_DEVICE_H_
#define MMP_TESTS_CUDA_DEVICE_H_

#include <gtest/gtest.h>

#include <string>

#include "mmp/mmp_cuda.h"
#include "tests/cuda/device_array.h"

namespace mmp::cuda {

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
