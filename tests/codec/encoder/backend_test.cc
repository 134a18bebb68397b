// What Encode does with a backend that is missing, works or fails. The backend here is the CPU's
// search behind the interface of a device, so this needs no device.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/encoder/effort.h"
#include "codec/encoder/search_backend.h"
#include "codec/search/cpu_search.h"
#include "mmp/mmp.h"
#include "tests/support/network_by_cpu.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using File = std::vector<uint8_t>;

// When a FakeBackend fails, and how.
struct Failure {
  Status status;
  bool never_available = false;
  int searches = -1;        // so many searches can be made; -1: any number
  int macroblocks = -1;     // so many can be searched in all; -1: any number
  size_t filterings = 100;  // each search can filter so often
};

class FakeBackend : public SearchBackend {
 public:
  explicit FakeBackend(Failure failure) : failure_(std::move(failure)) {}

  Status Available() override { return failure_.never_available ? failure_.status : Status(); }
  int Devices() override { return 1; }
  int MostSearches(int) override { return 32; }
  Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const SearchKind& kind,
                                                       int device) override {
    EXPECT_EQ(device, 0);
    EXPECT_GE(kind.side_by_side, 1);
    if (made_++ >= failure_.searches && failure_.searches >= 0) return failure_.status;
    return std::unique_ptr<MacroblockSearch>(
        std::make_unique<FakeSearch>(*this, kind.speed_features));
  }

  int made() const { return made_; }
  int searched() const { return searched_; }
  int filtered() const { return filtered_; }
  int distrusted() const { return distrusted_; }

 private:
  class FakeSearch : public MacroblockSearch {
   public:
    FakeSearch(FakeBackend& backend, const SpeedFeatures& speed_features)
        : backend_(backend),
          network_(backend.failure_.filterings),
          search_(MakeCpuSearch(speed_features, false)) {}
    ~FakeSearch() override { backend_.filtered_ += static_cast<int>(network_.runs().size()); }

    Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                  TaskPool& /*pool*/, const std::function<void()>& beside) override {
      const Failure& failure = backend_.failure_;
      backend_.searched_ += static_cast<int>(front.size());
      if (backend_.searched_ > failure.macroblocks && failure.macroblocks >= 0)
        return failure.status;
      return search_->Search(tile, lambda, front, TaskPool::Alone(), beside);
    }
    bool IsElsewhere() const override { return true; }
    NetworkDevice* Network() override { return &network_; }
    void Distrust() override { ++backend_.distrusted_; }
    SearchStats Stats() const override { return search_->Stats(); }

   private:
    FakeBackend& backend_;
    FakeNetworkDevice network_;
    std::unique_ptr<MacroblockSearch> search_;
  };

  const Failure failure_;
  std::atomic<int> made_{0}, searched_{0}, filtered_{0}, distrusted_{0};
};

// Eight tiles of one macroblock each, or one of eight.
class BackendTest : public testing::TestWithParam<int> {
 protected:
  BackendTest() {
    options_.preset = Preset::kFast;
    options_.modes = 1;  // this and the next: quick
    options_.dictionary_size = kMinDictionarySize;
    options_.tile_width = options_.tile_height = GetParam();
    options_.backend = Backend::kCpu;
    on_cpu_ = MustEncode(image_.View(), options_);
  }
  ~BackendTest() override { SetCudaBackend(nullptr); }

  Result<File> EncodeBy(Backend backend) {
    options_.backend = backend;
    return Encode(image_.View(), options_, &stats_);
  }

  // kCuda reports the failure; kAuto encodes on the CPU and says why.
  void ExpectFailure(FakeBackend& backend, const Status& failure) {
    SetCudaBackend(&backend);
    const Result<File> asked_for = EncodeBy(Backend::kCuda);
    ASSERT_FALSE(asked_for.ok());
    EXPECT_EQ(asked_for.status().code(), failure.code());
    EXPECT_EQ(asked_for.status().message(), failure.message() + "; the CPU can be used instead");
  }
  void ExpectFallback(FakeBackend& backend, const Status& failure) {
    SetCudaBackend(&backend);
    const Result<File> automatic = EncodeBy(Backend::kAuto);
    ASSERT_TRUE(automatic.ok()) << automatic.status().message();
    EXPECT_TRUE(*automatic == on_cpu_);
    EXPECT_EQ(stats_.backend, Backend::kCpu);
    EXPECT_EQ(stats_.backend_note, failure.message());
    EXPECT_EQ(stats_.macroblocks, 8);  // those before the failure do not count
  }

  const Image image_ = Draw(Picture::kTexture, 64, 32, 7);
  EncodeOptions options_;
  EncodeStats stats_;
  File on_cpu_;
};

