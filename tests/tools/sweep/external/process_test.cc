#include "tools/sweep/external/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace mmp {
namespace {

constexpr double kLimit = 60;  // seconds

Result<ProcessResult> Shell(const std::string& script, const std::string& folder = ".",
                            double limit_seconds = kLimit) {
  return RunProcess({"sh", "-c", script}, folder, limit_seconds);
}

TEST(ProcessTest, ExitCodeAndOutput) {
  const Result<ProcessResult> result = Shell("echo one; echo two >&2; exit 3");
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->output, "one\ntwo\n");
  EXPECT_GT(result->seconds, 0);
}

TEST(ProcessTest, RunsInTheFolder) {
  const TemporaryFolder folder;
  const Result<ProcessResult> result = Shell("echo here > file", folder.path());
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(ReadText(folder / "file"), "here\n");
}

TEST(ProcessTest, ThereIsNoInput) { EXPECT_EQ(Shell("cat; echo end")->output, "end\n"); }

TEST(ProcessTest, OfMuchOutputTheEndIsKept) {
  const Result<ProcessResult> result =
      Shell("i=0; while [ $i -lt 5000 ]; do echo 0123456789abcdef; i=$((i+1)); done; echo end");
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(result->output.ends_with("abcdef\nend\n"));
  EXPECT_LT(result->output.size(), 40000U);
}

TEST(ProcessTest, TakingTooLong) {
  const auto start = std::chrono::steady_clock::now();
  const Result<ProcessResult> result = RunProcess({"sleep", "60"}, ".", 0.05);
  EXPECT_EQ(result.status().code(), StatusCode::kLimitExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(ProcessTest, IsStoppedWhenAskedTo) {
  const auto start = std::chrono::steady_clock::now();
  const Result<ProcessResult> result = RunProcess({"sleep", "60"}, ".", kLimit, [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(50);
  });
  EXPECT_EQ(result.status().code(), StatusCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// No more descriptors may be opened than the next `count`.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int count) {
    const int next = dup(STDERR_FILENO);
    close(next);
    getrlimit(RLIMIT_NOFILE, &old_limit_);
    const rlimit limit = {static_cast<rlim_t>(next + count), old_limit_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &old_limit_); }

 private:
  rlimit old_limit_{};
};

// Neither does it wait until the limit, nor is it taken for a program that has said nothing.
#ifndef MMP_SANITIZED  // the sanitizers' own checks of memory need descriptors
TEST(ProcessTest, WithoutDescriptorsItIsNotStarted) {
  const auto start = std::chrono::steady_clock::now();
  for (int count = 0; count <= 1; ++count) {
    const DescriptorLimit limit(count);
    const Result<ProcessResult> result = Shell("echo here");
    EXPECT_EQ(result.status().code(), StatusCode::kUnavailable) << count;
    EXPECT_EQ(result.status().message(), "cannot run sh: Too many open files") << count;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(Shell("echo here")->output, "here\n");
}
#endif

// Whoever started us may have had children forgotten: then nobody knows whether one failed.
TEST(ProcessTest, AnEndThatCannotBeKnownIsNoSuccess) {
  signal(SIGCHLD, SIG_IGN);
  const Result<ProcessResult> result = Shell("exit 3");
  signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(result.status().code(), StatusCode::kIo);
  EXPECT_EQ(result.status().message(), "cannot know how sh ended: No child processes");
}

// Then the pipe has the numbers of the streams that are closed.
TEST(ProcessTest, OurOwnStreamsMayBeClosed) {
  for (const int closed : {STDIN_FILENO, STDOUT_FILENO}) {
    const auto run_without = [&] {
      for (int stream = 0; stream <= closed; ++stream) close(stream);
      const Result<ProcessResult> result = Shell("cat; echo one; echo two >&2");
      _exit(result.ok() && result->output == "one\ntwo\n" ? 0 : 1);
    };
    EXPECT_EXIT(run_without(), testing::ExitedWithCode(0), "") << closed;
  }
}

TEST(ProcessTest, EndedByASignal) {
  const Result<ProcessResult> result = Shell("kill -9 $$");
  EXPECT_EQ(result.status().code(), StatusCode::kIo);
  EXPECT_NE(result.status().message().find("signal 9"), std::string::npos);
}

TEST(ProcessTest, ProgramsThatAreNotThere) {
  EXPECT_EQ(FindProgram("no-such-program"), "");
  EXPECT_EQ(FindProgram("/no/such/program"), "");
  EXPECT_EQ(RunProcess({"no-such-program"}, ".", kLimit).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Shell("true", "/no/such/folder").status().code(), StatusCode::kUnavailable);
}

TEST(ProcessTest, ProgramsAreFoundOnThePath) {
  const TemporaryFolder folder;
  WriteText(folder / "some-program", "#!/bin/sh\n");
  const std::string old_path = getenv("PATH");
  setenv("PATH", ("/nowhere:" + folder.path()).c_str(), 1);
  EXPECT_EQ(FindProgram("some-program"), "");  // it may not be run
  std::filesystem::permissions(folder / "some-program", std::filesystem::perms::owner_all);
  EXPECT_EQ(FindProgram("some-program"), folder / "some-program");
  setenv("PATH", old_path.c_str(), 1);
  EXPECT_EQ(FindProgram(folder / "some-program"), folder / "some-program");
}

TEST(ProcessTest, ShellTextIsUnderstoodByAShell) {
  const Arguments arguments = {"printf", "%s\\n", "plain-1.0/x", "two words", "it's",
                               "",       "$HOME", "\"`\\",       "*",         "a\nb"};
  EXPECT_EQ(ShellText({"mmp", "encode", "a.png", "--lambda", "10"}),
            "mmp encode a.png --lambda 10");
  EXPECT_EQ(Shell(ShellText(arguments))->output,
            "plain-1.0/x\ntwo words\nit's\n\n$HOME\n\"`\\\n*\na\nb\n");
}

}  // namespace
}  // namespace mmp
