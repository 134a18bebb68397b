// Without a device: runs on every machine, as its devices are hidden.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

class NoDevice : public testing::Test {
 protected:
  // Before CUDA is used for the first time in this process.
  static void SetUpTestSuite() {
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    EnableCuda();
  }

  Result<std::vector<uint8_t>> EncodeBy(Backend backend, EncodeStats* stats = nullptr) const {
    EncodeOptions options;
    options.backend = backend;
    return Encode(image_.View(), options, stats);
  }

  const Image image_ = Draw(Picture::kTexture, 32, 16, 1);
};

TEST_F(NoDevice, IsListedWithTheReason) {
  std::string problem;
  EXPECT_TRUE(ListCudaDevices(&problem).empty());
  EXPECT_NE(problem, "");
}

TEST_F(NoDevice, CudaAskedFor) {
  const Result<std::vector<uint8_t>> file = EncodeBy(Backend::kCuda);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(file.status().message().find("CUDA device"), std::string::npos)
      << file.status().message();
}

TEST_F(NoDevice, AutomaticBackendTakesTheCpu) {
  EncodeStats stats;
  const auto expected = EncodeBy(Backend::kCpu), file = EncodeBy(Backend::kAuto, &stats);
  ASSERT_TRUE(expected.ok() && file.ok()) << file.status().message();
  EXPECT_TRUE(*file == *expected);
  EXPECT_EQ(stats.backend, Backend::kCpu);
  EXPECT_NE(stats.backend_note.find("CUDA device"), std::string::npos) << stats.backend_note;
}

}  // namespace
}  // namespace mmp::cuda
