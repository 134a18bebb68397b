#include "tools/sweep/journal.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/temporary_folder.h"

namespace {
int flock_error = 0;
}  // namespace

// In place of the system's: fails if it is to.
extern "C" int flock(int descriptor, int operation) {
  errno = flock_error;
  return flock_error != 0 ? -1 : static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

namespace mmp {
namespace {

RdPoint SomePoint(double parameter) {
  RdPoint point;
  point.parameter = parameter;
  point.bytes = 12345;
  point.bits_per_pixel = 0.1 * parameter;
  point.psnr = 38.25;
  point.ssim = 0.97;
  point.encode_seconds = 1.5;
  point.bits = {{"modes", 100.5}, {"indices", 2000}};
  point.bitstream_path = "bitstreams/a \"b\"/x.mmp";
  point.command = "mmp encode 'a b.png'";
  return point;
}

void ExpectEqual(const RdPoint& a, const RdPoint& b) {
  EXPECT_EQ(a.parameter, b.parameter);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.bits_per_pixel, b.bits_per_pixel);
  EXPECT_EQ(a.psnr, b.psnr);
  EXPECT_EQ(a.ssim, b.ssim);
  EXPECT_EQ(a.ms_ssim, b.ms_ssim);
  EXPECT_EQ(a.encode_seconds, b.encode_seconds);
  EXPECT_EQ(a.decode_seconds, b.decode_seconds);
  EXPECT_EQ(a.bits, b.bits);
  EXPECT_EQ(a.bitstream_path, b.bitstream_path);
  EXPECT_EQ(a.decoded_path, b.decoded_path);
  EXPECT_EQ(a.command, b.command);
}

class JournalTest : public testing::Test {
 protected:
  std::unique_ptr<Journal> Open() {
    Result<std::unique_ptr<Journal>> journal = Journal::Open(path_);
    EXPECT_TRUE(journal.ok()) << journal.status().message();
    return journal.ok() ? *std::move(journal) : nullptr;
  }

  // Three points under the keys a, b and c.
  void WriteThree() {
    const auto journal = Open();
    for (const char* key : {"a", "b", "c"})
      ASSERT_TRUE(journal->Append(key, "lena", "mmp fast", SomePoint(key[0])).ok());
  }

  void ExpectKnown(const std::string& keys, const std::string& unknown) {
    const auto journal = Open();
    for (const char key : keys) {
      const RdPoint* point = journal->Find(std::string(1, key));
      ASSERT_NE(point, nullptr) << key;
      ExpectEqual(*point, SomePoint(key));
    }
    for (const char key : unknown) EXPECT_EQ(journal->Find(std::string(1, key)), nullptr) << key;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "journal.jsonl";
};

TEST_F(JournalTest, PointsAreThereTheNextTime) {
  WriteThree();
  ExpectKnown("abc", "d");
}

TEST_F(JournalTest, LosslessPointsAndUnknownValues) {
  RdPoint lossless;
  lossless.psnr = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(Open()->Append("x", "lena", "mmp fast", lossless).ok());
  ExpectEqual(*Open()->Find("x"), lossless);
}

TEST_F(JournalTest, TheLastPointOfAKeyCounts) {
  ASSERT_TRUE(Open()->Append("a", "lena", "mmp fast", SomePoint(1)).ok());
  ASSERT_TRUE(Open()->Append("a", "lena", "mmp fast", SomePoint('a')).ok());
  ExpectKnown("a", "");
}

// Wherever the last line is cut off, the others count, and what comes later is whole.
TEST_F(JournalTest, ATornLineIsForgotten) {
  WriteThree();
  const std::string whole = ReadText(path_);
  const size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (size_t size = last_line; size < whole.size(); size += 7) {
    WriteText(path_, whole.substr(0, size));
    ExpectKnown("ab", "c");
    ASSERT_TRUE(Open()->Append("d", "lena", "mmp fast", SomePoint('d')).ok());
    ExpectKnown("abd", "c");
  }
}

TEST_F(JournalTest, DamagedLinesAreForgotten) {
  WriteThree();
  std::string text = ReadText(path_);
  const size_t second_line = text.find('\n') + 1;
  text[text.find("psnr", second_line)] = '\0';
  WriteText(path_, "not JSON\n{\"key\": \"d\"}\n\n[]\n" + text);
  ExpectKnown("ac", "bd");
}

// A damaged digit can make a number of bytes that no file has.
TEST_F(JournalTest, ImpossibleSizesAreForgotten) {
  WriteThree();
  const std::string text = ReadText(path_);
  const std::string field = "\"bytes\": 12345";
  const size_t place = text.find(field);
  ASSERT_NE(place, std::string::npos);
  for (const char* bytes : {"1e300", "18446744073709551616", "9007199254740994", "-1", "0.5"}) {
    std::string damaged = text;
    WriteText(path_, damaged.replace(place, field.size(), std::string("\"bytes\": ") + bytes));
    ExpectKnown("bc", "a");
  }
}

TEST_F(JournalTest, OneAtATime) {
  const auto journal = Open();
  const auto other = Journal::Open(path_);
  EXPECT_EQ(other.status().code(), StatusCode::kIo);
  EXPECT_NE(other.status().message().find("another sweep"), std::string::npos);
}

// As Lustre mounted without locks, and NFS without its lock daemon.
TEST_F(JournalTest, AFileSystemWithoutLocksWillDo) {
  for (const int error : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
    flock_error = error;
    const auto journal = Journal::Open(path_);
    flock_error = 0;
    EXPECT_TRUE(journal.ok()) << journal.status().message();
  }
  flock_error = EIO;
  const auto journal = Journal::Open(path_);
  flock_error = 0;
  EXPECT_NE(journal.status().message().find("cannot lock"), std::string::npos);
}

TEST_F(JournalTest, NoPlaceForIt) {
  EXPECT_EQ(Journal::Open(folder_ / "missing/journal").status().code(), StatusCode::kIo);
  EXPECT_EQ(Journal::Open(folder_.path()).status().code(), StatusCode::kIo);
}

// Files may not get longer than so many bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit = {bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

TEST_F(JournalTest, NothingFollowsALineThatCouldNotBeWritten) {
  WriteThree();
  {
    const auto journal = Open();
    {
      const FileSizeLimit limit(std::filesystem::file_size(path_) + 20);
      EXPECT_EQ(journal->Append("d", "lena", "mmp fast", SomePoint('d')).code(), StatusCode::kIo);
    }
    EXPECT_EQ(journal->Append("e", "lena", "mmp fast", SomePoint('e')).code(), StatusCode::kIo);
  }
  ExpectKnown("abc", "de");
}

}  // namespace
}  // namespace mmp
