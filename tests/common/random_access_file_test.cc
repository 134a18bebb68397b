#include "common/random_access_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/file_io.h"
#include "tests/support/temporary_folder.h"

namespace mmp {
namespace {

class RandomAccessFileTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  TemporaryFolder folder_;
};

TEST_F(RandomAccessFileTest, ReadsAnyPart) {
  std::vector<uint8_t> bytes(100000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 7);
  ASSERT_TRUE(WriteFile(Path("a"), bytes).ok());
  auto opened = RandomAccessFile::Open(Path("a"));
  ASSERT_TRUE(opened.ok() && opened->has_value());
  const RandomAccessFile file = std::move(**opened);
  EXPECT_EQ(file.size(), bytes.size());
  for (const auto& [offset, count] : std::vector<std::pair<size_t, size_t>>{
           {99999, 1}, {0, 100000}, {5, 70000}, {100000, 0}, {0, 1}}) {
    std::vector<uint8_t> part(count);
    ASSERT_TRUE(file.Read(offset, part).ok());
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    EXPECT_EQ(part, std::vector<uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count)));
  }
}

TEST_F(RandomAccessFileTest, AFileThatEndsBeforeIsAnError) {
  ASSERT_TRUE(WriteFile(Path("a"), std::vector<uint8_t>(10)).ok());
  const auto opened = RandomAccessFile::Open(Path("a"));
  ASSERT_TRUE(opened.ok() && opened->has_value());
  std::filesystem::resize_file(Path("a"), 7);
  std::vector<uint8_t> part(5);
  EXPECT_TRUE((*opened)->Read(2, part).ok());
  const Status status = (*opened)->Read(3, part);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(status.message(), "'" + Path("a") + "' ends after 7 bytes, before what is read");
}

TEST_F(RandomAccessFileTest, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), folder_.path()}) {
    const auto opened = RandomAccessFile::Open(path);
    ASSERT_TRUE(opened.ok());
    EXPECT_FALSE(opened->has_value());
  }
  const auto missing = RandomAccessFile::Open(Path("missing"));
  EXPECT_EQ(missing.status().code(), StatusCode::kIo);
  EXPECT_EQ(missing.status().message(),
            "cannot read '" + Path("missing") + "': No such file or directory");
}

}  // namespace
}  // namespace mmp
