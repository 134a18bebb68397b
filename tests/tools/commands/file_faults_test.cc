// Commands on a file system that fails: each call that changes something fails in turn, as on a
// disk that is full, was mounted read-only or is broken, and the program is killed at each. No
// output is ever there in part, what was there stays until there is something in its place, the
// error says what happened, and afterwards the same command does all that it should.
#include <errno.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/temporary_files.h"
#include "tests/support/failing_files.h"
#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/sweep/sweep_output.h"
#include "tools/command_line/exit_code.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr int kSuccess = static_cast<int>(ExitCode::kSuccess);
constexpr int kFailure = static_cast<int>(ExitCode::kFailure);
constexpr int kIncomplete = static_cast<int>(ExitCode::kIncomplete);

using Files = std::map<std::string, std::string>;  // bytes by path within a folder

Files ReadAll(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = ReadText(entry.path());
  return files;
}

bool IsTemporary(const std::string& path) {
  return IsTemporaryName(fs::path(path).filename().string());
}

size_t CountTemporaries(const Files& files) {
  size_t count = 0;
  for (const auto& [path, bytes] : files) count += IsTemporary(path) ? 1 : 0;
  return count;
}

class FileFaults : public testing::Test {
 protected:
  void SetUp() override {
#ifdef MMP_SANITIZED
    GTEST_SKIP() << "sanitizers have a file layer of their own";
#endif
    fs::create_directory(inputs_);
    for (const char* name : {"odd-33x31.png", "odd-17x1.png"})
      fs::copy_file(fs::path(MMP_TEST_IMAGES) / name, inputs_ + "/" + name);
  }

  // The folder of the outputs as it is before each run: empty, but for these.
  void Prepare() {
    fs::remove_all(outputs_);
    fs::create_directory(outputs_);
    for (const auto& [path, bytes] : before_) WriteText(outputs_ + "/" + path, bytes);
  }

  Outcome Run() { return RunProgram(command_); }

  // Whether a file that is there under its name may be.
  bool IsWhole(const std::string& path, const std::string& bytes) const {
    const auto old = before_.find(path), done = after_.find(path);
    return (old != before_.end() && bytes == old->second) ||
           (done != after_.end() && (is_same_ ? is_same_(path, bytes) : bytes == done->second));
  }

  void ExpectAllWhole(const Files& files) const {
    for (const auto& [path, bytes] : files)
      EXPECT_TRUE(IsTemporary(path) || IsWhole(path, bytes)) << path << " is not whole";
    for (const auto& [path, bytes] : before_)
      EXPECT_TRUE(files.contains(path)) << path << " is lost";
  }

