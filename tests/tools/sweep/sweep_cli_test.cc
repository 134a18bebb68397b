// mmp sweep as a user runs it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/pictures.h"
#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/sweep/sweep_fixture.h"
#include "tests/tools/sweep/sweep_output.h"
#include "tools/command_line/exit_code.h"
#include "tools/sweep/external/process.h"
#include "tools/sweep/results/csv.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr int kSuccess = static_cast<int>(ExitCode::kSuccess);

Outcome Sweep(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {MMP_PROGRAM, "sweep"});
  return RunProgram(arguments);
}

class SweepCli : public SweepFixture {
 protected:
  // A folder for results in which no bitstream can be written.
  std::string MakeUnwritable(const std::string& name) {
    fs::create_directory(folder_ / name);
    WriteText(folder_ / name + "/bitstreams", "no folder");
    WriteText(folder_ / name + "/journal.jsonl", "");
    return folder_ / name;
  }
};

// While it is there, programs are sought in a folder and beside ours first.
class PathWith {
 public:
  explicit PathWith(const TemporaryFolder& folder) : folder_(folder), old_(getenv("PATH")) {
    const std::string ours = fs::path(MMP_PROGRAM).parent_path();
    setenv("PATH", (folder.path() + ":" + ours + ":" + old_).c_str(), 1);
  }
  PathWith(const PathWith&) = delete;
  PathWith& operator=(const PathWith&) = delete;
  ~PathWith() { setenv("PATH", old_.c_str(), 1); }

