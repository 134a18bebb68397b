// mmp sweep under mpirun.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/sweep/sweep_fixture.h"
#include "tests/tools/sweep/sweep_output.h"
#include "tools/command_line/exit_code.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr int kSuccess = static_cast<int>(ExitCode::kSuccess);
constexpr int kIncomplete = static_cast<int>(ExitCode::kIncomplete);

class SweepMpi : public SweepFixture {
 protected:
  using Words = std::vector<std::string>;

  // The command by which so many ranks sweep. Each notes its process in a file.
  Words Command(int ranks, const Words& arguments, const Words& options = {}) {
    Words command = {MMP_MPIRUN, "--oversubscribe",    "--bind-to", "none",
                     "-n",       std::to_string(ranks)};
    if (geteuid() == 0) command.emplace_back("--allow-run-as-root");
    command.insert(command.end(), options.begin(), options.end());
    const std::string note = "echo $$ > " + (folder_ / "pid.$OMPI_COMM_WORLD_RANK");
    for (const std::string& word :
         {std::string("sh"), std::string("-c"), note + "; exec \"$@\"", std::string("sh")})
      command.push_back(word);
    command.insert(command.end(), {MMP_PROGRAM, "sweep"});
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }

  Outcome Sweep(int ranks, const Words& arguments) { return RunProgram(Command(ranks, arguments)); }

  pid_t ProcessOf(int rank) {
    return ParseNumber<pid_t>(SplitAt(ReadText(folder_ / "pid." + std::to_string(rank)), '\n')[0])
        .value_or(0);
  }

  // In this order.
  void SendToRanks(std::initializer_list<int> ranks, int signal) {
    for (const int rank : ranks) {
      ASSERT_GT(ProcessOf(rank), 0);
      kill(ProcessOf(rank), signal);
    }
  }

  // Long enough to be interrupted.
  Words LongSweep(const std::string& out) {
    return {natural_, text_, "--lambda-range", lambdas_, "--preset", "fast", "--jobs", "1",
            "-o",     out};
  }

  // Returns when some of its points are known.
  void WaitForPoints(const std::string& out) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (CountLines(ReadText(out + "/journal.jsonl")) < 3 &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  // Of the long sweep, in one process.
  std::vector<CsvRow> PointsAlone() {
    Words command = {MMP_PROGRAM, "sweep"};
    for (const std::string& word : LongSweep(folder_ / "alone")) command.push_back(word);
    EXPECT_EQ(RunProgram(command).exit_code, kSuccess);
    return TimelessPoints(folder_ / "alone");
  }

  static constexpr char kShortSilence[] = "MMP_SILENT_RANK_SECONDS=4";

  std::string lambdas_ = "5:300:20";
};

TEST_F(SweepMpi, RanksMakeWhatOneProcessMakes) {
  lambdas_ = "5:300:6";
  const std::vector<CsvRow> alone = PointsAlone();
  EXPECT_EQ(alone.size(), 13U);
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(ranks);
    const std::string out = folder_ / std::to_string(ranks);
    const Outcome outcome = Sweep(ranks, LongSweep(out));
    EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("12 points of 2 images: " + out + "/report.html"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(TimelessPoints(out), alone);
    EXPECT_EQ(ReadText(out + "/bd-rate.csv"), ReadText(folder_ / "alone/bd-rate.csv"));
    EXPECT_EQ(CountLines(ReadText(out + "/journal.jsonl")), 12U);
  }
}

TEST_F(SweepMpi, ABadImageIsReportedOnce) {
  WriteText(folder_ / "bad.png", "no picture");
  const Outcome outcome =
      Sweep(3, {folder_ / "bad.png", kSmall, "--lambda", "100", "--preset", "fast", "-o", out_});
  EXPECT_EQ(outcome.exit_code, kIncomplete);
  EXPECT_EQ(outcome.err.find("bad.png"), outcome.err.rfind("bad.png")) << outcome.err;
  EXPECT_NE(outcome.out.find("1 point of 1 image, 1 failure"), std::string::npos) << outcome.out;
}

TEST_F(SweepMpi, AWrongOptionIsReportedOnce) {
  const Outcome outcome = Sweep(3, {kSmall, "--lambda", "many", "-o", out_});
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kUsage));
  EXPECT_NE(outcome.err.find("mmp: error: 'many'"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("mmp: error"), outcome.err.rfind("mmp: error")) << outcome.err;
}

