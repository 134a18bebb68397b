// The conformance files: each of accepted/ decodes to the picture that files.txt says, each of
// refused/ is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/crc32c.h"
#include "common/file_io.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = MMP_CONFORMANCE_FILES;

struct ExpectedFile {
  int width = 0, height = 0, depth = 0;
  uint32_t crc = 0;
  std::optional<uint32_t> preview_crc;
};

// By name; see the first line of files.txt.
std::map<std::string, ExpectedFile> LoadExpected() {
  std::ifstream in(kFolder / "files.txt");
  std::map<std::string, ExpectedFile> files;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string name, sha256;
    ExpectedFile file;
    words >> name >> file.width >> file.height >> file.depth >> std::hex >> file.crc >> sha256;
    if (!words) ADD_FAILURE() << "not a file: " << line;
    if (uint32_t preview_crc = 0; words >> preview_crc) file.preview_crc = preview_crc;
    files[name] = file;
  }
  return files;
}

std::vector<uint8_t> Load(const fs::path& path) {
  Result<std::vector<uint8_t>> bytes = ReadFile(path.string(), 1 << 20);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? *std::move(bytes) : std::vector<uint8_t>();
}

// With the dictionary file beside it, if there is one.
DecodeOptions OptionsFor(const fs::path& path) {
  DecodeOptions options;
  const fs::path dictionary = fs::path(path).replace_extension(".mmd");
  if (fs::exists(dictionary)) options.dictionary_file = Load(dictionary);
  return options;
}

TEST(ConformanceTest, AcceptedFilesAreThePicturesThatTheyMustBe) {
  std::map<std::string, ExpectedFile> files = LoadExpected();
  ASSERT_GE(files.size(), 50U);
  for (const auto& entry : fs::directory_iterator(kFolder / "accepted")) {
    if (entry.path().extension() != ".mmp") continue;
    const std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    ASSERT_TRUE(files.contains(name)) << "not in files.txt";
    const ExpectedFile expected = files.extract(name).mapped();
    const std::vector<uint8_t> file = Load(entry.path());
    DecodeOptions options = OptionsFor(entry.path());
    const Result<DecodedImage> decoded = Decode(file, options);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(decoded->image.width(), expected.width);
    EXPECT_EQ(decoded->image.height(), expected.height);
    EXPECT_EQ(decoded->image.depth(), expected.depth);
    EXPECT_EQ(Crc32c(decoded->image.pixels()), expected.crc);
    const Result<FileInfo> info = ReadInfo(file);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->dictionary_hash.has_value(), !options.dictionary_file.empty());
    if (!expected.preview_crc) continue;
    options.preview = true;
    const Result<DecodedImage> preview = Decode(file, options);
    ASSERT_TRUE(preview.ok()) << preview.status().message();
    EXPECT_EQ(Crc32c(preview->image.pixels()), *expected.preview_crc);
  }
  for (const auto& [name, file] : files) ADD_FAILURE() << name << " is not there";
}

TEST(ConformanceTest, RefusedFilesAreRefused) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(kFolder / "refused")) {
    if (entry.path().extension() != ".mmp") continue;
    EXPECT_FALSE(Decode(Load(entry.path()), OptionsFor(entry.path())).ok()) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 25);
}

}  // namespace
}  // namespace mmp
