// Each call of CUDA that an encode makes fails in turn, alone or with all after it, as those of a
// device do that is lost: in every stage of setting up a search, of a tile and of a macroblock. The
// CPU takes over where it may, with the same file; else the error says so. Afterwards the device is
// as good as new. (device_lost_gpu_test has a device that really is lost, but only at some
// moments.)
//
// The linker leads the calls here (--wrap, see tests/cuda/CMakeLists.txt).
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tests/cuda/device.h"
#include "tests/support/test_support.h"

namespace {

std::atomic<bool> is_failing{false};
std::atomic<bool> fails_on{false};
std::atomic<int64_t> calls_left{0};  // that succeed before one fails

bool Fails() {
  if (!is_failing) return false;
  const int64_t left = calls_left.fetch_sub(1);
  return left == 0 || (left < 0 && fails_on);
}

}  // namespace

// MMP_WRAP(cudaCall, (parameters), (arguments)): the call, which may fail.
#define MMP_WRAP(call, parameters, arguments)                          \
  extern "C" cudaError_t __real_##call parameters;                     \
  extern "C" cudaError_t __wrap_##call parameters;                     \
  extern "C" cudaError_t __wrap_##call parameters {                    \
    return Fails() ? cudaErrorLaunchFailure : __real_##call arguments; \
  }

MMP_WRAP(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device),
         (value, attribute, device))
MMP_WRAP(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* kernel),
         (attributes, kernel))
MMP_WRAP(cudaFuncSetAttribute, (const void* kernel, cudaFuncAttribute attribute, int value),
         (kernel, attribute, value))
MMP_WRAP(cudaHostAlloc, (void** memory, size_t bytes, unsigned int flags), (memory, bytes, flags))
MMP_WRAP(cudaHostGetDevicePointer, (void** on_device, void* on_host, unsigned int flags),
         (on_device, on_host, flags))
MMP_WRAP(cudaLaunchKernelExC,
         (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
         (config, kernel, arguments))
MMP_WRAP(cudaMalloc, (void** memory, size_t bytes), (memory, bytes))
MMP_WRAP(cudaMemcpyAsync,
         (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
         (to, from, bytes, kind, stream))
MMP_WRAP(cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
         (to, value, bytes, stream))
MMP_WRAP(cudaOccupancyMaxActiveClusters,
         (int* clusters, const void* kernel, const cudaLaunchConfig_t* config),
         (clusters, kernel, config))
MMP_WRAP(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned int flags), (stream, flags))
MMP_WRAP(cudaStreamQuery, (cudaStream_t stream), (stream))
MMP_WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream))

namespace mmp::cuda {
namespace {

using File = std::vector<uint8_t>;

void BeginFailing(int64_t after, bool and_all_after) {
  calls_left = after;
  fails_on = and_all_after;
  is_failing = true;
}

// Returns whether a call has failed.
bool EndFailing() {
  is_failing = false;
  return calls_left < 0;
}

class CudaFailingCalls : public DeviceTest, public testing::WithParamInterface<bool> {
 protected:
  static void SetUpTestSuite() { ShowOneDevice(); }

  void SetUp() override {
    DeviceTest::SetUp();
    EnableCuda();
  }

  static bool AndAllAfter() { return GetParam(); }

  // One tile of twelve macroblocks, and so one search.
  static EncodeOptions Options(Backend backend) {
    EncodeOptions options;
    options.backend = backend;
    options.preset = Preset::kFast;
    options.threads = 1;
    return options;
  }

  // With the call behind `after` failing.
  Result<File> EncodeFailing(int64_t after, Backend backend, EncodeStats& stats, bool* failed) {
    TrimCuda();  // so that the search is set up again
    BeginFailing(after, AndAllAfter());
    Result<File> file = Encode(image_.View(), Options(backend), &stats);
    *failed = EndFailing();
    return file;
  }

  void ExpectTheDeviceWorks() const {
    const Result<File> file = Encode(image_.View(), Options(Backend::kCuda));
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_TRUE(*file == expected_);
  }

  const Image image_ = Draw(Picture::kTexture, 96, 32, 1);
  const File expected_ = MustEncode(image_.View(), Options(Backend::kCpu));
};

TEST_P(CudaFailingCalls, TheCpuTakesOver) {
  int failures = 0;
  bool failed = true;
  for (int64_t n = 0; failed; ++n) {
    SCOPED_TRACE(n);
    EncodeStats stats;
    const Result<File> file = EncodeFailing(n, Backend::kAuto, stats, &failed);
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE(*file == expected_);
    failures += stats.backend == Backend::kCpu ? 1 : 0;
    ASSERT_TRUE(failed || stats.backend == Backend::kCuda) << stats.backend_note;
    ExpectTheDeviceWorks();
    if (HasFailure()) return;
  }
  EXPECT_GE(failures, 30);
}

TEST_P(CudaFailingCalls, WhereItMayNotTheErrorSaysSo) {
  int failures = 0;
  bool failed = true;
  for (int64_t n = 0; failed; ++n) {
    SCOPED_TRACE(n);
    EncodeStats stats;
    const Result<File> file = EncodeFailing(n, Backend::kCuda, stats, &failed);
    if (file.ok()) {  // not all are needed: what does not fit a cluster is done by a grid
      ASSERT_TRUE(*file == expected_);
    } else {
      ASSERT_TRUE(failed);
      ++failures;
      EXPECT_EQ(file.status().code(), StatusCode::kUnavailable);
      for (const std::string& part : {std::string(cudaGetErrorString(cudaErrorLaunchFailure)),
                                      std::string("the CPU can be used")})
        EXPECT_NE(file.status().message().find(part), std::string::npos) << file.status().message();
    }
    ExpectTheDeviceWorks();
    if (HasFailure()) return;
  }
  EXPECT_GE(failures, 30);
}

INSTANTIATE_TEST_SUITE_P(OneOrAllAfter, CudaFailingCalls, testing::Bool(),
                         [](const auto& test) { return test.param ? "AllAfter" : "One"; });

}  // namespace
}  // namespace mmp::cuda
