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

TEST(CliTarget, OfARealImageAreMetWithinTheTolerance) {
  const TemporaryFolder folder;
  const std::string file = folder / "a.mmp";
  const auto encode = [&](const std::string& option, const std::string& value) {
    const Outcome outcome = RunProgram({MMP_PROGRAM, "encode", MMP_TEST_IMAGES "/natural.png", "-o",
                                        file, "--preset", "fast", option, value, "--json"});
    EXPECT_EQ(outcome.exit_code, static_cast<int>(ExitCode::kSuccess)) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const std::optional<Json> report = ReadJson(outcome.out);
    EXPECT_TRUE(report) << outcome.out;
    if (!report) return Json();
    EXPECT_TRUE((*report)["target_met_closely"].truth) << outcome.out;
    EXPECT_LE((*report)["trials"].items.size(), 16u);
    return *report;
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

}  // namespace
}  // namespace mmp
