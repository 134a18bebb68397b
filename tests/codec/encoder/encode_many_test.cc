// Many images at once, on devices that work or fail. The devices here are the CPU's search in
// disguise, so this needs none.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/encoder/search_backend.h"
#include "codec/search/cpu_search.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using File = std::vector<uint8_t>;

// What a device of FakeDevices can do.
struct Ability {
  int most_searches = 2;          // it has use for so many searches at a time
  int macroblocks = 1 << 30;      // it breaks after so many
  int searches = 1 << 30;         // it has memory for so many at a time,
  int dictionary_size = 1 << 30;  // each of so many patterns a level
  bool distorts = false;          // it sees pixels that are not there
};

class FakeDevices : public SearchBackend {
 public:
  explicit FakeDevices(const std::vector<Ability>& abilities) {
    for (const Ability& ability : abilities) devices_.emplace_back(ability);
  }
  ~FakeDevices() override {
    for (const Device& device : devices_) EXPECT_EQ(device.searches, 0);
  }

  Status Available() override { return {}; }
  int Devices() override { return static_cast<int>(devices_.size()); }
  int MostSearches(int device) override { return devices_.at(device).ability.most_searches; }
  Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const SearchKind& kind,
                                                       int device) override {
    Device& d = devices_.at(device);
    EXPECT_GE(kind.side_by_side, 1);
    EXPECT_LE(kind.side_by_side, d.ability.most_searches);
    ++made_;
    timed_ += kind.timing;
    if (++d.searches > d.ability.searches ||
        kind.parameters.dictionary_size > d.ability.dictionary_size) {
      --d.searches;
      return Status(StatusCode::kOutOfMemory, "the device is full");
    }
    return std::unique_ptr<MacroblockSearch>(
        std::make_unique<FakeSearch>(*this, d, kind.speed_features));
  }

  int made() const { return made_; }
  int searched(int device) const { return devices_[device].searched; }
  int most_at_work() const { return most_at_work_; }
  int timed() const { return timed_; }
  int distrusted() const { return distrusted_; }

 private:
  struct Device {
    explicit Device(const Ability& a) : ability(a) {}

    const Ability ability;
    std::atomic<int> searches{0}, searched{0};
  };

  class FakeSearch : public MacroblockSearch {
   public:
    FakeSearch(FakeDevices& all, Device& device, const SpeedFeatures& speed_features)
        : all_(all), device_(device), search_(MakeCpuSearch(speed_features, false)) {}
    ~FakeSearch() override { --device_.searches; }

    Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                  TaskPool& /*pool*/, const std::function<void()>& beside) override {
      device_.searched += static_cast<int>(front.size());
      if (device_.searched > device_.ability.macroblocks)
        return {StatusCode::kUnavailable, "the device fell off the bus"};
      const int at_work = ++all_.at_work_;
      int most = all_.most_at_work_;
      while (at_work > most && !all_.most_at_work_.compare_exchange_weak(most, at_work)) {
      }
      std::vector<SearchedMacroblock> seen(front.begin(), front.end());
      if (device_.ability.distorts) seen[0].original.samples[37] ^= 1;
      const Status status = search_->Search(tile, lambda, seen, TaskPool::Alone(), beside);
      for (size_t i = 0; i < seen.size(); ++i) front[i].symbols = std::move(seen[i].symbols);
      --all_.at_work_;
      return status;
    }
    bool IsElsewhere() const override { return true; }
    void Distrust() override { ++all_.distrusted_; }
    SearchStats Stats() const override { return search_->Stats(); }

   private:
    FakeDevices& all_;
    Device& device_;
    std::unique_ptr<MacroblockSearch> search_;
  };

  std::deque<Device> devices_;
  std::atomic<int> made_{0}, at_work_{0}, most_at_work_{0}, distrusted_{0}, timed_{0};
};

