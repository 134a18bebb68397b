// What the tests of the whole program share, which is run as a user would.
#ifndef MMP_TESTS_TOOLS_COMMANDS_CLI_H_
#define MMP_TESTS_TOOLS_COMMANDS_CLI_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "mmp/image.h"
#include "tests/support/subprocess.h"
#include "tools/command_line/exit_code.h"
#include "tools/text/json_parser.h"

namespace mmp {

namespace fs = std::filesystem;

inline constexpr int kSuccess = static_cast<int>(ExitCode::kSuccess);
inline constexpr int kFailure = static_cast<int>(ExitCode::kFailure);
inline constexpr int kUsage = static_cast<int>(ExitCode::kUsage);
inline constexpr int kNotAcceptable = static_cast<int>(ExitCode::kNotAcceptable);
inline constexpr int kDamaged = static_cast<int>(ExitCode::kDamaged);
inline constexpr int kNoBackend = static_cast<int>(ExitCode::kNoBackend);
inline constexpr int kIncomplete = static_cast<int>(ExitCode::kIncomplete);
inline constexpr int kOutOfMemory = static_cast<int>(ExitCode::kOutOfMemory);

inline constexpr char kSmallImage[] = MMP_TEST_IMAGES "/odd-33x31.png";
inline constexpr char kTinyImage[] = MMP_TEST_IMAGES "/odd-1x1.png";
inline constexpr char kLargeImage[] = MMP_TEST_IMAGES "/natural.png";

// The program, run with these arguments.
Outcome Mmp(std::vector<std::string> arguments, Streams streams = {});

std::string ReadText(const fs::path& path);
void WriteText(const fs::path& path, const std::string& text);

// Of an image file, or an error of the test.
Image Pixels(const std::string& path);

// A binary PGM file of the large image's middle.
std::string Crop(int size);

// A PNG file of 16-bit gray samples.
std::string Png16(int width, int height);

Json ParseJson(const std::string& text);
// What `mmp encode --json` reports of its one image.
Json ParseReport(const std::string& text);
// Of a list of them.
std::vector<std::string> Texts(const Json& list);

// Expects that the program failed as it should: nothing on stdout, one message on stderr.
void ExpectError(const Outcome& outcome, int exit_code, const std::string& message);

// Each test has a folder of its own.
class Cli : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string Path(const std::string& name) const { return folder_ / name; }
  // Of what is in the folder.
  std::vector<std::string> Names() const;

  // Encodes and expects success.
  void Encode(const std::string& input, const std::string& output,
              const std::vector<std::string>& options = {}) const;

  fs::path folder_;
};

}  // namespace mmp

#endif  // MMP_TESTS_TOOLS_COMMANDS_CLI_H_
