// A device that fails for good, whose every later use is an error: the CPU takes over where it may,
// and nothing crashes or hangs. Each test runs in a process of its own, as nothing but its end
// heals the device.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tests/cuda/device.h"
#include "tests/support/subprocess.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

using File = std::vector<uint8_t>;

constexpr char kInChild[] = "MMP_DEVICE_LOST_TEST";
constexpr unsigned kMostSeconds = 120;  // for what takes two; then a signal ends the child

// Some milliseconds, in which the host may go on, and then an error that stays.
__global__ void FailSoon() {
  const long long begin = clock64();
  while (clock64() - begin < 5'000'000) {
  }
  __trap();
}

// The first call breaks the device that the calling thread uses.
void BreakDevice() {
  static const bool launched = [] {
    FailSoon<<<1, 1>>>();
    return cudaGetLastError() == cudaSuccess;
  }();
  EXPECT_TRUE(launched);
}

// What every use of the broken device says.
std::string Reason() {
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT_NE(error, cudaSuccess);
  return cudaGetErrorString(error);
}

class CudaDeviceLost : public DeviceTest {
 protected:
  static void SetUpTestSuite() { ShowOneDevice(); }

  // True in the child, where the test is to be done. Elsewhere runs it there.
  static bool InChild() {
    if (std::getenv(kInChild) != nullptr) {
      alarm(kMostSeconds);
      EnableCuda();
      return true;
    }
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    setenv(kInChild, "1", 1);
    const Outcome outcome =
        RunProgram({std::filesystem::read_symlink("/proc/self/exe"),
                    std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name()});
    unsetenv(kInChild);
    EXPECT_TRUE(outcome.exit_code == 0 && outcome.out.find("SKIPPED") == std::string::npos)
        << "signal " << outcome.signal << "\n"
        << outcome.out << outcome.err;
    return false;
  }

  // The picture in one tile of 96 macroblocks or in six.
  static EncodeOptions Options(Backend backend, int tile = 0) {
    EncodeOptions options;
    options.backend = backend;
    options.tile_width = options.tile_height = tile;
    return options;
  }
  Result<File> EncodeBy(Backend backend, EncodeStats* stats = nullptr) const {
    return Encode(image_.View(), Options(backend), stats);
  }
  File Expected(int tile = 0) const {
    return MustEncode(image_.View(), Options(Backend::kCpu, tile));
  }

  static void ExpectFailure(const Result<File>& file) {
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.status().code(), StatusCode::kUnavailable);
    for (const std::string& part : {Reason(), std::string("the CPU can be used")})
      EXPECT_NE(file.status().message().find(part), std::string::npos) << file.status().message();
  }
  static void ExpectCpu(const EncodeStats& stats) {
    EXPECT_EQ(stats.backend, Backend::kCpu);
    EXPECT_NE(stats.backend_note.find(Reason()), std::string::npos) << stats.backend_note;
  }
  // More than once: the first may still find something of before.
  void ExpectDeviceIsLost() const {
    for (int round = 0; round < 2; ++round) {
      EncodeStats stats;
      const Result<File> file = EncodeBy(Backend::kAuto, &stats);
      ASSERT_TRUE(file.ok()) << file.status().message();
      EXPECT_TRUE(*file == Expected());
      ExpectCpu(stats);
      ExpectFailure(EncodeBy(Backend::kCuda));
      TrimCuda();
    }
  }

  const Image image_ = Draw(Picture::kTexture, 192, 128, 1);
};

TEST_F(CudaDeviceLost, BeforeItIsUsed) {
  if (!InChild()) return;
  BreakDevice();
  Reason();  // wait for it
  ExpectDeviceIsLost();
}

// The search of the first encode is kept, and found broken.
TEST_F(CudaDeviceLost, BetweenEncodes) {
  if (!InChild()) return;
  ASSERT_TRUE(EncodeBy(Backend::kCuda).ok());
  BreakDevice();
  Reason();
  ExpectDeviceIsLost();
}

TEST_F(CudaDeviceLost, DuringAnEncode) {
  if (!InChild()) return;
  EncodeOptions options = Options(Backend::kAuto);
  options.progress = [](double) {
    BreakDevice();
    return true;
  };
  EncodeStats stats;
  const Result<File> file = Encode(image_.View(), options, &stats);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(*file == Expected());
  ExpectCpu(stats);
  ExpectDeviceIsLost();
}

TEST_F(CudaDeviceLost, DuringAnEncodeThatNeedsIt) {
  if (!InChild()) return;
  EncodeOptions options = Options(Backend::kCuda, 64);
  options.progress = [](double) {
    BreakDevice();
    return true;
  };
  ExpectFailure(Encode(image_.View(), options));
  ExpectDeviceIsLost();
}

// Jobs of several tiles side by side; the file of each is there, whichever worker made it.
TEST_F(CudaDeviceLost, DuringABatch) {
  if (!InChild()) return;
  const std::vector<EncodeJob> jobs(
      3, {.image = image_.View(), .options = Options(Backend::kAuto, 64)});
  EncodeManyOptions options;
  options.progress = [](const EncodeManyProgress&) {
    BreakDevice();
    return true;
  };
  std::vector<EncodeStats> stats;
  const std::vector<Result<File>> files = EncodeMany(jobs, options, &stats);
  const File expected = Expected(64);
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(files[i].ok()) << files[i].status().message();
    EXPECT_TRUE(*files[i] == expected);
    ExpectCpu(stats[i]);
  }
  ExpectDeviceIsLost();
}

}  // namespace
}  // namespace mmp::cuda