// Encodes one after the other use the same device, the first.
TEST(EncodeDevicesTest, OneAfterTheOtherOnTheFirst) {
  FakeDevices devices({{}, {}, {}});
  SetCudaBackend(&devices);
  const Image image = Draw(Picture::kTexture, 16, 16, 1);
  EncodeOptions options;
  options.backend = Backend::kCuda;
  options.preset = Preset::kFast;
  options.modes = 1;
  options.dictionary_size = kMinDictionarySize;
  for (int round = 1; round <= 4; ++round) {
    EXPECT_TRUE(Encode(image.View(), options).ok());
    EXPECT_EQ(devices.searched(0), round);
  }
  SetCudaBackend(nullptr);
}

class EncodeManyTest : public testing::Test {
 protected:
  // Jobs of one tile and of several, at different settings, all for `backend`.
  explicit EncodeManyTest() {
    for (int i = 0; i < kJobs; ++i) images_[i] = Draw(Picture::kTexture, 16 + 7 * i, 17, i + 1);
  }
  ~EncodeManyTest() override { SetCudaBackend(nullptr); }

  std::vector<EncodeJob> Jobs(Backend backend) const {
    std::vector<EncodeJob> jobs(kJobs);
    for (int i = 0; i < kJobs; ++i) {
      EncodeOptions& options = jobs[i].options;
      jobs[i].image = images_[i].View();
      options.backend = backend;
      options.preset = Preset::kFast;
      options.modes = 1;  // this and small dictionaries: quick
      options.lambda = 50 * (i % 3);
      if (i % 2 == 1) options.tile_width = options.tile_height = 16;
      options.dictionary_size = i % 4 == 2 ? 100 : 69;
    }
    return jobs;
  }

  struct Encoded {
    File file;
    EncodeStats stats;
  };
  // What Encode makes of job `i` of Jobs, which may differ in dictionary size and lambda only.
  static const Encoded& EncodeAlone(EncodeJob job, size_t i) {
    static std::map<std::tuple<size_t, int, double>, Encoded> known;
    const auto [at, is_new] =
        known.try_emplace({i, *job.options.dictionary_size, job.options.lambda});
    Encoded& encoded = at->second;
    if (is_new) {
      job.options.backend = Backend::kCpu;
      job.options.threads = 1;  // several would count more nodes
      encoded.file = MustEncode(job.image, job.options, &encoded.stats);
    }
    return encoded;
  }

  void Run(const std::vector<EncodeJob>& jobs, SearchBackend* backend,
           const EncodeManyOptions& options = {.threads = 2}) {
    SetCudaBackend(backend);
    files_ = EncodeMany(jobs, options, &stats_);
    ASSERT_EQ(files_.size(), jobs.size());
    ASSERT_EQ(stats_.size(), jobs.size());
  }
  // All are as Encode makes them, and by `backend`, for which there is a note if it is not empty.
  void ExpectAll(const std::vector<EncodeJob>& jobs, Backend backend, const std::string& note) {
    for (size_t i = 0; i < jobs.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "job " << i);
      ExpectFile(jobs, i);
      EXPECT_EQ(stats_[i].backend, backend);
      EXPECT_EQ(stats_[i].backend_note, note);
    }
  }
  void ExpectFile(const std::vector<EncodeJob>& jobs, size_t i) {
    ASSERT_TRUE(files_[i].ok()) << files_[i].status().message();
    const auto& [file, alone] = EncodeAlone(jobs[i], i);
    EXPECT_TRUE(*files_[i] == file);
    EXPECT_EQ(stats_[i].tiles, alone.tiles);
    EXPECT_EQ(stats_[i].macroblocks, alone.macroblocks);
    EXPECT_EQ(stats_[i].nodes_searched, alone.nodes_searched);
    EXPECT_EQ(stats_[i].mode_searches, alone.mode_searches);
    EXPECT_EQ(stats_[i].blocks_matched, alone.blocks_matched);
    EXPECT_GE(stats_[i].threads, 1);
  }
  void ExpectFailures(StatusCode code, const std::string& message) {
    for (const Result<File>& file : files_) {
      ASSERT_FALSE(file.ok());
      EXPECT_EQ(file.status().code(), code);
      EXPECT_EQ(file.status().message(), message);
    }
  }

  static constexpr int kJobs = 9;
  Image images_[kJobs];
  std::vector<Result<File>> files_;
  std::vector<EncodeStats> stats_;
};

