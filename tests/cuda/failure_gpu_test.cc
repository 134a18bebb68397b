// What the device refuses is reported, and the CPU takes over where it may.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda/backend/cuda_search.h"
#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tests/cuda/device.h"
#include "tests/cuda/memory_hog.h"
#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

class CudaFailure : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    EnableCuda();
  }

  // Of a picture of six tiles.
  static EncodeOptions OptionsFor(Backend backend) {
    EncodeOptions options;
    options.tile_width = options.tile_height = 16;
    options.backend = backend;
    return options;
  }
  std::vector<uint8_t> FileBy(Backend backend, EncodeStats* stats = nullptr) const {
    return MustEncode(image_.View(), OptionsFor(backend), stats);
  }

  const Image image_ = Draw(Picture::kTexture, 48, 32, 1);
};

TEST_F(CudaFailure, OutOfDeviceMemory) {
  const std::vector<uint8_t> expected = FileBy(Backend::kCpu);
  TrimCuda();
  {
    const MemoryHog hog(UsableDevices());
    const Result<std::vector<uint8_t>> asked_for =
        Encode(image_.View(), OptionsFor(Backend::kCuda));
    ASSERT_FALSE(asked_for.ok());
    EXPECT_EQ(asked_for.status().code(), StatusCode::kOutOfMemory);
    EXPECT_NE(asked_for.status().message().find("memory"), std::string::npos)
        << asked_for.status().message();
    EXPECT_NE(asked_for.status().message().find("the CPU can be used"), std::string::npos)
        << asked_for.status().message();
    EncodeStats stats;
    EXPECT_TRUE(FileBy(Backend::kAuto, &stats) == expected);
    EXPECT_EQ(stats.backend, Backend::kCpu);
    EXPECT_NE(stats.backend_note.find("memory"), std::string::npos) << stats.backend_note;
  }
  // With the memory back, all is as before.
  EXPECT_TRUE(FileBy(Backend::kCuda) == expected);
}

// Devices whose memory is full leave their tiles to one that has memory.
TEST_F(CudaFailure, AnotherDeviceHasMemory) {
  std::vector<int> devices = UsableDevices();
  if (devices.size() < 2) GTEST_SKIP() << "needs two devices";
  devices.pop_back();
  const std::vector<uint8_t> expected = FileBy(Backend::kCpu);
  TrimCuda();
  const MemoryHog hog(devices);
  EXPECT_TRUE(FileBy(Backend::kCuda) == expected);
}

// A grid that no device has room for: an error when it is made or when it is used.
TEST_F(CudaFailure, ImpossibleConfiguration) {
  const Image image = Draw(Picture::kTexture, 16, 16, 1);
  const TileState tile({}, 16, 16);
  CudaSearchOptions options;
  options.config = {100000, false, false};
  auto search = MakeCudaSearch(options, {}, {});
  Status status = search.status();
  MacroblockSymbols symbols;
  if (search.ok())
    status = SearchOne(**search, tile, Lambda{2560}, SamplesAt(image, 0, 0), 0, 0, symbols);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message().rfind("CUDA: cannot ", 0), 0u) << status.message();
  cudaGetLastError();
}

TEST_F(CudaFailure, NoSuchDevice) {
  CudaSearchOptions options;
  options.device = 1000;
  const auto search = MakeCudaSearch(options, {}, {});
  ASSERT_FALSE(search.ok());
  EXPECT_EQ(search.status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(ChooseConfig(1000, 1).ok());
  cudaGetLastError();
}

}  // namespace
}  // namespace mmp::cuda
