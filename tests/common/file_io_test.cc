#include "common/file_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace mmp {
namespace {

namespace fs = std::filesystem;
using testing::ExitedWithCode;
using testing::KilledBySignal;

std::vector<uint8_t> RandomBytes(size_t size, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

int Permissions(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

// Each test has an empty folder of its own.
class FileIoTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mmp_file_io_test.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  // How many entries the folder has, hidden ones included.
  int CountFiles() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }

  std::vector<uint8_t> Read(const std::string& path) const {
    Result<std::vector<uint8_t>> bytes = ReadFile(path, uint64_t{1} << 30);
    EXPECT_TRUE(bytes.ok()) << bytes.status().message();
    return bytes.ok() ? *bytes : std::vector<uint8_t>();
  }

  std::string folder_;
};

void ExpectIoError(const Status& status, std::string_view file, std::string_view reason) {
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_NE(status.message().find(file), std::string::npos) << status.message();
  EXPECT_NE(status.message().find(reason), std::string::npos) << status.message();
}

TEST_F(FileIoTest, WhatIsWrittenIsRead) {
  for (const size_t size : {0, 1, 65535, 65536, 65537, 300000}) {
    const std::vector<uint8_t> bytes = RandomBytes(size);
    const Status status = WriteFile(Path("file"), bytes);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(Read(Path("file")), bytes);
    EXPECT_EQ(CountFiles(), 1);
  }
}

TEST_F(FileIoTest, ReadLimit) {
  ASSERT_TRUE(WriteFile(Path("file"), RandomBytes(100)).ok());
  EXPECT_TRUE(ReadFile(Path("file"), 100).ok());
  const Status status = ReadFile(Path("file"), 99).status();
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(status.message().find("'" + Path("file") + "' is larger"), std::string::npos);
  // What has no size beforehand
  EXPECT_EQ(ReadFile("/dev/zero", 1000000).status().code(), StatusCode::kLimitExceeded);
  EXPECT_TRUE(Read("/dev/null").empty());
}

TEST_F(FileIoTest, ReadErrors) {
  ExpectIoError(ReadFile(Path("missing"), 10).status(), Path("missing"), "No such file");
  ExpectIoError(ReadFile(folder_, 10).status(), folder_, "Is a directory");
  ASSERT_TRUE(WriteFile(Path("file"), {}).ok());
  ExpectIoError(ReadFile(Path("file/below"), 10).status(), Path("file/below"), "Not a directory");
}

TEST_F(FileIoTest, ReadsPipes) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const std::vector<uint8_t> bytes = RandomBytes(200000);
  std::thread writer([&] { EXPECT_TRUE(WriteFile(Path("pipe"), bytes).ok()); });
  EXPECT_EQ(Read(Path("pipe")), bytes);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
}

TEST_F(FileIoTest, ReadsStandardInput) {
  const std::vector<uint8_t> bytes = RandomBytes(70000);
  ASSERT_TRUE(WriteFile(Path("file"), bytes).ok());
  const auto read_as_standard_input = [&](const std::string& path) {
    dup2(open(path.c_str(), O_RDONLY), STDIN_FILENO);
    const Result<std::vector<uint8_t>> read = ReadFile("-", 70000);
    if (!read.ok()) std::fprintf(stderr, "%s\n", read.status().message().c_str());
    _exit(read.ok() && *read == bytes ? 0 : 1);
  };
  EXPECT_EXIT(read_as_standard_input(Path("file")), ExitedWithCode(0), "");
  EXPECT_EXIT(read_as_standard_input(folder_), ExitedWithCode(1),
              "cannot read standard input: Is a directory");
}