TEST_F(EncodeManyTest, NoJobs) { Run({}, nullptr); }

TEST_F(EncodeManyTest, OnTheCpu) {
  for (const int threads : {1, 2, 5}) {
    const auto jobs = Jobs(Backend::kCpu);
    Run(jobs, nullptr, {.threads = threads});
    ExpectAll(jobs, Backend::kCpu, "");
  }
}

TEST_F(EncodeManyTest, WithoutABackend) {
  const auto automatic = Jobs(Backend::kAuto);
  Run(automatic, nullptr);
  ExpectAll(automatic, Backend::kCpu, "this program was built without CUDA, or has not enabled it");
  Run(Jobs(Backend::kCuda), nullptr);
  ExpectFailures(
      StatusCode::kUnavailable,
      "this program was built without CUDA, or has not enabled it; the CPU can be used instead");
}

TEST_F(EncodeManyTest, OnDevices) {
  for (const int count : {1, 2, 4}) {
    for (const Backend asked_for : {Backend::kCuda, Backend::kAuto}) {
      FakeDevices devices(std::vector<Ability>(count, Ability{}));
      const auto jobs = Jobs(asked_for);
      Run(jobs, &devices);
      ExpectAll(jobs, Backend::kCuda, "");
      EXPECT_LE(devices.most_at_work(), 2 * count);
    }
  }
}

// For the next tile or job of the same parameters; lambda does not matter.
TEST_F(EncodeManyTest, ASearchIsUsedAgain) {
  FakeDevices devices({Ability{.most_searches = 1}});
  auto jobs = Jobs(Backend::kCuda);
  for (EncodeJob& job : jobs) job.options.dictionary_size = 69;
  Run(jobs, &devices, {.threads = 1});
  ExpectAll(jobs, Backend::kCuda, "");
  EXPECT_EQ(devices.most_at_work(), 1);
  EXPECT_EQ(devices.made(), 1);
  for (const EncodeStats& stats : stats_) EXPECT_EQ(stats.threads, 1);
}

TEST_F(EncodeManyTest, MixedBackends) {
  FakeDevices devices({{}, {}});
  auto jobs = Jobs(Backend::kAuto);
  for (size_t i = 0; i < jobs.size(); i += 2) jobs[i].options.backend = Backend::kCpu;
  Run(jobs, &devices);
  for (size_t i = 0; i < jobs.size(); ++i) {
    ExpectFile(jobs, i);
    EXPECT_EQ(stats_[i].backend, i % 2 == 0 ? Backend::kCpu : Backend::kCuda);
  }
}

TEST_F(EncodeManyTest, OneDeviceBreaks) {
  for (const int macroblocks : {0, 1, 5}) {
    FakeDevices devices({{}, {.macroblocks = macroblocks}, {}});
    const auto jobs = Jobs(Backend::kCuda);
    Run(jobs, &devices);
    ExpectAll(jobs, Backend::kCuda, "");
    // Each of its workers sees that once, with a front of at most four macroblocks.
    EXPECT_LE(devices.searched(1), macroblocks + 2 * 4);
  }
}

