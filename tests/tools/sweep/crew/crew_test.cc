#include "tools/sweep/crew/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/image_files/image_io.h"
#include "tests/support/pictures.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/sweep/sweep_output.h"
#include "tools/sweep/crew/crew_messages.h"
#include "tools/sweep/sweep.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Messages between threads, which play the ranks.
class PostOffice {
 public:
  explicit PostOffice(int ranks) : boxes_(ranks), results_(ranks) {}

  int ranks() const { return static_cast<int>(boxes_.size()); }
  int results(int rank) const { return results_[rank]; }  // that it has sent

  void Send(int from, const Message& message) {
    const std::lock_guard lock(mutex_);
    boxes_[message.rank].push_back({from, message.kind, message.text});
    if (message.kind == MessageKind::kResult) ++results_[from];
  }
  std::optional<Message> Receive(int rank) {
    const std::lock_guard lock(mutex_);
    if (boxes_[rank].empty()) return std::nullopt;
    Message message = std::move(boxes_[rank].front());
    boxes_[rank].pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Message>> boxes_;
  std::vector<std::atomic<int>> results_;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(PostOffice& office, int rank) : office_(office), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return office_.ranks(); }
  std::string host() const override { return "machine" + std::to_string(rank_); }
  int host_rank() const override { return 0; }
  int host_size() const override { return 1; }
  void Send(const Message& message) override { office_.Send(rank_, message); }
  std::optional<Message> Receive() override { return office_.Receive(rank_); }
  [[noreturn]] void EndAll(int /*exit_code*/) override { std::abort(); }