  // A shell script.
  void Add(const std::string& name, const std::string& command) const {
    WriteText(folder_ / name, "#!/bin/sh\n" + command + "\n");
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

 private:
  const TemporaryFolder& folder_;
  const std::string old_;
};

TEST_F(SweepCli, FilesAndSummary) {
  const Outcome outcome =
      Sweep({kSmall, text_, "--lambda", "20,200", "--preset", "fast,thesis", "-o", out_});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("8 points of 2 images: " + out_ + "/report.html"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("BD-rate of mmp fast, % (less is better), against"),
            std::string::npos);
  EXPECT_EQ(ParseCsv(ReadText(out_ + "/results.csv"))->rows.size(), 9U);
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

TEST_F(SweepCli, Efforts) {
  const Outcome outcome = Sweep({kSmall, "--lambda", "200", "--effort", "1,4,1", "-o", out_});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Result<CsvTable> table = ParseCsv(ReadText(out_ + "/results.csv"));
  ASSERT_TRUE(table.ok());
  ASSERT_EQ(table->rows.size(), 3U);
  EXPECT_EQ(table->rows[1][1], "mmp effort 1");
  EXPECT_EQ(table->rows[1][2], "effort 1");
  EXPECT_EQ(table->rows[2][1], "mmp effort 4");
  EXPECT_NE(ReadText(out_ + "/results.json").find(" --effort 4 --lambda 200"), std::string::npos);
}

// Where the page that decodes is installed with the program, sweeps that keep coded files have a
// copy.
TEST_F(SweepCli, ThePageThatDecodesIsPutBesideKeptFiles) {
  const std::string program = folder_ / "bin/mmp", page = folder_ / "share/mmp/decoder.html";
  for (const std::string& path : {program, page})
    fs::create_directories(fs::path(path).parent_path());
  fs::copy_file(MMP_PROGRAM, program);
  WriteText(page, "the page that decodes");
  const std::vector<std::string> sweep = {program,    "sweep", kSmall, "--lambda", "100",
                                          "--preset", "fast",  "-o",   out_};
  EXPECT_EQ(RunProgram(sweep).exit_code, kSuccess);
  EXPECT_FALSE(fs::exists(out_ + "/decoder.html"));
  std::vector<std::string> keeping = sweep;
  keeping.emplace_back("--bitstreams");
  EXPECT_EQ(RunProgram(keeping).exit_code, kSuccess);
  EXPECT_EQ(ReadText(out_ + "/decoder.html"), "the page that decodes");
  EXPECT_NE(ReadText(out_ + "/report.html").find("\"decoder.html\""), std::string::npos);
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

class SweepSignal : public SweepCli, public testing::WithParamInterface<int> {};

// In the middle of another codec's point, which would take a minute.
TEST_P(SweepSignal, AnInterruptedSweepLeavesAllInOrder) {
  const PathWith programs(folder_);
  programs.Add("cjpeg", "[ \"$1\" = -version ] || exec sleep 60");
  programs.Add("djpeg", "exit 1");
  const std::vector<std::string> command = {natural_, "--lambda",  "50,200", "--preset",
                                            "fast",   "--jobs",    "1",      "-o",
                                            out_,     "--against", "jpeg"};
  std::vector<std::string> whole = {MMP_PROGRAM, "sweep"};
  whole.insert(whole.end(), command.begin(), command.end());
  Subprocess sweep(whole);
  const auto start = std::chrono::steady_clock::now();
  while (!fs::exists(out_ + "/scratch") &&
         std::chrono::steady_clock::now() < start + std::chrono::seconds(50))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  sweep.Kill(GetParam());
  const Outcome outcome = sweep.Wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  EXPECT_EQ(outcome.signal, GetParam());
  EXPECT_EQ(outcome.err,
            "mmp: note: interrupted with 18 points left; the same command goes on from here\n");
  EXPECT_TRUE(outcome.out.ends_with("2 points of 1 image: " + out_ + "/report.html\n"))
      << outcome.out;
  EXPECT_FALSE(fs::exists(out_ + "/scratch"));
  EXPECT_EQ(TimelessPoints(out_).size(), 1U + 2);
  EXPECT_NE(ReadText(out_ + "/report.html").find("natural"), std::string::npos);

  programs.Add("cjpeg", "exit 1");
  const Outcome again = Sweep(command);
  EXPECT_EQ(again.exit_code, static_cast<int>(ExitCode::kIncomplete));
  EXPECT_TRUE(again.err.starts_with("mmp: note: 2 of 20 points are in '" + out_ + "' already\n"))
      << again.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, SweepSignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

// In the middle of a point of mmp's, which would take minutes.
TEST_F(SweepCli, AnEncoderIsInterruptedToo) {
  const std::string large = folder_ / "large.png";
  ASSERT_TRUE(WriteImage(large, Draw(Picture::kTexture, 3000, 3000, 1).View()).ok());
  Subprocess sweep(
      {MMP_PROGRAM, "sweep", kSmall, large, "--lambda", "20", "--jobs", "1", "-o", out_});
  const auto start = std::chrono::steady_clock::now();
  while (CountLines(ReadText(out_ + "/journal.jsonl")) < 1 &&
         std::chrono::steady_clock::now() < start + std::chrono::seconds(120))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto interrupted = std::chrono::steady_clock::now();
  sweep.Kill(SIGINT);
  const Outcome outcome = sweep.Wait();
  EXPECT_LT(std::chrono::steady_clock::now() - interrupted, std::chrono::seconds(30));
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_EQ(outcome.err,
            "mmp: note: interrupted with 1 point left; the same command goes on from here\n");
  EXPECT_EQ(TimelessPoints(out_).size(), 1U + 1);
}

// In a folder, as a shell has it do: names need not be paths.
TEST_F(SweepCli, RecordedCommandsRunAsTheyStand) {
  fs::copy_file(kSmall, folder_ / "-o.png");
  fs::rename(natural_, folder_ / "it's 2.png");
  fs::rename(text_, folder_ / "two\nlines.png");
  WriteText(folder_ / "--lambda", "P2 3 2 255 0 50 100 150 200 250\n");
  const PathWith programs(folder_);
  const std::string cd = "cd " + ShellText({folder_.path()}) + " && ";
  const Outcome outcome =
      RunProgram({"/bin/sh", "-c", cd + "mmp sweep -o out --preset fast --lambda 100 -- *"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const std::optional<Json> json = ReadJson(ReadText(out_ + "/results.json"));
  ASSERT_TRUE(json);
  ASSERT_EQ((*json)["points"].items.size(), 4U);
  for (const Json& point : (*json)["points"].items) {
    const std::string& command = point["command"].text;
    std::string line = cd;
    line.append("rm -f *.mmp; ").append(command);
    const Outcome made = RunProgram({"/bin/sh", "-c", line});
    EXPECT_EQ(made.exit_code, kSuccess) << command << "\n" << made.err;
    EXPECT_EQ(fs::file_size(folder_ / "mmp-fast-100.mmp"), point["bytes"].number) << command;
  }
}

TEST_F(SweepCli, NamesWithLineBreaksStayOnTheirLines) {
  fs::copy_file(natural_, folder_ / "two\nlines.png");
  const Outcome outcome = Sweep({folder_ / "two\nlines.png", text_, "--lambda", "20,100",
                                 "--preset", "fast,thesis", "-o", out_});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_NE(outcome.out.find("\ntwo\\nlines "), std::string::npos) << outcome.out;
  EXPECT_EQ(CountLines(ReadText(out_ + "/results.csv")), 9U);
  for (const char* file : {"/bd-rate.csv", "/results.csv"})
    EXPECT_NE(ReadText(out_ + file).find("two\\nlines"), std::string::npos) << file;
  EXPECT_NE(ReadText(out_ + "/report.html").find("\"two\\\\nlines\""), std::string::npos);
}

// As names on disks of old are: tables and JSON are UTF-8 all the same, and agree.
TEST_F(SweepCli, NamesThatAreNotUtf8) {
  const std::string first = folder_ / "gr\xf6ssen.png", second = folder_ / "gr\xfcssen.png";
  fs::copy_file(natural_, first);
  fs::copy_file(text_, second);
  ASSERT_EQ(Sweep({first, second, "--lambda", "100", "--effort", "1", "-o", out_}).exit_code,
            kSuccess);
  const std::vector<CsvRow> points = TimelessPoints(out_);
  ASSERT_EQ(points.size(), 1U + 2);
  const std::optional<Json> json = ReadJson(ReadText(out_ + "/results.json"));
  ASSERT_TRUE(json);
  const std::vector<std::string> names = {"gr\\xf6ssen", "gr\\xfcssen"};
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(points[i + 1][0], names[i]);
    EXPECT_EQ((*json)["images"].items.at(i)["name"].text, names[i]);
  }
  for (const auto& entry : fs::directory_iterator(out_)) {
    const std::string text = ReadText(entry.path());
    EXPECT_EQ(text.find_first_of("\xf6\xfc"), std::string::npos) << entry.path();
  }
}

TEST_F(SweepCli, WithoutASinglePointItFails) {
  WriteText(folder_ / "bad.png", "no picture");
  Outcome outcome =
      Sweep({folder_ / "bad.png", folder_ / "missing.png", "--lambda", "100", "-o", out_});
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kNotAcceptable));
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.ends_with(
      "mmp: error: there is no image that can be read, and so nothing to sweep\n"))
      << outcome.err;
  EXPECT_FALSE(fs::exists(out_));

  // Every point fails.
  fs::copy_file(MMP_TEST_IMAGES "/natural.png", folder_ / "a.png");
  outcome = Sweep({folder_ / "a.png", "--lambda", "100", "--preset", "fast", "--bitstreams", "-o",
                   MakeUnwritable("full")});
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kFailure));
  EXPECT_NE(outcome.out.find("0 points of 1 image, 1 failure: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("not a single point could be measured; '"), std::string::npos)
      << outcome.err;
}

TEST_F(SweepCli, FilesOfOthersAreLeftAlone) {
  fs::create_directory(out_);
  WriteText(out_ + "/results.csv", "of another program");
  std::vector<std::string> sweep = {kSmall, "--lambda", "300", "--effort", "1", "-o", out_};
  const Outcome refused = Sweep(sweep);
  EXPECT_EQ(refused.exit_code, static_cast<int>(ExitCode::kUsage));
  EXPECT_NE(refused.err.find("'" + out_ + "' has files that are not of this command; --force"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(ReadText(out_ + "/results.csv"), "of another program");
  EXPECT_EQ(std::distance(fs::directory_iterator(out_), {}), 1);

  sweep.emplace_back("--force");
  EXPECT_EQ(Sweep(sweep).exit_code, kSuccess);
  EXPECT_EQ(TimelessPoints(out_).size(), 1U + 1);
  sweep.pop_back();
  EXPECT_EQ(Sweep(sweep).exit_code, kSuccess);  // it is a sweep's now
}

TEST_F(SweepCli, TakesFolders) {
  const Outcome outcome =
      Sweep({folder_.path(), kSmall, "--lambda", "300", "--effort", "1", "-o", out_});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_NE(outcome.out.find("3 points of 3 images"), std::string::npos) << outcome.out;
  fs::create_directory(folder_ / "empty");
  const Outcome nothing = Sweep({folder_ / "empty", "-o", folder_ / "none"});
  EXPECT_EQ(nothing.exit_code, static_cast<int>(ExitCode::kUsage));
  EXPECT_NE(nothing.err.find("empty' has no images in it"), std::string::npos) << nothing.err;
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

TEST_F(SweepCli, ABadImageIsReported) {
  WriteText(folder_ / "bad.png", "no picture");
  const Outcome outcome =
      Sweep({folder_ / "bad.png", kSmall, "--lambda", "100", "--preset", "fast", "-o", out_});
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kIncomplete));
  EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
  EXPECT_NE(outcome.err.find("bad.png"), std::string::npos) << outcome.err;
  EXPECT_EQ(CountLines(outcome.err), 1U);
  EXPECT_NE(outcome.out.find("1 point of 1 image, 1 failure:"), std::string::npos) << outcome.out;
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
  EXPECT_NE(outcome.out.find("1 point of 1 image, 18 failures:"), std::string::npos) << outcome.out;
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
      {kSmall, "-o", "-"},
      {kSmall, "-o", out_, "--lambda", ""},
      {kSmall, "-o", out_, "--lambda", "5,ten"},
      {kSmall, "-o", out_, "--lambda-range", "5:10"},
      {kSmall, "-o", out_, "--lambda", "5", "--lambda-range", "5:10:3"},
      {kSmall, "-o", out_, "--preset", "fast,best-of-all"},
      {kSmall, "-o", out_, "--effort", "1,10"},
      {kSmall, "-o", out_, "--effort", "1,,2"},
      {kSmall, "-o", out_, "--effort", "1", "--preset", "fast"},
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