TEST_F(EncodeManyTest, WhatShouldBeLosslessIs) {
  FakeDevices devices({{.distorts = true}, {}});
  auto jobs = Jobs(Backend::kCuda);
  for (EncodeJob& job : jobs) job.options.lambda = 0;
  Run(jobs, &devices);
  ExpectAll(jobs, Backend::kCuda, "");
  EXPECT_GT(devices.searched(0), 0);
  EXPECT_EQ(devices.distrusted(), devices.searched(0));

  FakeDevices all({Ability{.distorts = true}});
  Run(jobs, &all);
  ExpectFailures(StatusCode::kUnavailable,
                 "the search failed: it lost pixels at lambda 0; the CPU can be used instead");
}

TEST_F(EncodeManyTest, AllDevicesBreak) {
  const Ability breaks = {.macroblocks = 4};
  FakeDevices first({breaks, breaks});
  const auto automatic = Jobs(Backend::kAuto);
  Run(automatic, &first);
  int by_devices = 0;
  for (size_t i = 0; i < automatic.size(); ++i) {
    ExpectFile(automatic, i);
    if (stats_[i].backend == Backend::kCuda)
      ++by_devices;
    else
      EXPECT_EQ(stats_[i].backend_note, "the device fell off the bus");
  }
  EXPECT_LE(by_devices, 3);

  FakeDevices second({breaks, breaks});
  const auto jobs = Jobs(Backend::kCuda);
  Run(jobs, &second);
  int failed = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (files_[i].ok()) {
      ExpectFile(jobs, i);
      continue;
    }
    ++failed;
    EXPECT_EQ(files_[i].status().code(), StatusCode::kUnavailable);
    EXPECT_EQ(files_[i].status().message(),
              "the device fell off the bus; the CPU can be used instead");
  }
  EXPECT_GE(failed, kJobs - 3);
}

TEST_F(EncodeManyTest, MemoryForOneSearchADevice) {
  FakeDevices devices({{.searches = 1}, {.searches = 1}, {.searches = 0}});
  const auto jobs = Jobs(Backend::kCuda);
  Run(jobs, &devices);
  ExpectAll(jobs, Backend::kCuda, "");
  EXPECT_LE(devices.most_at_work(), 2);
}

TEST_F(EncodeManyTest, MemoryForNone) {
  const Ability full = {.searches = 0};
  FakeDevices devices({full, full});
  const auto automatic = Jobs(Backend::kAuto);
  Run(automatic, &devices);
  ExpectAll(automatic, Backend::kCpu, "the device is full");
  Run(Jobs(Backend::kCuda), &devices);
  ExpectFailures(StatusCode::kOutOfMemory, "the device is full; the CPU can be used instead");
}

TEST_F(EncodeManyTest, MemoryForLargeJobsOnOneDevice) {
  const Ability small = {.dictionary_size = 100};
  auto jobs = Jobs(Backend::kCuda);
  for (const size_t large : {0, 1, 5}) jobs[large].options.dictionary_size = 200;
  FakeDevices devices({small, {}, small});
  Run(jobs, &devices);
  ExpectAll(jobs, Backend::kCuda, "");
}

TEST_F(EncodeManyTest, AFullDeviceIsLeftToOthers) {
  FakeDevices devices({{.searches = 0}, {.searches = 0}, {}, {.searches = 0}});
  for (int round = 0; round < 8; ++round) {  // beginning with each
    const std::vector<EncodeJob> jobs = {Jobs(Backend::kCuda)[0]};
    Run(jobs, &devices);
    ExpectAll(jobs, Backend::kCuda, "");
  }
}

TEST_F(EncodeManyTest, Progress) {
  FakeDevices devices({{}, {.macroblocks = 3}});
  std::atomic<int> calls{0};
  EncodeManyProgress last;  // plain: ThreadSanitizer would see two calls at once
  EncodeManyOptions options = {
      .threads = 2, .progress = [&](const EncodeManyProgress& progress) {
        EXPECT_EQ(progress.total, kJobs);
        EXPECT_LE(progress.done + progress.failed + progress.running, kJobs);
        EXPECT_GE(progress.done + progress.failed, last.done + last.failed);
        EXPECT_GE(progress.fraction, 0);
        EXPECT_LE(progress.fraction, 1);
        last = progress;
        ++calls;
        return true;
      }};
  auto jobs = Jobs(Backend::kAuto);
  jobs[3].options.lambda = -1;
  Run(jobs, &devices, options);
  EXPECT_GE(calls, kJobs);
  EXPECT_EQ(last.done, kJobs - 1);
  EXPECT_EQ(last.failed, 1);
  EXPECT_EQ(last.running, 0);
  EXPECT_EQ(last.fraction, 1);
}