  Message WaitFor(MessageKind kind) {
    while (true) {
      std::optional<Message> message = Receive();
      if (message && message->kind == kind) return *std::move(message);
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

 private:
  PostOffice& office_;
  const int rank_;
};

class CrewTest : public testing::Test {
 protected:
  using Part = std::function<void(ThreadRanks&)>;

  CrewTest() {
    copier_ = {.name = "copier",
               .parameter_name = "quality",
               .qualities = {1, 2, 3, 4, 5, 6},
               .debian_packages = "none",
               .version_command = "echo v1.0",
               .input = PictureFile::kPgm,
               .encode = "sleep 0.05",
               .coded_file = "picture.pgm",
               .decode = "cp picture.pgm decoded.pgm",
               .decoded_file = "decoded.pgm"};
    request_.inputs = {Write("a.png", Draw(Picture::kTexture, 24, 17, 1)),
                       Write("b.png", Draw(Picture::kGradient, 16, 20, 2))};
    request_.lambdas = {0, 20, 200};
    request_.settings = {{Preset::kFast}};
    request_.against = {&copier_};
    request_.backend = Backend::kCpu;
    request_.jobs = 1;
    request_.folder = folder_ / "out";
  }

  std::string Write(const std::string& name, const Image& image) {
    EXPECT_TRUE(WriteImage(folder_ / name, image.View()).ok());
    return folder_ / name;
  }

  static Part Works(const Result<SweepRequest>& request) {
    return [request](ThreadRanks& ranks) { WorkForLeader(ranks, request, kTiming); };
  }

  // A sweep with these ranks beside the leader.
  Result<SweepResults> Run(const std::vector<Part>& others) {
    office_ = std::make_unique<PostOffice>(1 + static_cast<int>(others.size()));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < others.size(); ++i) {
      threads.emplace_back([&, i] {
        ThreadRanks ranks(*office_, static_cast<int>(i) + 1);
        others[i](ranks);
      });
    }
    testing::internal::CaptureStderr();
    Result<SweepResults> results = [&] {
      ThreadRanks ranks(*office_, 0);
      Leader leader(ranks, kTiming);
      Result<SweepResults> done = RunSweep(request_, std::bind_front(&Leader::Measure, &leader));
      lost_any_ = leader.lost_any();
      return done;
    }();
    err_ = testing::internal::GetCapturedStderr();
    for (std::thread& thread : threads) thread.join();
    return results;
  }

  // What one process makes of it.
  std::vector<CsvRow> PointsAlone() {
    SweepRequest request = request_;
    request.folder = folder_ / "alone";
    EXPECT_TRUE(RunSweep(request).ok());
    return TimelessPoints(request.folder);
  }

  static constexpr CrewTiming kTiming = {
      .poll = milliseconds(1), .alive = milliseconds(20), .silence = milliseconds(1000)};

  TemporaryFolder folder_;
  ExternalCodec copier_;
  SweepRequest request_;
  std::unique_ptr<PostOffice> office_;
  std::string err_;
  bool lost_any_ = false;
};

TEST_F(CrewTest, ManyMakeWhatOneMakes) {
  const std::vector<CsvRow> alone = PointsAlone();
  EXPECT_EQ(alone.size(), 1U + 2 * (3 + 6));
  for (size_t others = 1; others <= 3; ++others) {
    request_.folder = folder_ / std::to_string(others);
    EXPECT_TRUE(Run(std::vector<Part>(others, Works(request_))).ok());
    EXPECT_EQ(err_, "");
    EXPECT_FALSE(lost_any_);
    EXPECT_EQ(TimelessPoints(request_.folder), alone);
    EXPECT_EQ(CountLines(ReadText(request_.folder + "/journal.jsonl")), 18U);
    // The slow ones are shared.
    for (size_t rank = 1; rank <= others; ++rank)
      EXPECT_GE(office_->results(static_cast<int>(rank)), 1) << rank << " of " << others;
  }
}

TEST_F(CrewTest, KeptFilesAreThere) {
  request_.keep_bitstreams = true;
  request_.keep_decoded = true;
  const Result<SweepResults> results = Run({Works(request_), Works(request_)});
  ASSERT_TRUE(results.ok());
  ASSERT_EQ(results->points.size(), 18U);
  for (const RdPoint& point : results->points) {
    EXPECT_EQ(fs::file_size(request_.folder + "/" + point.bitstream_path), point.bytes);
    EXPECT_TRUE(fs::exists(request_.folder + "/" + point.decoded_path));
  }
}

TEST_F(CrewTest, NothingToDo) {
  ASSERT_TRUE(Run({Works(request_)}).ok());
  ASSERT_TRUE(Run({Works(request_)}).ok());
  EXPECT_NE(err_.find("18 of 18 points are in"), std::string::npos) << err_;
  EXPECT_EQ(office_->results(1), 0);
}

TEST_F(CrewTest, FailuresAreThoseOfOneProcess) {
  copier_.encode = "false";
  request_.inputs.push_back(folder_ / "missing.png");
  const Result<SweepResults> results = Run({Works(request_), Works(request_)});
  ASSERT_TRUE(results.ok());
  SweepRequest request = request_;
  request.folder = folder_ / "alone";
  const Result<SweepResults> alone = RunSweep(request);
  ASSERT_EQ(results->failures.size(), 13U);
  ASSERT_EQ(alone->failures.size(), 13U);
  for (size_t i = 0; i < 13; ++i) {
    EXPECT_EQ(results->failures[i].image, alone->failures[i].image);
    EXPECT_EQ(results->failures[i].parameter, alone->failures[i].parameter);
    EXPECT_EQ(results->failures[i].message, alone->failures[i].message);
  }
}

// It has taken a task, and is not heard of again.
TEST_F(CrewTest, ASilentRankIsGivenUp) {
  const std::vector<CsvRow> alone = PointsAlone();
  bool granted = false;
  const Part dies = [&](ThreadRanks& ranks) {
    ranks.WaitFor(MessageKind::kPlan);
    ranks.Send({0, MessageKind::kAlive, ranks.host()});
    ranks.Send({0, MessageKind::kAwait});
    granted = ReadTask(ranks.WaitFor(MessageKind::kGrant).text).has_value();
  };
  ASSERT_TRUE(Run({dies, Works(request_)}).ok());
  EXPECT_TRUE(granted);
  EXPECT_TRUE(lost_any_);
  EXPECT_EQ(err_, "mmp: warning: rank 1 on machine1 does not answer; the others do its points\n");
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

// It has taken a task, and ends one that there is not.
TEST_F(CrewTest, ARankWhoseResultIsNoneIsGivenUp) {
  const std::vector<CsvRow> alone = PointsAlone();
  const Part lies = [&](ThreadRanks& ranks) {
    ranks.WaitFor(MessageKind::kPlan);
    ranks.Send({0, MessageKind::kAlive, ranks.host()});
    ranks.Send({0, MessageKind::kAwait});
    ranks.WaitFor(MessageKind::kGrant);
    ranks.Send({0, MessageKind::kResult, R"({"task":1000000,"failure":"x"})"});
  };
  ASSERT_TRUE(Run({lies, Works(request_)}).ok());
  EXPECT_TRUE(lost_any_);
  EXPECT_EQ(err_,
            "mmp: warning: rank 1 on machine1 sends what is no result; the others do its points\n");
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

TEST(CrewMessagesTest, ResultsAreOfTasksThatThereAre) {
  const std::optional<TaskEnd> end = ReadEnd(R"({"task":6,"failure":"x"})", 7);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->task, 6u);
  EXPECT_EQ(end->point.status().message(), "x");
  for (const char* text :
       {"", "{}", R"({"task":0})", R"({"failure":"x"})", R"({"task":7,"failure":"x"})",
        R"({"task":-1,"failure":"x"})", R"({"task":0.5,"failure":"x"})",
        R"({"task":1e300,"failure":"x"})", R"({"task":"0","failure":"x"})"}) {
    EXPECT_FALSE(ReadEnd(text, 7)) << text;
  }
}

TEST_F(CrewTest, PlansOfOtherRequestsAreRefused) {
  const auto plan = [](const std::string& input, const std::string& width) {
    return "{\"images\":[{\"input\":" + input + ",\"hash\":\"\",\"width\":" + width +
           ",\"height\":1}],\"keys\":[]}";
  };
  ASSERT_TRUE(ReadPlan(plan("0", "2147483647"), request_));
  const std::string behind = std::to_string(request_.inputs.size());
  for (const std::string& input :
       {std::string("-1"), std::string("1e300"), std::string("0.5"), behind})
    EXPECT_FALSE(ReadPlan(plan(input, "1"), request_)) << input;
  for (const char* width : {"-1", "2147483648", "1e300", "null"})
    EXPECT_FALSE(ReadPlan(plan("0", width), request_)) << width;
}

TEST_F(CrewTest, ARankThatDoesNotTakeItsPlanIsGivenUp) {
  const std::vector<CsvRow> alone = PointsAlone();
  ASSERT_TRUE(Run({[](ThreadRanks&) {}, Works(request_)}).ok());
  EXPECT_TRUE(lost_any_);
  EXPECT_EQ(err_, "mmp: warning: rank 1 does not answer; the others do its points\n");
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

// Whatever they are at, and however long that would take.
TEST_F(CrewTest, AllStopWhenTheLeaderIsInterrupted) {
  copier_.encode = "sleep 60";
  const SweepRequest workers_request = request_;
  std::atomic<bool> interrupted{false};
  request_.interrupted = [&] { return interrupted.load(); };
  const auto start = std::chrono::steady_clock::now();
  std::thread interrupter([&] {
    while (CountLines(ReadText(request_.folder + "/journal.jsonl")) < 6 &&
           std::chrono::steady_clock::now() < start + std::chrono::seconds(60))
      std::this_thread::sleep_for(milliseconds(1));
    interrupted = true;
  });
  const Result<SweepResults> results = Run({Works(workers_request), Works(workers_request)});
  interrupter.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->points.size(), 6U);
  EXPECT_EQ(results->points_left, 12U);
  EXPECT_TRUE(results->failures.empty());
  EXPECT_EQ(err_, "");
  EXPECT_FALSE(lost_any_);
  EXPECT_EQ(TimelessPoints(request_.folder).size(), 1U + 6);
  EXPECT_FALSE(fs::exists(request_.folder + "/scratch"));
}

TEST_F(CrewTest, ARankThatIsInterruptedLeaves) {
  const std::vector<CsvRow> alone = PointsAlone();
  SweepRequest interrupted = request_;
  interrupted.interrupted = [&] { return office_->results(1) > 0; };
  ASSERT_TRUE(Run({Works(interrupted)}).ok());
  EXPECT_EQ(err_, "mmp: warning: rank 1 on machine1 takes no part: it was interrupted\n");
  EXPECT_LT(office_->results(1), 6);
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

TEST_F(CrewTest, ARankWithoutTheFilesTakesNoPart) {
  const std::vector<CsvRow> alone = PointsAlone();
  SweepRequest no_image = request_;
  no_image.inputs[1] = folder_ / "elsewhere.png";
  SweepRequest no_folder = request_;
  no_folder.folder = folder_ / "elsewhere";
  ASSERT_TRUE(Run({Works(no_image), Works(no_folder)}).ok());
  EXPECT_EQ(CountLines(err_), 2U) << err_;
  for (const char* missing : {"elsewhere.png", "elsewhere"}) {
    EXPECT_NE(err_.find("takes no part: there is no '" + (folder_ / missing) +
                        "'; all ranks need the images and the folder of the results under the "
                        "same paths\n"),
              std::string::npos)
        << err_;
  }
  EXPECT_EQ(office_->results(1) + office_->results(2), 0);
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

TEST_F(CrewTest, ARankWithOtherEncodersOrOptionsTakesNoPart) {
  ExternalCodec other = copier_;
  other.version_command = "echo v1.1";
  SweepRequest other_version = request_;
  other_version.against = {&other};
  const Status no_codec(StatusCode::kUnavailable, "copier is not installed");
  ASSERT_TRUE(Run({Works(other_version), Works(no_codec)}).ok());
  EXPECT_EQ(CountLines(err_), 2U) << err_;
  EXPECT_NE(err_.find("takes no part: its mmp, or a codec to compare with, is not that of rank 0"),
            std::string::npos)
      << err_;
  EXPECT_NE(err_.find("takes no part: copier is not installed"), std::string::npos) << err_;
}

// What it cannot do, others can.
TEST_F(CrewTest, ARankWithoutADeviceLeaves) {
  // Points that take long enough for the rank to be given one.
  request_.inputs.push_back(Write("c.png", Draw(Picture::kTexture, 112, 112, 3)));
  request_.settings = {{Preset::kThesis}};
  const std::vector<CsvRow> alone = PointsAlone();
  SweepRequest needs_device = request_;
  needs_device.backend = Backend::kCuda;  // there is none
  ASSERT_TRUE(Run({Works(needs_device)}).ok());
  EXPECT_EQ(CountLines(err_), 1U) << err_;
  EXPECT_NE(err_.find("rank 1"), std::string::npos) << err_;
  EXPECT_NE(err_.find("CUDA"), std::string::npos) << err_;
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

TEST_F(CrewTest, ALeaderWithoutADeviceLeavesThePointsToOthers) {
  const std::vector<CsvRow> alone = PointsAlone();
  const SweepRequest workers_request = request_;
  request_.backend = Backend::kCuda;  // there is none
  const Result<SweepResults> results = Run({Works(workers_request), Works(workers_request)});
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE(results->failures.empty());
  EXPECT_EQ(CountLines(err_), 1U) << err_;
  EXPECT_NE(err_.find("rank 0 leaves the points to the others: "), std::string::npos) << err_;
  EXPECT_EQ(TimelessPoints(request_.folder), alone);
}

// What none can do fails, and that alone.
TEST_F(CrewTest, PointsFailWhenNoRankHasADevice) {
  request_.backend = Backend::kCuda;  // there is none
  const Result<SweepResults> results = Run({Works(request_), Works(request_)});
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->points.size(), 2 * 6U);  // those of the other codec
  ASSERT_EQ(results->failures.size(), 2 * 3U);
  for (const SweepFailure& failure : results->failures) {
    EXPECT_EQ(failure.code, StatusCode::kUnavailable);
    EXPECT_NE(failure.message.find("CUDA"), std::string::npos) << failure.message;
  }
  EXPECT_FALSE(lost_any_);
}

TEST_F(CrewTest, RanksAreLetGoWithoutAPlan) {
  fs::create_directories(folder_ / "file");
  WriteText(folder_ / "file/journal.jsonl", "");
  request_.folder = folder_ / "file/journal.jsonl";  // no folder
  EXPECT_EQ(Run({Works(request_), Works(request_)}).status().code(), StatusCode::kIo);
}

// As when the disk is full.
TEST_F(CrewTest, AnEventEndsTheWork) {
  PostOffice office(2);
  fs::create_directories(request_.folder);
  WriteText(request_.folder + "/journal.jsonl", "");
  std::thread other([&] {
    ThreadRanks ranks(office, 1);
    WorkForLeader(ranks, request_, kTiming);
  });
  Pictures pictures(request_.inputs, request_.read);
  const std::vector<Curve> curves = PlanCurves(request_);
  const std::vector<SweepTask> tasks = PlanTasks(pictures.images(), curves);
  std::atomic<int> started{0}, ended{0};
  ThreadRanks ranks(office, 0);
  {
    Leader leader(ranks, kTiming);
    leader.Measure(
        tasks, {request_, curves, pictures},
        {.start = [&](const SweepTask&) { return ++started > 0; },
         .ended = [&](const SweepTask&, const Result<RdPoint>&) { return ++ended < 8; }});
  }
  other.join();
  EXPECT_GE(ended, 8);
  EXPECT_LE(ended, 9);  // one was at work
  EXPECT_LE(started, 10);
}

}  // namespace
}  // namespace mmp
