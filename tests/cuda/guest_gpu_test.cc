// A program that uses CUDA itself finds it as it was: the current device and the last error, after
// each call and in each callback, whether the call succeeds or not.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "cuda/backend/device_scope.h"
#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tests/cuda/device.h"
#include "tests/cuda/memory_hog.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

int CurrentDevice() {
  int device = -1;
  Must(cudaGetDevice(&device));
  return device;
}

int DeviceCount() {
  int count = 0;
  Must(cudaGetDeviceCount(&count));
  return count;
}

class CudaGuest : public DeviceTest {
 protected:
  // The program's device is the last one: another than the first to encode, if there are several.
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    EnableCuda();
    own_device_ = DeviceCount() - 1;
    Must(cudaSetDevice(own_device_));
    cudaGetLastError();
  }
  void TearDown() override {
    if (own_device_ >= 0) cudaSetDevice(0);
  }

  void ExpectUntouched(const char* after) const {
    EXPECT_EQ(CurrentDevice(), own_device_) << after;
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << after;
  }

  // Six tiles, and all that a search can be asked for.
  static EncodeOptions Options() {
    EncodeOptions options;
    options.tile_width = options.tile_height = 32;
    options.backend = Backend::kCuda;
    options.time_stages = true;
    return options;
  }

  const Image image_ = Draw(Picture::kTexture, 96, 64, 1);
  int own_device_ = -1;
};

TEST_F(CudaGuest, EncodesAndLists) {
  std::string problem;
  ListCudaDevices(&problem);
  ExpectUntouched("ListCudaDevices");
  EXPECT_EQ(CudaDeviceProblem(0), "");
  ExpectUntouched("CudaDeviceProblem");
  EncodeOptions options = Options();
  std::atomic<int> calls = 0;
  options.progress = [&](double) {
    ++calls;
    return true;
  };
  ASSERT_TRUE(Encode(image_.View(), options).ok());
  EXPECT_GT(calls, 0);
  ExpectUntouched("Encode");
  const std::vector<EncodeJob> jobs(3, {.image = image_.View(), .options = Options()});
  for (const auto& file : EncodeMany(jobs)) ASSERT_TRUE(file.ok()) << file.status().message();
  ExpectUntouched("EncodeMany");
  TrimCuda();
  ExpectUntouched("TrimCuda");
}

// Callbacks on the program's own thread find its device; one tile is searched by that thread.
TEST_F(CudaGuest, InCallbacks) {
  EncodeOptions options = Options();
  options.tile_width = options.tile_height = 0;
  const std::thread::id self = std::this_thread::get_id();
  int calls = 0;
  options.progress = [&](double) {
    if (std::this_thread::get_id() != self) return true;
    ++calls;
    ExpectUntouched("a callback");
    return true;
  };
  ASSERT_TRUE(Encode(image_.View(), options).ok());
  EXPECT_GT(calls, 0);
}

// What fails and is dealt with, or reported, is not left as the last error.
TEST_F(CudaGuest, FailingAllocations) {
  TrimCuda();
  {
    const MemoryHog hog(UsableDevices());
    ExpectUntouched("filling the memory");
    EXPECT_EQ(Encode(image_.View(), Options()).status().code(), StatusCode::kOutOfMemory);
    ExpectUntouched("Encode without memory");
    EncodeOptions automatic = Options();
    automatic.backend = Backend::kAuto;
    EXPECT_TRUE(Encode(image_.View(), automatic).ok());
    ExpectUntouched("Encode that the CPU takes over");
    const std::vector<EncodeJob> jobs(3, {.image = image_.View(), .options = Options()});
    for (const auto& file : EncodeMany(jobs)) EXPECT_FALSE(file.ok());
    ExpectUntouched("EncodeMany without memory");
    TrimCuda();
    ExpectUntouched("TrimCuda of nothing");
  }
  EXPECT_TRUE(Encode(image_.View(), Options()).ok());
  ExpectUntouched("Encode with the memory back");
}

TEST_F(CudaGuest, NoSuchDevice) {
  EXPECT_NE(CudaDeviceProblem(1000), "");
  ExpectUntouched("CudaDeviceProblem of no device");
}

// An error of the program's own is not taken from it.
TEST_F(CudaGuest, KeepsTheProgramsError) {
  EXPECT_EQ(cudaSetDevice(1000), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  {
    const DeviceScope scope(0);
    EXPECT_TRUE(scope.status().ok()) << scope.status().message();
    EXPECT_EQ(CurrentDevice(), 0);
  }
  EXPECT_EQ(CurrentDevice(), own_device_);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

// A thread that has never used CUDA is as before, too: its device is the first one.
TEST_F(CudaGuest, FreshThread) {
  int device = -1;
  cudaError_t error = cudaErrorUnknown;
  std::thread([&] {
    EXPECT_TRUE(Encode(image_.View(), Options()).ok());
    const DeviceScope scope(own_device_);
    EXPECT_EQ(CurrentDevice(), own_device_);
  }).join();
  std::thread([&] {
    { const DeviceScope scope(own_device_); }
    cudaGetDevice(&device);
    error = cudaPeekAtLastError();
  }).join();
  EXPECT_EQ(device, 0);
  EXPECT_EQ(error, cudaSuccess);
  ExpectUntouched("other threads");
}

}  // namespace
}  // namespace mmp::cuda