TEST_F(SweepMpi, AnInterruptedRunIsFinishedByTheNext) {
  const std::vector<CsvRow> alone = PointsAlone();
  Subprocess run(Command(3, LongSweep(out_)));
  WaitForPoints(out_);
  // As a batch system does it: mpirun would wait a second before it tells them.
  SendToRanks({0, 1, 2}, SIGTERM);
  const Outcome interrupted = run.Wait();
  EXPECT_NE(interrupted.exit_code, kSuccess);
  const size_t known = CountLines(ReadText(out_ + "/journal.jsonl"));
  ASSERT_GE(known, 3U);
  ASSERT_LT(known, 40U);
  EXPECT_NE(interrupted.err.find("interrupted with " + Counted(40 - known, "point") +
                                 " left; the same command goes on from here"),
            std::string::npos)
      << interrupted.err;
  EXPECT_EQ(TimelessPoints(out_).size(), 1 + known);
  EXPECT_NE(ReadText(out_ + "/report.html"), "");

  const Outcome outcome = Sweep(2, LongSweep(out_));
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(outcome.err, "mmp: note: " + std::to_string(known) + " of 40 points are in '" + out_ +
                             "' already\n");
  EXPECT_EQ(TimelessPoints(out_), alone);
  EXPECT_EQ(CountLines(ReadText(out_ + "/journal.jsonl")), 40U);
}

// Without being asked to go on, mpirun ends the others too.
TEST_F(SweepMpi, ARunWithADeadRankIsFinishedByTheNext) {
  const std::vector<CsvRow> alone = PointsAlone();
  Subprocess run(Command(3, LongSweep(out_)));
  WaitForPoints(out_);
  // mpirun would take a second, in which they could do all points.
  SendToRanks({2, 0, 1}, SIGKILL);
  EXPECT_NE(run.Wait().exit_code, kSuccess);
  ASSERT_LT(CountLines(ReadText(out_ + "/journal.jsonl")), 40U);
  EXPECT_EQ(Sweep(3, LongSweep(out_)).exit_code, kSuccess);
  EXPECT_EQ(TimelessPoints(out_), alone);
}

TEST_F(SweepMpi, ADeadRanksPointsAreDoneByTheOthers) {
  const std::vector<CsvRow> alone = PointsAlone();
  Subprocess run(Command(3, LongSweep(out_), {"--enable-recovery", "-x", kShortSilence}));
  WaitForPoints(out_);
  SendToRanks({1}, SIGKILL);
  const Outcome outcome = run.Wait();
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_NE(outcome.err.find("does not answer; the others do its points"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(TimelessPoints(out_), alone);
}

// It hangs while rank 0 reads a table, and never takes its plan, which is too long to be sent
// without its part.
TEST_F(SweepMpi, ARankThatHangsBeforeItsPlanIsGivenUp) {
  const std::string table = folder_ / "peers.csv";
  ASSERT_EQ(mkfifo(table.c_str(), 0600), 0);
  Subprocess run(Command(2,
                         {kSmall, "--lambda-range", "5:300:100", "--preset", "fast", "--jobs", "1",
                          "--against-csv", table, "-o", out_},
                         {"-x", kShortSilence}));
  {
    std::ofstream writer(table);  // waits for rank 0 to read
    SendToRanks({1}, SIGSTOP);
    writer << "image,codec,param,bytes,bpp,psnr\n";
  }
  std::thread guard([&, deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120)] {
    while (ReadText(out_ + "/report.html").empty() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    SendToRanks({1}, SIGKILL);
    if (std::chrono::steady_clock::now() >= deadline) SendToRanks({0}, SIGKILL);
  });
  const Outcome outcome = run.Wait();
  guard.join();
  EXPECT_NE(outcome.err.find("rank 1 does not answer; the others do its points"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(TimelessPoints(out_).size(), 101U);
}

TEST_F(SweepMpi, ASilenceThatIsNoTimeIsAUsageError) {
  const Outcome outcome =
      RunProgram(Command(2, {kSmall, "-o", out_}, {"-x", "MMP_SILENT_RANK_SECONDS=soon"}));
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kUsage));
  EXPECT_NE(outcome.err.find("MMP_SILENT_RANK_SECONDS: 'soon' is not"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace mmp