  void ExpectError(const Outcome& outcome, int error) const {
    EXPECT_TRUE(outcome.exit_code == kFailure ||
                (may_be_incomplete_ && outcome.exit_code == kIncomplete))
        << outcome.exit_code;
    EXPECT_NE(outcome.err.find("mmp: error: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(std::strerror(error)), std::string::npos) << outcome.err;
  }

  // The command without faults, after a run that had one.
  void ExpectTheSameCommandRecovers() {
    const Outcome outcome = Run();
    EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const Files files = ReadAll(outputs_);
    ExpectAllWhole(files);
    for (const auto& [path, bytes] : after_) EXPECT_TRUE(files.contains(path)) << path;
    EXPECT_TRUE(!removes_temporaries_ || CountTemporaries(files) == 0);
  }

  // Returns whether the failure came.
  bool Try(const FileFailure& failure) {
    Prepare();
    const FailedRun run = RunWithFailure(command_, outputs_, folder_.path(), failure);
    SCOPED_TRACE(failure.Name() + ", " + run.call);
    if (run.call.empty()) {
      EXPECT_EQ(run.outcome.exit_code, kSuccess) << run.outcome.err;
      return false;
    }
    const Files files = ReadAll(outputs_);
    ExpectAllWhole(files);
    if (failure.error == kKill) {
      EXPECT_EQ(run.outcome.signal, SIGKILL);
    } else if (closes_a_journal_ && run.call == "close" && run.outcome.exit_code == kSuccess) {
      for (const auto& [path, bytes] : after_) EXPECT_TRUE(files.contains(path)) << path;
    } else {
      ExpectError(run.outcome, failure.error);
      EXPECT_EQ(CountTemporaries(files), 0U);
    }
    ExpectTheSameCommandRecovers();
    return true;
  }

  // Fails each call in turn, or at first each and then fewer and fewer, until none fails.
  void FailEachCall(int error, bool all_after) {
    int failures = 0;
    for (int n = 0; Try({.after = n, .error = error, .all_after = all_after});
         n += n < 12 ? 1 : n / 4) {
      ++failures;
      if (HasFailure()) return;
    }
    EXPECT_GE(failures, 5);  // open, write, fsync, close, rename
  }

  void FailEachCall(std::vector<std::string> arguments) {
    command_ = std::move(arguments);
    command_.insert(command_.begin(), MMP_PROGRAM);
    Prepare();
    const Outcome outcome = Run();
    ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    after_ = ReadAll(outputs_);
    FailEachCall(ENOSPC, true);
    FailEachCall(EROFS, true);
    FailEachCall(EIO, false);
    FailEachCall(kKill, false);
  }

  const TemporaryFolder folder_;
  const fs::path real_folder_ = fs::canonical(folder_.path());
  const std::string inputs_ = real_folder_ / "inputs", outputs_ = real_folder_ / "outputs";
  const std::string image_ = inputs_ + "/odd-33x31.png";
  std::vector<std::string> command_;
  Files before_, after_;  // the outputs' folder, before and after the command
  std::function<bool(const std::string& path, const std::string& bytes)> is_same_;
  bool may_be_incomplete_ = false;
  bool closes_a_journal_ = false;     // at the end, when all of it is on the disk long since
  bool removes_temporaries_ = false;  // those of a run that was killed
};

TEST_F(FileFaults, EncodeANewFile) {
  FailEachCall({"encode", image_, "-o", outputs_ + "/a.mmp", "--preset", "fast"});
}

TEST_F(FileFaults, EncodeOverAnOldFile) {
  before_ = {{"a.mmp", "what was there"}};
  FailEachCall({"encode", image_, "-o", outputs_ + "/a.mmp", "--preset", "fast"});
}

// Without --force: a file that is not to replace any is put in place by another call.
TEST_F(FileFaults, EncodeIntoAFolder) {
  command_ = {MMP_PROGRAM, "encode", image_, "-o", outputs_, "--preset", "fast"};
  Prepare();
  ASSERT_EQ(Run().exit_code, kSuccess);
  after_ = ReadAll(outputs_);
  ASSERT_EQ(after_.size(), 1U);
  for (const int error : {EIO, EINVAL, ENOSYS}) {
    bool has_renamed = false;
    FailedRun run;
    for (int n = 0; n == 0 || !run.call.empty(); ++n) {
      Prepare();
      run = RunWithFailure(command_, outputs_, folder_.path(), {.after = n, .error = error});
      SCOPED_TRACE(std::to_string(error) + " of call " + std::to_string(n) + ", " + run.call);
      const Files files = ReadAll(outputs_);
      // Where the file system does not have the call, it is done in two.
      const bool is_renamed = run.call == "renameat2" && error != EIO;
      has_renamed = has_renamed || is_renamed;
      if (is_renamed || run.outcome.exit_code == kSuccess) {
        EXPECT_EQ(run.outcome.exit_code, kSuccess) << run.outcome.err;
        EXPECT_EQ(files, after_);
      } else {
        ExpectError(run.outcome, error);
        EXPECT_TRUE(files.empty());
      }
    }
    EXPECT_EQ(has_renamed, error != EIO);
  }
}

TEST_F(FileFaults, EncodeToATarget) {
  FailEachCall({"encode", image_, "-o", outputs_ + "/a.mmp", "--preset", "fast", "--target-size",
                "300", "--verify"});
}

TEST_F(FileFaults, EncodeAFolder) {
  FailEachCall({"encode", inputs_, "-o", outputs_ + "/coded", "--preset", "fast", "--force"});
}

TEST_F(FileFaults, Decode) {
  const std::string coded = inputs_ + "/a.mmp";
  ASSERT_EQ(RunProgram({MMP_PROGRAM, "encode", image_, "-o", coded, "--preset", "fast"}).exit_code,
            kSuccess);
  before_ = {{"b.png", "what was there"}};
  FailEachCall({"decode", coded, "-o", outputs_ + "/b.png"});
  before_.clear();
  FailEachCall({"decode", coded, "-o", outputs_ + "/b.pgm"});
}

TEST_F(FileFaults, Train) {
  FailEachCall({"train", inputs_, "-o", outputs_ + "/mine.mmd", "--rounds", "1", "--patterns", "5",
                "--threads", "1"});
}

TEST_F(FileFaults, Inspect) {
  const std::string coded = inputs_ + "/a.mmp";
  ASSERT_EQ(RunProgram({MMP_PROGRAM, "encode", image_, "-o", coded, "--preset", "fast"}).exit_code,
            kSuccess);
  is_same_ = [&](const std::string& path, const std::string& bytes) {
    // The list of pictures is empty until all are drawn.
    return bytes == after_.at(path) || (path.ends_with("/.mmp-inspect") && bytes.empty());
  };
  FailEachCall({"inspect", coded, "-o", outputs_ + "/look"});
}

// Its files have times in them: they are whole if they can be read to their end.
TEST_F(FileFaults, Sweep) {
  is_same_ = [&](const std::string& path, const std::string& bytes) {
    if (path.ends_with(".csv")) return ParseCsv(bytes).ok() && bytes.ends_with('\n');
    if (path.ends_with(".json")) return ReadJson(bytes).has_value();
    if (path.ends_with(".html")) return bytes.ends_with("</html>\n");
    if (path.ends_with(".jsonl")) return true;  // grows line by line
    return bytes == after_.at(path);
  };
  may_be_incomplete_ = true;
  closes_a_journal_ = true;
  removes_temporaries_ = true;
  FailEachCall({"sweep", image_, "-o", outputs_ + "/results", "--preset", "fast", "--lambda",
                "30,300", "--jobs", "1", "--bitstreams", "--decoded"});
  const std::vector<CsvRow> points = TimelessPoints(outputs_ + "/results");
  EXPECT_EQ(points.size(), 3U);
  EXPECT_EQ(CountLines(ReadText(outputs_ + "/results/journal.jsonl")), 2U);
}

}  // namespace
}  // namespace mmp