TEST_F(EncodeManyTest, CancelledAfterTheFirst) {
  for (const Backend backend : {Backend::kCpu, Backend::kCuda}) {
    FakeDevices devices({Ability{}});
    const auto jobs = Jobs(backend);
    bool cancelled = false;
    Run(jobs, &devices, {.threads = 2, .progress = [&](const EncodeManyProgress& progress) {
                           EXPECT_FALSE(cancelled);
                           cancelled = progress.done > 0;
                           return !cancelled;
                         }});
    int done = 0;
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (files_[i].ok()) {
        ++done;
        ExpectFile(jobs, i);
      } else {
        EXPECT_EQ(files_[i].status().code(), StatusCode::kCancelled);
      }
    }
    EXPECT_GE(done, 1);
    EXPECT_LT(done, kJobs);
  }
}

TEST_F(EncodeManyTest, OneJobCancelsItself) {
  FakeDevices devices({Ability{}});
  auto jobs = Jobs(Backend::kCuda);
  jobs[5].options.progress = [](double) { return false; };
  Run(jobs, &devices);
  EXPECT_EQ(files_[5].status().code(), StatusCode::kCancelled);
  for (size_t i = 0; i < jobs.size(); ++i)
    if (i != 5) ExpectFile(jobs, i);
}

// It works on the CPU, also where a device's workers take its tiles.
TEST_F(EncodeManyTest, ThePixelCoderHasNoMoreThreadsThanThereAre) {
  FakeDevices devices({Ability{.most_searches = 6}});
  std::atomic<int> at_work{0}, most_at_work{0};
  std::vector<EncodeJob> jobs(kJobs);
  for (int i = 0; i < kJobs; ++i) {
    jobs[i].image = images_[i].View();
    jobs[i].options.max_error = 1;
    jobs[i].options.progress = [&](double) {
      const int now = ++at_work;
      int most = most_at_work;
      while (now > most && !most_at_work.compare_exchange_weak(most, now)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      --at_work;
      return true;
    };
  }
  for (const int threads : {1, 2}) {
    most_at_work = 0;
    Run(jobs, &devices, {.threads = threads});
    for (const Result<File>& file : files_) EXPECT_TRUE(file.ok()) << file.status().message();
    EXPECT_LE(most_at_work, threads);
  }
}

// Not only behind a whole tile, which may be the image.
TEST_F(EncodeManyTest, ThePixelCoderStopsWithinATile) {
  const Image image = Draw(Picture::kTexture, 64, 64, 1);
  EncodeJob job = {.image = image.View()};
  job.options.max_error = 0;
  std::vector<double> calls;
  job.options.progress = [&](double done) {
    calls.push_back(done);
    return false;
  };
  Run({job}, nullptr);
  EXPECT_EQ(files_[0].status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, std::vector<double>{0});
}

// When all macroblocks are coded.
TEST_F(EncodeManyTest, TheNetworkFilterStops) {
  const Image image = Draw(Picture::kTexture, 64, 64, 1);
  EncodeJob job = {.image = image.View()};
  job.options.preset = Preset::kFast;
  job.options.coder = Coder::kPatterns;
  int calls_at_end = 0;
  job.options.progress = [&](double done) {
    if (done < 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // for another call to be due
    return ++calls_at_end < 2;
  };
  Run({job}, nullptr);
  EXPECT_EQ(files_[0].status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls_at_end, 2);
}

// Before the tiles.
TEST_F(EncodeManyTest, APreviewIsCancelled) {
  const Image image = Draw(Picture::kTexture, 300, 200, 1);
  EncodeJob job = {.image = image.View()};
  job.options.preset = Preset::kFast;
  job.options.preview = true;
  int calls = 0;
  Run({job}, nullptr, {.threads = 2, .progress = [&](const EncodeManyProgress& progress) {
                         ++calls;
                         EXPECT_EQ(progress.running, 0);
                         return false;
                       }});
  EXPECT_EQ(files_[0].status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 1);

  std::vector<double> calls_of_job;
  job.options.progress = [&](double done) {
    calls_of_job.push_back(done);
    return false;
  };
  Run({job}, nullptr);
  EXPECT_EQ(files_[0].status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls_of_job, std::vector<double>{0});
}

// One at a time where one worker works; a job whose image cannot be loaded is the only one to fail.
TEST_F(EncodeManyTest, ImagesAreLoadedWhenNeeded) {
  FakeDevices devices({Ability{.most_searches = 1}});
  const auto with_images = Jobs(Backend::kCuda);
  auto jobs = with_images;
  std::atomic<int> loaded{0}, ended{0};
  for (int i = 0; i < kJobs; ++i) {
    jobs[i].image = {};
    jobs[i].load = [&, i]() -> Result<ImageView> {
      EXPECT_EQ(loaded++, ended);
      if (i == 2) return Status(StatusCode::kIo, "cannot read it");
      return images_[i].View();
    };
  }
  SetCudaBackend(&devices);
  files_.assign(kJobs, File());
  stats_.assign(kJobs, {});
  std::vector<std::atomic<int>> calls(kJobs);
  EncodeMany(jobs, {}, [&](size_t job, Result<File> file, const EncodeStats& stats) {
    ++ended;
    ++calls[job];
    files_[job] = std::move(file);
    stats_[job] = stats;
  });
  for (int i = 0; i < kJobs; ++i) {
    EXPECT_EQ(calls[i], 1);
    if (i == 2)
      EXPECT_EQ(files_[i].status().code(), StatusCode::kIo);
    else
      ExpectFile(with_images, i);
  }
}

// Jobs, of which the last is loaded when all others have ended: then no worker has anything to do.
class EncodeManyWaitingTest : public EncodeManyTest {
 protected:
  void EncodeAll(SearchBackend& devices, const std::function<Result<ImageView>()>& load_last,
                 const EncodeManyOptions& options = {.threads = 2}) {
    jobs_ = Jobs(Backend::kCuda);
    EncodeJob& last = jobs_.back();
    last.options.modes = kAllModes;  // slow enough for all workers to take part
    last.options.tile_width = last.options.tile_height = 16;
    std::atomic<int> ended{0};
    last.load = [&] {
      while (ended < kJobs - 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return load_last();
    };
    SetCudaBackend(&devices);
    files_.assign(kJobs, File());
    stats_.assign(kJobs, {});
    EncodeMany(jobs_, options, [&](size_t job, Result<File> file, const EncodeStats& stats) {
      files_[job] = std::move(file);
      stats_[job] = stats;
      ++ended;
    });
    for (int i = 0; i < kJobs - 1; ++i) ExpectFile(jobs_, i);
  }

  const Image large_ = Draw(Picture::kTexture, 256, 64, 3);
  std::vector<EncodeJob> jobs_;
};

TEST_F(EncodeManyWaitingTest, AllWorkersCodeTheTilesOfTheLastJob) {
  FakeDevices devices({Ability{.most_searches = 4}});
  EncodeAll(devices, [&] { return large_.View(); });
  ASSERT_TRUE(files_.back().ok()) << files_.back().status().message();
  EXPECT_EQ(stats_.back().tiles, 64);
  EXPECT_GT(stats_.back().threads, 1);
}

TEST_F(EncodeManyWaitingTest, TheLastImageCannotBeLoaded) {
  FakeDevices devices({Ability{.most_searches = 4}});
  EncodeAll(devices, [] { return Status(StatusCode::kIo, "cannot read it"); });
  EXPECT_EQ(files_.back().status().code(), StatusCode::kIo);
}

// The device breaks among the last job's tiles, which all workers have waited for.
TEST_F(EncodeManyWaitingTest, TheDeviceBreaks) {
  FakeDevices all({Ability{.most_searches = 4}});
  EncodeAll(all, [&] { return large_.View(); });
  const File expected = *files_.back();
  FakeDevices breaking(
      {{.most_searches = 4, .macroblocks = all.searched(0) - 60}, {.most_searches = 1}});
  EncodeAll(breaking, [&] { return large_.View(); });
  ASSERT_TRUE(files_.back().ok()) << files_.back().status().message();
  EXPECT_TRUE(*files_.back() == expected);
}

// While the workers wait.
TEST_F(EncodeManyWaitingTest, Cancelled) {
  FakeDevices devices({Ability{.most_searches = 4}});
  EncodeAll(devices, [&] { return large_.View(); },
            {.threads = 2, .progress = [](const EncodeManyProgress& progress) {
               return progress.done < kJobs - 1;
             }});
  EXPECT_EQ(files_.back().status().code(), StatusCode::kCancelled);
}

// A search that takes times is not one that does not.
TEST_F(EncodeManyTest, StagesAreTimedIfAskedFor) {
  FakeDevices devices({Ability{.most_searches = 1}});
  auto jobs = Jobs(Backend::kCuda);
  Run(jobs, &devices);
  EXPECT_EQ(devices.timed(), 0);
  jobs[3].options.time_stages = true;
  Run(jobs, &devices);
  EXPECT_EQ(devices.timed(), 1);
  EXPECT_GT(stats_[3].seconds_coding, 0);
  EXPECT_EQ(stats_[4].seconds_coding, 0);
}

// Images are loaded in turn: no more are held than are worked on.
class LoadedImagesTest : public testing::Test {
 protected:
  // The most jobs of `count` that are loaded and have not ended.
  int MostLoaded(int count, int side, int tile_side, int threads) {
    const Image image = Draw(Picture::kTexture, side, side, 1);
    std::atomic<int> loaded{0}, most{0};
    std::vector<EncodeJob> jobs(count);
    for (EncodeJob& job : jobs) {
      job.options.preset = Preset::kFast;
      job.options.dictionary_size = 69;
      job.options.backend = Backend::kCpu;
      job.options.tile_width = job.options.tile_height = tile_side;
      job.load = [&]() -> Result<ImageView> {
        const int now = ++loaded;
        int before = most;
        while (now > before && !most.compare_exchange_weak(before, now)) {
        }
        return image.View();
      };
    }
    int done = 0;
    std::mutex mutex;
    EncodeMany(jobs, {.threads = threads},
               [&](size_t, const Result<File>& file, const EncodeStats&) {
                 EXPECT_TRUE(file.ok());
                 --loaded;
                 const std::lock_guard lock(mutex);
                 ++done;
               });
    EXPECT_EQ(done, count);
    return most;
  }
};

TEST_F(LoadedImagesTest, OfManyTilesAreFew) {
  // One, and that which follows while the last tiles of it are coded; more where threads must wait
  // for their turn in the middle of a tile.
  for (const int threads : {4, 16}) EXPECT_LE(MostLoaded(8, 128, 32, threads), 5) << threads;
}

TEST_F(LoadedImagesTest, OfOneTileAreOneAThread) {
  for (const int threads : {1, 3, 8}) EXPECT_LE(MostLoaded(20, 16, 0, threads), threads);
  // All that there are have something to do.
  EXPECT_LE(MostLoaded(5, 16, 0, 8), 5);
}

}  // namespace
}  // namespace mmp
