// Command lines, and backends that a machine does not have.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(Mmp({"--version"}).out.substr(0, 4), "mmp ");
  for (const char* command : {"encode", "decode", "info", "compare"}) {
    const Outcome outcome = Mmp({command, "--help"});
    EXPECT_EQ(outcome.exit_code, kSuccess);
    EXPECT_NE(outcome.out.find(command), std::string::npos);
    EXPECT_EQ(outcome.out.find("Exit codes"), std::string::npos);
  }
  const Outcome help = Mmp({"--help"});
  EXPECT_EQ(help.exit_code, kSuccess);
  EXPECT_NE(help.out.find("Exit codes"), std::string::npos);
}

TEST_F(Cli, OddOptionsAreUsageErrors) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"enhance", kSmallImage},
      {"encode"},
      {"encode", kSmallImage, "--bogus"},
      {"encode", kSmallImage, "--lambda", "-1"},
      {"encode", kSmallImage, "--lambda", "nan"},
      {"encode", kSmallImage, "--lambda", "ten"},
      {"encode", kSmallImage, "--lambda", "65537"},
      {"encode", kSmallImage, "--lambda", "10", "--target-psnr", "40"},
      {"encode", kSmallImage, "--target-bpp", "1", "--target-psnr", "40"},
      {"encode", kSmallImage, "--target-psnr", "inf"},
      {"encode", kSmallImage, "--target-size", "20x"},
      {"encode", kSmallImage, "--target-size", "0"},
      {"encode", kSmallImage, "--target-size", "1k", "--lambda", "10"},
      {"encode", kSmallImage, "--target-size", "1k", "--target-bpp", "1"},
      {"encode", kSmallImage, "--target-size", "1k", "--target-psnr", "40"},
      {"encode", kSmallImage, "--preset", "fastest"},
      {"encode", kSmallImage, "--effort", "0"},
      {"encode", kSmallImage, "--effort", "10"},
      {"encode", kSmallImage, "--effort", "high"},
      {"encode", kSmallImage, "--effort", "3", "--preset", "fast"},
      {"encode", kSmallImage, "--tools", "hammer"},
      {"encode", kSmallImage, "--tools", "wiener,"},
      {"encode", kSmallImage, "--tools", "wiener,own-dictionary"},
      {"encode", kSmallImage, "--dictionary-size", "68"},
      {"encode", kSmallImage, "--dictionary-size", "99999999999"},
      {"encode", kSmallImage, "--prediction-level", "25"},
      {"encode", kSmallImage, "--prediction-level", "some"},
      {"encode", kSmallImage, "--modes", "0,31"},
      {"encode", kSmallImage, "--modes", "vertical,,lsp"},
      {"encode", kSmallImage, "--tile", "16"},
      {"encode", kSmallImage, "--tile", "16x17"},
      {"encode", kSmallImage, "--tile", "0x0"},
      {"encode", kSmallImage, "--threads", "-1"},
      {"encode", kSmallImage, "--backend", "gpu"},
      {"encode", kSmallImage, "--order", "diagonal"},
      {"encode", kSmallImage, kLargeImage},
      {"encode", kSmallImage, "-", "-o", folder_},
      {"encode", "-", "-o", folder_},
      {"decode", kSmallImage, "-o", Path("a.bmp")},
      {"decode", kSmallImage, "--format", "bmp"},
      {"encode", kSmallImage, "-o", Path("a.mmp"), "--max-pixels", "-1"},
      {"decode", kSmallImage, "-o", Path("a.png"), "--max-pixels", "-5"},
      {"decode", kSmallImage, "-o", Path("a.png"), "--max-work", "-1"},
      {"decode", kSmallImage, "-o", Path("a.png"), "--max-memory", "1M"},
      {"decode", kSmallImage, "-o", Path("a.png"), "--max-memory", "99999999999999999999"},
      {"inspect", kSmallImage, "--json", "--max-pixels", "-1"},
      {"compare", kSmallImage, kSmallImage, "--max-pixels", "-1"},
      {"train", kSmallImage, "-o", Path("a.mmd"), "--max-pixels", "-1"},
      {"sweep", kSmallImage, "-o", Path("sweep"), "--max-pixels", "-1"},
      {"info", "-", "-"},
      {"compare", kSmallImage},
  };
  for (const std::vector<std::string>& arguments : cases) {
    std::string line = "mmp";
    for (const std::string& argument : arguments) line += " " + argument;
    SCOPED_TRACE(line);
    ExpectError(Mmp(arguments), kUsage, "");
  }
  EXPECT_TRUE(Names().empty());
}

