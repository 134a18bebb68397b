// Targets of rate and quality, with a whole image as a user has it.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tools/command_line/exit_code.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

constexpr char kImage[] = MMP_TEST_IMAGES "/natural.png";

// What encoding kImage into `file` reports.
Json Encode(const std::string& file, const std::vector<std::string>& options) {
  std::vector<std::string> command = {MMP_PROGRAM, "encode",  kImage,  "-o",
                                      file,        "--force", "--json"};
  command.insert(command.end(), options.begin(), options.end());
  const Outcome outcome = RunProgram(command);
  EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kSuccess)) << outcome.err;
  const std::optional<Json> reports = ReadJson(outcome.out);
  EXPECT_TRUE(reports && reports->items.size() == 1) << outcome.out;
  return reports && reports->items.size() == 1 ? reports->items[0] : Json();
}

TEST(CliTarget, OfARealImageAreMetWithinTheTolerance) {
  const TemporaryFolder folder;
  const std::string file = folder / "a.mmp";
  const auto encode = [&](const std::string& option, const std::string& value) {
    const Json report = Encode(file, {"--preset", "fast", option, value});
    EXPECT_TRUE(report["target_met_closely"].truth);
    EXPECT_LE(report["trials"].items.size(), 16u);
    return report;
  };
  const double rate = encode("--target-bpp", "0.5")["bits_per_pixel"].number;
  EXPECT_LE(rate, 0.5);
  EXPECT_GE(rate, 0.495);
  const double psnr = encode("--target-psnr", "34")["psnr"].number;
  EXPECT_GE(psnr, 34);
  EXPECT_LE(psnr, 34.05);
  const double bytes = encode("--target-size", "5k")["bytes"].number;
  EXPECT_LE(bytes, 5000);
  EXPECT_GE(bytes, 4950);
  EXPECT_EQ(std::filesystem::file_size(file), bytes);
}

// The pixel coder's files have 16162 bytes where errors are at most 4, 21297 where they are at
// most 2.
TEST(CliTarget, BetweenSizesOfThePixelCoderArePatterns) {
  const TemporaryFolder folder;
  const auto encode = [&](const std::string& option, const std::string& value) {
    return Encode(folder / "a.mmp", {"--effort", "1", option, value});
  };
  const Json between = encode("--target-size", "20k");
  EXPECT_EQ(between["stats"]["coder"].text, "patterns");
  EXPECT_LE(between["bytes"].number, 20000);
  EXPECT_GE(between["bytes"].number, 19800);
  EXPECT_TRUE(between["target_met_closely"].truth);
  // What the pixel coder has is kept where patterns are no better.
  for (const Json& kept : {encode("--target-size", "24k"), encode("--target-psnr", "47")}) {
    EXPECT_EQ(kept["stats"]["coder"].text, "pixels");
    EXPECT_EQ(kept["bytes"].number, 21297);
    EXPECT_FALSE(kept["target_met_closely"].truth);
    EXPECT_TRUE(kept["target_met"].truth);
  }
}

}  // namespace
}  // namespace mmp