TEST_P(BackendTest, NoneRegistered) {
  const Result<File> asked_for = EncodeBy(Backend::kCuda);
  ASSERT_FALSE(asked_for.ok());
  EXPECT_EQ(asked_for.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(
      asked_for.status().message(),
      "this program was built without CUDA, or has not enabled it; the CPU can be used instead");
  const Result<File> automatic = EncodeBy(Backend::kAuto);
  ASSERT_TRUE(automatic.ok());
  EXPECT_TRUE(*automatic == on_cpu_);
  EXPECT_EQ(stats_.backend, Backend::kCpu);
  EXPECT_EQ(stats_.backend_note, "this program was built without CUDA, or has not enabled it");
}

// Efforts whose features devices do not know.
TEST_P(BackendTest, WhatDevicesDoNotSearchIsLeftToTheCpu) {
  FakeBackend backend({});
  SetCudaBackend(&backend);
  options_.effort = kLeastEffort;
  ASSERT_FALSE(SuitsDevices(options_));
  const Result<File> asked_for = EncodeBy(Backend::kCuda);
  EXPECT_EQ(asked_for.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(asked_for.status().message(),
            "effort 1 is searched on the CPU only; take another or leave out the backend");
  ASSERT_TRUE(EncodeBy(Backend::kAuto).ok());
  EXPECT_EQ(backend.made(), 0);
  EXPECT_EQ(stats_.backend, Backend::kCpu);
  EXPECT_EQ(stats_.backend_note, "this effort is searched on the CPU only");
  options_.effort.reset();
  options_.preset = Preset::kQuick;
  EXPECT_EQ(EncodeBy(Backend::kCuda).status().message(),
            "preset quick is searched on the CPU only; take another or leave out the backend");
  options_.effort = kFastEffort;
  ASSERT_TRUE(EncodeBy(Backend::kCuda).ok());
  EXPECT_GT(backend.made(), 0);
}

TEST_P(BackendTest, Works) {
  options_.threads = 1;  // for each search
  for (const Backend asked_for : {Backend::kCuda, Backend::kAuto}) {
    FakeBackend backend({});
    SetCudaBackend(&backend);
    const Result<File> file = EncodeBy(asked_for);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_TRUE(*file == on_cpu_);
    EXPECT_EQ(stats_.backend, Backend::kCuda);
    EXPECT_EQ(stats_.backend_note, "");
    EXPECT_EQ(stats_.threads, backend.made());
    EXPECT_EQ(stats_.macroblocks, 8);
    EXPECT_GT(stats_.nodes_searched, 0);
    EXPECT_EQ(backend.searched(), 8);
  }
}

// While a device searches, threads code flags; it filters in the end, and threads where it fails
// to.
TEST_P(BackendTest, BytesDoNotDependOnThreads) {
  const Image image = Draw(Picture::kTexture, 128, 112, 7);
  options_.order = MacroblockOrder::kWavefront;
  options_.tile_width = options_.tile_height = 0;
  for (const Preset preset : {Preset::kFast, Preset::kBest}) {
    options_.preset = preset;
    options_.backend = Backend::kCpu;
    const File on_cpu = MustEncode(image.View(), options_);
    options_.backend = Backend::kCuda;
    for (const size_t filterings : {100, 1, 0}) {
      FakeBackend backend({.status = {}, .filterings = filterings});
      SetCudaBackend(&backend);
      for (const int threads : {1, 3, 8}) {
        options_.threads = threads;
        EXPECT_TRUE(MustEncode(image.View(), options_) == on_cpu) << threads << " threads";
      }
      EXPECT_EQ(backend.filtered() > 0, filterings > 0);
      EXPECT_EQ(backend.distrusted() > 0, filterings < 2);
      SetCudaBackend(nullptr);
    }
  }
}

TEST_P(BackendTest, IsNotAskedForTheCpu) {
  FakeBackend backend({});
  SetCudaBackend(&backend);
  ASSERT_TRUE(EncodeBy(Backend::kCpu).ok());
  EXPECT_EQ(backend.made(), 0);
  EXPECT_EQ(stats_.backend_note, "");
}

TEST_P(BackendTest, NoDevice) {
  const Status failure(StatusCode::kUnavailable, "there is no device");
  FakeBackend backend({failure, true});
  ExpectFailure(backend, failure);
  ExpectFallback(backend, failure);
  EXPECT_EQ(backend.made(), 0);
}

TEST_P(BackendTest, NoSearchCanBeMade) {
  for (const StatusCode code : {StatusCode::kUnavailable, StatusCode::kOutOfMemory}) {
    const Status failure(code, "the device is full");
    FakeBackend first({.status = failure, .searches = 0});
    ExpectFailure(first, failure);
    FakeBackend second({.status = failure, .searches = 0});
    ExpectFallback(second, failure);
  }
}

// The tiles are coded with as many searches as the device has memory for.
TEST_P(BackendTest, OneSearchCanBeMade) {
  options_.threads = 1;  // for each search
  FakeBackend backend({.status = {StatusCode::kOutOfMemory, "the device is full"}, .searches = 1});
  SetCudaBackend(&backend);
  const Result<File> file = EncodeBy(Backend::kCuda);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(*file == on_cpu_);
  EXPECT_EQ(stats_.threads, 1);
}

TEST_P(BackendTest, FailsAfterSomeMacroblocks) {
  for (const StatusCode code : {StatusCode::kUnavailable, StatusCode::kOutOfMemory}) {
    for (const int macroblocks : {0, 1, 3, 7}) {
      SCOPED_TRACE(testing::Message() << "after " << macroblocks << " macroblocks");
      const Status failure(code, "the device fell off the bus");
      FakeBackend first({.status = failure, .macroblocks = macroblocks});
      ExpectFailure(first, failure);
      FakeBackend second({.status = failure, .macroblocks = macroblocks});
      ExpectFallback(second, failure);
    }
  }
}

// What is not the device's fault is reported as it is, and not tried again on the CPU.
TEST_P(BackendTest, OtherErrorsAreTheCallers) {
  for (const Backend asked_for : {Backend::kCuda, Backend::kAuto}) {
    FakeBackend backend({});
    SetCudaBackend(&backend);
    int calls = 0;
    options_.progress = [&calls](double) { return ++calls < 2; };
    const Result<File> file = EncodeBy(asked_for);
    ASSERT_FALSE(file.ok());
    EXPECT_EQ(file.status().code(), StatusCode::kCancelled);
    EXPECT_LT(backend.searched(), 9);
  }
}

INSTANTIATE_TEST_SUITE_P(TileSides, BackendTest, testing::Values(0, 16));

}  // namespace
}  // namespace mmp
