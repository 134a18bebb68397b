// mmp sweep as a user runs it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/subprocess.h"
#include "tests/sweep_fixture.h"
#include "tests/sweep_output.h"
#include "tests/temporary_folder.h"
#include "tools/exit_code.h"
#include "tools/json_parser.h"
#include "tools/sweep/csv.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr int kSuccess = static_cast<int>(ExitCode::kSuccess);

Outcome Sweep(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {MMP_PROGRAM, "sweep"});
  return RunProgram(arguments);
}

class SweepCli : public SweepFixture {};

TEST_F(SweepCli, FilesAndSummary) {
  const Outcome outcome =
      Sweep({kSmall, text_, "--lambda", "20,200", "--preset", "fast,thesis", "-o", out_});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("8 points of 2 images: " + out_ + "/report.html"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("BD-rate of mmp fast, % (less is better), against"),
            std::string::npos);
  EXPECT_EQ(ParseCsv(ReadText(out_ + "/results.csv")).size(), 9U);
  const std::optional<Json> json = ReadJson(ReadText(out_ + "/results.json"));
  ASSERT_TRUE(json);
  EXPECT_TRUE((*json)["command"].text.ends_with("--lambda 20,200 --preset fast,thesis -o " + out_))
      << (*json)["command"].text;
  EXPECT_NE(ReadText(out_ + "/report.html").find("mmp thesis"), std::string::npos);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(out_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"bd-rate.csv", "journal.jsonl", "report.html",
                                             "results.csv", "results.json"}));
}

// Killed with SIGKILL in the middle, with half a line in the journal, it goes on and gives what it
// gives in one go; no point is measured twice.
TEST_F(SweepCli, AKilledSweepGoesOn) {
  const std::vector<std::string> arguments = {
      natural_, text_, "--lambda-range", "5:300:6", "--preset", "fast", "--jobs", "1", "-o"};
  std::vector<std::string> whole = arguments;
  whole.push_back(folder_ / "whole");
  ASSERT_EQ(Sweep(whole).exit_code, kSuccess);

  std::vector<std::string> command = {MMP_PROGRAM, "sweep"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.push_back(out_);
  Subprocess sweep(command);
  const std::string journal_path = out_ + "/journal.jsonl";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (CountLines(ReadText(journal_path)) < 3 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  sweep.Kill(SIGKILL);
  EXPECT_EQ(sweep.Wait().signal, SIGKILL);
  const std::string journal = ReadText(journal_path);
  const std::string lines = journal.substr(0, journal.rfind('\n') + 1);
  const size_t known = CountLines(lines);
  ASSERT_GE(known, 3U);
  ASSERT_LT(known, 12U);
  WriteText(journal_path, lines + R"({"key": "0123", "image": "nat)");

  const Outcome outcome = Sweep({command.begin() + 2, command.end()});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(outcome.err, "mmp: note: " + std::to_string(known) + " of 12 points are in '" + out_ +
                             "' already\n");
  EXPECT_EQ(TimelessPoints(out_), TimelessPoints(folder_ / "whole"));
  EXPECT_EQ(TimelessPoints(out_).size(), 13U);
  EXPECT_EQ(ReadText(out_ + "/bd-rate.csv"), ReadText(folder_ / "whole/bd-rate.csv"));
  const std::string final_journal = ReadText(journal_path);
  EXPECT_TRUE(final_journal.starts_with(lines));
  EXPECT_EQ(CountLines(final_journal), 12U);
}

TEST_F(SweepCli, ABadImageIsReported) {
  WriteText(folder_ / "bad.png", "no picture");
  const Outcome outcome =
      Sweep({folder_ / "bad.png", kSmall, "--lambda", "100", "--preset", "fast", "-o", out_});
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kIncomplete));
  EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
  EXPECT_NE(outcome.err.find("bad.png"), std::string::npos) << outcome.err;
  EXPECT_EQ(CountLines(outcome.err), 1U);
  EXPECT_NE(outcome.out.find("1 points of 1 images, 1 failures"), std::string::npos) << outcome.out;
}

// Of a curve that fails, one point is reported.
TEST_F(SweepCli, AProgramThatFailsIsReportedOnce) {
  for (const char* name : {"cjpeg", "djpeg"}) {
    WriteText(folder_ / name, "#!/bin/sh\necho it is broken\nexit 9\n");
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  const std::string old_path = getenv("PATH");
  setenv("PATH", (folder_.path() + ":" + old_path).c_str(), 1);
  const Outcome outcome = Sweep({kSmall, "--lambda", "100", "--preset", "fast", "--against", "jpeg",
                                 "--jobs", "1", "-o", out_});
  setenv("PATH", old_path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kIncomplete));
  EXPECT_EQ(outcome.err,
            "mmp: error: odd-33x31 jpeg 2: cjpeg failed with exit code 9: it is broken\n");
  EXPECT_NE(outcome.out.find("1 points of 1 images, 18 failures"), std::string::npos)
      << outcome.out;
}

TEST_F(SweepCli, AnEncoderThatIsMissing) {
  const std::string old_path = getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  const Outcome outcome = Sweep({kSmall, "--against", "x265", "-o", out_});
  setenv("PATH", old_path.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kNoBackend));
  EXPECT_EQ(outcome.err,
            "mmp: error: x265: x265 is not installed; on Debian: apt-get install x265 ffmpeg\n");
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(SweepCli, OddOptionsAreUsageErrors) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {kSmall},
      {"-o", out_},
      {"-", "-o", out_},
      {kSmall, "-o", out_, "--lambda", ""},
      {kSmall, "-o", out_, "--lambda", "5,ten"},
      {kSmall, "-o", out_, "--lambda-range", "5:10"},
      {kSmall, "-o", out_, "--lambda", "5", "--lambda-range", "5:10:3"},
      {kSmall, "-o", out_, "--preset", "fast,best-of-all"},
      {kSmall, "-o", out_, "--backend", "gpu"},
      {kSmall, "-o", out_, "--jobs", "-1"},
      {kSmall, "-o", out_, "--against", "jpeg3000"},
      {kSmall, "-o", out_, "--bogus"},
  };
  for (const std::vector<std::string>& arguments : cases) {
    std::string line = "mmp sweep";
    for (const std::string& argument : arguments) line += " " + argument;
    SCOPED_TRACE(line);
    const Outcome outcome = Sweep(arguments);
    EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kUsage));
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
    EXPECT_EQ(CountLines(outcome.err), 1U) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(out_));
}

}  // namespace
}  // namespace mmp