TEST_F(Cli, MisspelledOptions) {
  const std::string begin = "there is no option ";
  for (const auto& [word, meant] :
       std::vector<std::pair<std::string, std::string>>{{"--lamda", "--lambda"},
                                                        {"-lambda", "--lambda"},
                                                        {"--lamda=10", "--lambda"},
                                                        {"--target-pnsr", "--target-psnr"},
                                                        {"--efort=3", "--effort"}}) {
    ExpectError(Mmp({"encode", kSmallImage, word, "10"}), kUsage,
                begin + word + "; did you mean " + meant + "? See mmp encode --help");
  }
  ExpectError(Mmp({"encode", kSmallImage, "--quality", "90"}), kUsage, "not expected: --quality");
  ExpectError(Mmp({"decode", "a.mmp", "--lambda", "90"}), kUsage, "not expected: --lambda");
  ExpectError(Mmp({"inspect", "a.mmp", "b.mmp"}), kUsage, "not expected: b.mmp");
  EXPECT_TRUE(Names().empty());
}

// Runs a shell command in a folder, "mmp" being the program.
Outcome InShell(const std::string& folder, const std::string& command) {
  return RunProgram(
      {"/bin/sh", "-c", "mmp=$1; cd \"$2\" && " + command, "sh", MMP_PROGRAM, folder});
}

// As * may give them.
TEST_F(Cli, NamesThatBeginWithADash) {
  for (const char* name : {"-o.png", "-x.png", "a.png"}) fs::copy(kSmallImage, Path(name));
  fs::create_directory(Path("out"));
  ExpectError(InShell(folder_, "\"$mmp\" encode * -o out"), kUsage, "put -- before");
  ExpectError(InShell(folder_, "\"$mmp\" encode a.png -x.png -o out"), kUsage, "'-x.png'");
  EXPECT_TRUE(fs::is_empty(Path("out")));
  const Outcome outcome = InShell(folder_, "\"$mmp\" encode -o out -- *.png");
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("out/-o.mmp")));
  EXPECT_EQ(InShell(folder_, "\"$mmp\" encode ./-x.png").exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("-x.mmp")));
  // What follows an option is its value, file or not.
  EXPECT_EQ(InShell(folder_, "\"$mmp\" encode a.png -o -x.mmp").exit_code, kSuccess);
  WriteText(Path("--lambda=0"), "");
  EXPECT_EQ(InShell(folder_, "\"$mmp\" encode a.png --lambda=0").exit_code, kSuccess);
}

class CliWithoutDevice : public Cli {
 protected:
  CliWithoutDevice() { setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  ~CliWithoutDevice() override { unsetenv("CUDA_VISIBLE_DEVICES"); }
};

TEST_F(CliWithoutDevice, Devices) {
  const Outcome text = Mmp({"devices"});
  EXPECT_EQ(text.exit_code, kSuccess) << text.err;
  EXPECT_TRUE(text.out.starts_with("none: ")) << text.out;
  const Outcome outcome = Mmp({"devices", "--json"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Json json = ParseJson(outcome.out);
  EXPECT_EQ(json["devices"].items.size(), 0u);
  EXPECT_NE(json["problem"].text, "");
}

TEST_F(CliWithoutDevice, CudaAskedFor) {
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--backend", "cuda"}), kNoBackend,
              "the CPU can be used instead");
  EXPECT_TRUE(Names().empty());
}

// Each error names its file.
TEST_F(CliWithoutDevice, CudaAskedForByABatch) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("out"), "--backend", "cuda", "--json"});
  EXPECT_EQ(outcome.exit_code, kNoBackend);
  const Json reports = ParseJson(outcome.out);
  ASSERT_EQ(reports.items.size(), 2u);
  EXPECT_TRUE(reports.items[0]["error"].text.starts_with("'" + std::string(kSmallImage) + "': "));
  EXPECT_TRUE(reports.items[1]["error"].text.starts_with("'" + std::string(kTinyImage) + "': "));
  EXPECT_TRUE(fs::is_empty(Path("out")));
}

TEST_F(CliWithoutDevice, AutomaticBackendSaysWhyNotCuda) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--backend", "auto", "--json"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Json stats = ParseReport(outcome.out)["stats"];
  EXPECT_EQ(stats["backend"].text, "cpu");
  EXPECT_NE(stats["backend_note"].text.find("CUDA"), std::string::npos) << outcome.out;
  const Outcome with_stats = Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--stats"});
  EXPECT_NE(with_stats.out.find("cpu (" + stats["backend_note"].text + ")"), std::string::npos)
      << with_stats.out;
}

}  // namespace
}  // namespace mmp
