// Targets of rate and quality, with a whole image as a user has it.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tools/command_line/exit_code.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

constexpr char kImage[] = MMP_TEST_IMAGES "/natural.png";

TEST(CliTarget, OfARealImageAreMetWithinTheTolerance) {
  const TemporaryFolder folder;
  const std::string file = folder / "a.mmp";
  const auto encode = [&](const std::string& option, const std::string& value) {
    const Outcome outcome = RunProgram(
        {MMP_PROGRAM, "encode", kImage, "-o", file, "--preset", "fast", option, value, "--json"});
    EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kSuccess)) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const std::optional<Json> report = ReadJson(outcome.out);
    EXPECT_TRUE(report) << outcome.out;
    if (!report || report->items.size() != 1) return Json();
    const Json& only = report->items[0];
    EXPECT_TRUE(only["target_met_closely"].truth) << outcome.out;
    EXPECT_LE(only["trials"].items.size(), 16u);
    return only;
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
    const Outcome outcome = RunProgram({MMP_PROGRAM, "encode", kImage, "-o", folder / "a.mmp",
                                        "--effort", "1", option, value, "--json"});
    EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kSuccess)) << outcome.err;
    const std::optional<Json> report = ReadJson(outcome.out);
    EXPECT_TRUE(report) << outcome.out;
    return report ? *report : Json();
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