TEST_F(FileIoTest, NothingAppearsBeforeCommit) {
  const std::vector<uint8_t> old_bytes = RandomBytes(10, 1);
  const std::vector<uint8_t> new_bytes = RandomBytes(20, 2);
  ASSERT_TRUE(WriteFile(Path("file"), old_bytes).ok());
  {
    Result<AtomicFile> file = AtomicFile::Open(Path("file"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(std::span(new_bytes).first(5)).ok());
    ASSERT_TRUE(file->Write(std::span(new_bytes).subspan(5)).ok());
    EXPECT_EQ(Read(Path("file")), old_bytes);
    EXPECT_EQ(CountFiles(), 2);
    ASSERT_TRUE(file->Commit().ok());
    EXPECT_EQ(Read(Path("file")), new_bytes);
    EXPECT_EQ(CountFiles(), 1);
  }
  EXPECT_EQ(Read(Path("file")), new_bytes);
}

TEST_F(FileIoTest, WithoutCommitNothingIsLeft) {
  {
    Result<AtomicFile> file = AtomicFile::Open(Path("file"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(RandomBytes(10)).ok());
    const AtomicFile moved = *std::move(file);
    EXPECT_EQ(CountFiles(), 1);
  }
  EXPECT_EQ(CountFiles(), 0);
}

TEST_F(FileIoTest, WhatIsThereIsKept) {
  const std::vector<uint8_t> others = RandomBytes(10, 1);
  {
    Result<AtomicFile> file = AtomicFile::Open(Path("file"), OldFile::kKept);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(RandomBytes(20, 2)).ok());
    ASSERT_TRUE(WriteFile(Path("file"), others).ok());  // another program, meanwhile
    ExpectIoError(file->Commit(), Path("file"), "which is kept as it is");
  }
  ExpectIoError(WriteFile(Path("file"), {}, OldFile::kKept), Path("file"),
                "which is kept as it is");
  EXPECT_EQ(Read(Path("file")), others);
  EXPECT_EQ(CountFiles(), 1);
  EXPECT_TRUE(WriteFile(Path("new"), others, OldFile::kKept).ok());
  EXPECT_EQ(Read(Path("new")), others);
  EXPECT_EQ(CountFiles(), 2);
}

// What is no regular file is written, and links are followed, as ever.
TEST_F(FileIoTest, DevicesAndLinksWhereFilesAreKept) {
  EXPECT_TRUE(WriteFile("/dev/null", RandomBytes(1000), OldFile::kKept).ok());
  const std::vector<uint8_t> bytes = RandomBytes(10);
  fs::create_symlink("file", Path("link"));
  EXPECT_TRUE(WriteFile(Path("link"), bytes, OldFile::kKept).ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read(Path("file")), bytes);
  ExpectIoError(WriteFile(Path("link"), {}, OldFile::kKept), Path("link"), "is kept");
}

TEST_F(FileIoTest, Permissions) {
  const mode_t old_mask = umask(027);
  ASSERT_TRUE(WriteFile(Path("file"), {}).ok());
  umask(old_mask);
  EXPECT_EQ(Permissions(Path("file")), 0640);
  ASSERT_EQ(chmod(Path("file").c_str(), 0600), 0);
  ASSERT_TRUE(WriteFile(Path("file"), RandomBytes(3)).ok());
  EXPECT_EQ(Permissions(Path("file")), 0600);
}

TEST_F(FileIoTest, FollowsSymbolicLinks) {
  fs::create_directory(Path("folder"));
  ASSERT_TRUE(WriteFile(Path("folder/file"), {}).ok());
  fs::create_symlink("folder/file", Path("link"));
  const std::vector<uint8_t> bytes = RandomBytes(10);
  ASSERT_TRUE(WriteFile(Path("link"), bytes).ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read(Path("folder/file")), bytes);
}

TEST_F(FileIoTest, FollowsSymbolicLinksToWhereNothingIsYet) {
  fs::create_directory(Path("folder"));
  fs::create_symlink("folder/second", Path("first"));
  fs::create_symlink(Path("folder/file"), Path("folder/second"));
  const std::vector<uint8_t> bytes = RandomBytes(10);
  const Status status = WriteFile(Path("first"), bytes);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(fs::is_symlink(Path("first")));
  EXPECT_TRUE(fs::is_symlink(Path("folder/second")));
  EXPECT_EQ(Read(Path("folder/file")), bytes);
  EXPECT_EQ(CountFiles(), 2);
}

// Until Commit there is nothing at the link's end either, and the link stays if there is none.
TEST_F(FileIoTest, ADanglingLinkOutlivesWhatIsNotCommitted) {
  fs::create_symlink("file", Path("link"));
  {
    Result<AtomicFile> file = AtomicFile::Open(Path("link"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(RandomBytes(10)).ok());
    EXPECT_FALSE(fs::exists(Path("file")));
  }
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(CountFiles(), 1);
}

TEST_F(FileIoTest, SymbolicLinksThatLeadNowhere) {
  fs::create_symlink("missing/file", Path("far"));
  fs::create_symlink("circle", Path("circle"));
  ExpectIoError(WriteFile(Path("far"), {}), Path("far"), "No such file");
  ExpectIoError(WriteFile(Path("circle"), {}), Path("circle"), "Too many levels");
  EXPECT_TRUE(fs::is_symlink(Path("far")));
  EXPECT_TRUE(fs::is_symlink(Path("circle")));
  EXPECT_EQ(CountFiles(), 2);
}

TEST(TemporaryNamesTest, AreKnownAgain) {
  for (const std::string& name : {std::string("a"), std::string("photo.mmp"), std::string(255, 'x'),
                                  std::string(".hidden"), std::string("a b\n")}) {
    const std::string temporary = TemporaryName(name);
    EXPECT_TRUE(IsTemporaryName(temporary)) << temporary;
    EXPECT_LE(temporary.size(), 255U);
    EXPECT_NE(temporary, TemporaryName(name));
  }
  for (const char* name : {"", ".", "photo.mmp", "photo.tmp", ".photo.tmp", ".tmp", ".abcdef.tmp",
                           ".photo.abcdef", ".photo.abcde.tmp", ".photo.ABCDEF.tmp",
                           ".photo.abcde1.tmp", "photo.abcdef.tmp", ".photo.abcdef.tmp2"})
    EXPECT_FALSE(IsTemporaryName(name)) << name;
}

TEST_F(FileIoTest, LongNames) {
  const std::string longest(255, 'x');
  EXPECT_TRUE(WriteFile(Path(longest), RandomBytes(5)).ok());
  EXPECT_EQ(CountFiles(), 1);
  ExpectIoError(WriteFile(Path(longest + "x"), {}), longest, "File name too long");
}

TEST_F(FileIoTest, RelativePaths) {
  const fs::path old_folder = fs::current_path();
  fs::current_path(folder_);
  const Status status = WriteFile("file", RandomBytes(5));
  fs::current_path(old_folder);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Read(Path("file")), RandomBytes(5));
}

TEST_F(FileIoTest, WriteErrors) {
  ASSERT_TRUE(WriteFile(Path("file"), {}).ok());
  ExpectIoError(WriteFile("", {}), "''", "No such file");
  ExpectIoError(WriteFile(Path("missing/file"), {}), Path("missing/file"), "No such file");
  ExpectIoError(WriteFile(Path("missing/"), {}), Path("missing/"), "No such file");
  ExpectIoError(WriteFile(Path("file/below"), {}), Path("file/below"), "Not a directory");
  ExpectIoError(WriteFile(folder_, {}), folder_, "Is a directory");
  ExpectIoError(WriteFile("/proc/mmp", {}), "/proc/mmp", ": ");
  EXPECT_EQ(CountFiles(), 1);
}

TEST_F(FileIoTest, ReadOnlyFileAndFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_TRUE(WriteFile(Path("file"), {}).ok());
  ASSERT_EQ(chmod(Path("file").c_str(), 0400), 0);
  ExpectIoError(WriteFile(Path("file"), {}), Path("file"), "Permission denied");
  ASSERT_EQ(chmod(folder_.c_str(), 0500), 0);
  ExpectIoError(WriteFile(Path("new"), {}), Path("new"), "Permission denied");
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
}

TEST_F(FileIoTest, Devices) {
  EXPECT_TRUE(WriteFile("/dev/null", RandomBytes(1000)).ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  ExpectIoError(WriteFile("/dev/full", RandomBytes(1000)), "/dev/full", "No space left on device");
}

// A file that cannot grow, as on a full disk: the old one stays, the new one leaves nothing.
TEST_F(FileIoTest, DiskFull) {
  const std::vector<uint8_t> old_bytes = RandomBytes(10);
  ASSERT_TRUE(WriteFile(Path("file"), old_bytes).ok());
  const auto write_with_limit = [&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    {
      Result<AtomicFile> file = AtomicFile::Open(Path("file"));
      if (!file.ok()) _exit(2);
      if (file->Write(RandomBytes(5000)).ok()) _exit(3);
      if (file->Write(RandomBytes(1)).ok()) _exit(4);
      if (file->Commit().ok()) _exit(5);
    }
    _exit(0);
  };
  EXPECT_EXIT(write_with_limit(), ExitedWithCode(0), "");
  EXPECT_EQ(Read(Path("file")), old_bytes);
  EXPECT_EQ(CountFiles(), 1);
}

TEST_F(FileIoTest, StandardOutput) {
  const std::vector<uint8_t> bytes = RandomBytes(100000);
  const auto write_to = [&](const std::string& path) {
    dup2(open(path.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    const Status status = WriteFile("-", bytes);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    _exit(status.ok() ? 0 : 1);
  };
  EXPECT_EXIT(write_to(Path("file")), ExitedWithCode(0), "");
  EXPECT_EQ(Read(Path("file")), bytes);
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EXIT(write_to("/dev/full"), ExitedWithCode(1), "write standard output: No space left");
}

TEST_F(FileIoTest, BrokenPipeIsAnError) {
  const auto write_to_broken_pipe = [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(2);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    Status status = WriteFile("-", RandomBytes(10));
    std::fprintf(stderr, "%s\n", status.message().c_str());
    sigset_t pending;
    sigpending(&pending);
    _exit(!status.ok() && sigismember(&pending, SIGPIPE) == 0 ? 0 : 1);
  };
  EXPECT_EXIT(write_to_broken_pipe(), ExitedWithCode(0), "write standard output: Broken pipe");
}

class SignalTest : public FileIoTest, public testing::WithParamInterface<int> {};

TEST_P(SignalTest, RemovesTemporaries) {
  const auto die_while_writing = [&] {
    RemoveTemporariesOnSignal();
    if (!WriteFile(Path("finished"), RandomBytes(10)).ok()) _exit(2);
    Result<AtomicFile> first = AtomicFile::Open(Path("first"));
    Result<AtomicFile> second = AtomicFile::Open(Path("second"));
    if (!first.ok() || !second.ok() || !first->Write(RandomBytes(10)).ok()) _exit(3);
    if (CountFiles() != 3) _exit(4);
    raise(GetParam());
    _exit(5);
  };
  EXPECT_EXIT(die_while_writing(), KilledBySignal(GetParam()), "");
  EXPECT_EQ(CountFiles(), 1);
  EXPECT_TRUE(fs::exists(Path("finished")));
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(FileIoTest, IgnoredSignalsStayIgnored) {
  const auto survive_hangup = [] {
    signal(SIGHUP, SIG_IGN);
    RemoveTemporariesOnSignal();
    raise(SIGHUP);
    _exit(0);
  };
  EXPECT_EXIT(survive_hangup(), ExitedWithCode(0), "");
}

// More files at once than the registry of temporaries can hold.
TEST_F(FileIoTest, ManyFilesAtOnce) {
  constexpr int kFiles = 100;
  std::vector<AtomicFile> files;
  for (int i = 0; i < kFiles; ++i) {
    Result<AtomicFile> file = AtomicFile::Open(Path(std::to_string(i)));
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE(file->Write(RandomBytes(i, i)).ok());
    files.push_back(*std::move(file));
  }
  for (AtomicFile& file : files) ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(CountFiles(), kFiles);
  for (int i = 0; i < kFiles; ++i) EXPECT_EQ(Read(Path(std::to_string(i))), RandomBytes(i, i));
}

TEST_F(FileIoTest, ManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        // Half of the files are abandoned, and all threads replace the same one.
        Result<AtomicFile> abandoned = AtomicFile::Open(Path("abandoned"));
        EXPECT_TRUE(abandoned.ok());
        EXPECT_TRUE(WriteFile(Path("file"), RandomBytes(1000, thread)).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountFiles(), 1);
  EXPECT_EQ(Read(Path("file")).size(), 1000u);
}

}  // namespace
}  // namespace mmp
