// mmp encode: its options, targets, reports.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "mmp/mmp.h"
#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

// A 16-bit PGM file of 256 samples, `step` between each and the next.
std::string Ramp16(int step) {
  std::string file = "P5 16 16 65535\n";
  for (int i = 0; i < 256; ++i) {
    file += static_cast<char>(i * step >> 8);
    file += static_cast<char>(i * step & 255);
  }
  return file;
}

TEST_F(Cli, SaysWhichLambdaSuitsSamplesThatFillLittleOfTheirRange) {
  WriteText(Path("narrow.pgm"), Ramp16(4));
  WriteText(Path("wide.pgm"), Ramp16(257));
  const Outcome outcome = Mmp({"encode", Path("narrow.pgm")});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.err.find("fill 1.5 % of the range of 16 bits"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("try --lambda 0.002\n"), std::string::npos) << outcome.err;
  const std::vector<std::vector<std::string>> others = {{Path("wide.pgm")},
                                                        {kSmallImage},
                                                        {Path("narrow.pgm"), "--lambda", "0.002"},
                                                        {Path("narrow.pgm"), "--max-error", "2"},
                                                        {Path("narrow.pgm"), "--target-bpp", "4"}};
  for (std::vector<std::string> arguments : others) {
    arguments.insert(arguments.begin(), "encode");
    arguments.insert(arguments.end(), {"-o", Path("a.mmp"), "--effort", "1"});
    const std::string err = Mmp(arguments).err;
    EXPECT_EQ(err.find("fill"), std::string::npos) << err;
  }
}

TEST_F(Cli, RoundTripWithDefaultNames) {
  fs::copy(kSmallImage, Path("a.png"));
  const Outcome encode = Mmp({"encode", Path("a.png")});
  EXPECT_EQ(encode.exit_code, kSuccess);
  EXPECT_EQ(encode.err, "");
  EXPECT_TRUE(encode.out.starts_with(Path("a.mmp") + ": 33x31, ")) << encode.out;

  fs::remove(Path("a.png"));
  EXPECT_EQ(Mmp({"decode", Path("a.mmp")}).exit_code, kSuccess);
  const Outcome compare = Mmp({"compare", "--json", kSmallImage, Path("a.png")});
  EXPECT_EQ(compare.exit_code, kSuccess);
  const Json difference = ParseJson(compare.out);
  EXPECT_GT(difference["psnr"].number, 30);
  EXPECT_GT(difference["max_difference"].number, 0);
}

TEST_F(Cli, LambdaZeroIsLossless) {
  Encode(kSmallImage, Path("a.mmp"), {"--lambda", "0", "--verify"});
  const Outcome outcome = Mmp({"compare", kSmallImage, Path("a.mmp")});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.out.find("PSNR                inf"), std::string::npos) << outcome.out;
  const Json difference = ParseJson(Mmp({"compare", "--json", kSmallImage, Path("a.mmp")}).out);
  EXPECT_EQ(difference["mse"].number, 0);
  EXPECT_EQ(difference["psnr"].type, Json::Type::kNull);
  EXPECT_EQ(difference["ssim"].number, 1);
  EXPECT_EQ(difference["max_difference"].number, 0);
  EXPECT_TRUE(ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out)["lossless"].truth);
}

TEST_F(Cli, EveryOptionOfEncodeGivesAFileThatDecodes) {
  const std::vector<std::vector<std::string>> cases = {
      {"--preset", "fast"},
      {"--dictionary-size", "69"},
      {"--prediction-level", "15"},
      {"--prediction-level", "none"},
      {"--modes", "all"},
      {"--modes", "0,1,2,9"},
      {"--modes",
       "vertical,horizontal,mfv,down-left,down-right,vertical-right,horizontal-down,"
       "vertical-left,horizontal-up,lsp"},
      {"--tile", "16x16"},
      {"--order", "auto"},
      {"--order", "raster"},
      {"--order", "wavefront"},
      {"--threads", "2"},
      {"--backend", "cpu"},
      {"--lambda", "65536"},
      {"--exact-lambda", "--preset", "fast"},
      {"--target-size", "0.1KiB"},
      {"--verify", "--stats", "--depth8"},
  };
  WriteText(Path("crop.pgm"), Crop(20));
  for (const std::vector<std::string>& options : cases) {
    SCOPED_TRACE(options.back());
    Encode(Path("crop.pgm"), Path("a.mmp"), options);
    EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.pgm")}).exit_code, kSuccess);
    EXPECT_EQ(Pixels(Path("a.pgm")).width(), 20);
  }
}

TEST_F(Cli, ATrainedDictionaryIsNeededForDecoding) {
  const std::string dictionary = Path("d.mmd"), file = Path("a.mmp"), picture = Path("a.pgm");
  const Outcome train = Mmp({"train", kSmallImage, "-o", dictionary, "--rounds", "1"});
  ASSERT_EQ(train.exit_code, kSuccess) << train.err;
  Encode(kSmallImage, file, {"--dictionary-file", dictionary, "--verify"});
  const std::vector<std::string> decode = {"decode", file, "-o", picture};
  ExpectError(Mmp(decode), kNotAcceptable, "dictionary");
  const Outcome decoded = Mmp({"decode", file, "-o", picture, "--dictionary-file", dictionary});
  EXPECT_EQ(decoded.exit_code, kSuccess) << decoded.err;
  EXPECT_EQ(Pixels(picture).width(), Pixels(kSmallImage).width());
  ExpectError(Mmp({"inspect", file, "--json"}), kNotAcceptable, "dictionary");
  EXPECT_EQ(Mmp({"inspect", file, "--json", "--dictionary-file", dictionary}).exit_code, kSuccess);
  ExpectError(Mmp({"compare", kSmallImage, file}), kNotAcceptable, "dictionary");
  EXPECT_NE(Mmp({"compare", picture, file, "--dictionary-file", dictionary}).out.find("inf dB"),
            std::string::npos);
  ExpectError(Mmp({"encode", kSmallImage, "-o", file, "--dictionary-file", kSmallImage}),
              kNotAcceptable, "not a dictionary file");
}

TEST_F(Cli, TargetPsnrIsMetClosely) {
  WriteText(Path("a.pgm"), Crop(80));
  const Outcome outcome =
      Mmp({"encode", Path("a.pgm"), "--preset", "fast", "--target-psnr", "36", "--json"});
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Json report = ParseReport(outcome.out);
  EXPECT_TRUE(report["target_met"].truth);
  EXPECT_GE(report["psnr"].number, 36);
  EXPECT_LE(report["psnr"].number, 36.25);
  EXPECT_GE(report["trials"].items.size(), 1u);
  EXPECT_LE(report["trials"].items.size(), 32u);  // on so small an image chance decides
  const Json difference = ParseJson(Mmp({"compare", "--json", Path("a.pgm"), Path("a.mmp")}).out);
  EXPECT_NEAR(difference["psnr"].number, report["psnr"].number, 1e-9);
}

TEST_F(Cli, TargetRateIsMetClosely) {
  WriteText(Path("a.pgm"), Crop(40));
  ASSERT_EQ(Mmp({"encode", Path("a.pgm"), "--preset", "fast", "--target-bpp", "1"}).exit_code,
            kSuccess);
  const double limit = 40.0 * 40 / 8;  // bytes
  EXPECT_LE(static_cast<double>(fs::file_size(Path("a.mmp"))), limit);
  EXPECT_GE(static_cast<double>(fs::file_size(Path("a.mmp"))), 0.95 * limit);
}

TEST_F(Cli, ASizeAboveTheLosslessOneIsMetLosslessly) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--target-size", "1MB", "--verify"});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.out.find("lossless"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("note: "), std::string::npos) << outcome.err;
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.png")}).exit_code, kSuccess);
  EXPECT_EQ(Pixels(Path("a.png")), Pixels(kSmallImage));
}

TEST_F(Cli, TextIsCodedLosslesslyUnlessLambdaIsExact) {
  const std::string text = MMP_TEST_IMAGES "/text.png";
  const auto encode = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"encode", text, "-o", Path("a.mmp"), "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ParseReport(Mmp(arguments).out);
  };
  const Json free = encode({"--preset", "fast", "--lambda", "0.25"});
  const Json exact = encode({"--preset", "fast", "--lambda", "0.25", "--exact-lambda"});
  EXPECT_EQ(free["lambda"].number, 0);
  EXPECT_GE(free["stats"]["tries"].number, 3);  // lossless by either coder
  EXPECT_EQ(exact["lambda"].number, 0.25);
  EXPECT_LE(free["bytes"].number, exact["bytes"].number);
}

TEST_F(Cli, TargetOutOfReachGivesTheClosestAndACode) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--target-bpp", "0.001"});
  EXPECT_EQ(outcome.exit_code, kIncomplete);
  EXPECT_TRUE(outcome.err.starts_with("mmp: warning: ")) << outcome.err;
  EXPECT_EQ(Mmp({"info", Path("a.mmp")}).exit_code, kSuccess);
}

TEST_F(Cli, StatisticsAddUp) {
  const Outcome outcome = Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--json"});
  const Json report = ParseReport(outcome.out);
  const Json& stats = report["stats"];
  EXPECT_EQ(stats["macroblocks"].number, 6);
  EXPECT_EQ(stats["mode_uses"].items.size(), static_cast<size_t>(kModes));
  EXPECT_EQ(stats["leaves_by_level"].items.size(), 25u);
  double bits = 0;
  for (const auto& [name, value] : stats["bits"].fields) bits += value.number;
  EXPECT_NEAR(bits, 8 * report["bytes"].number, 0.02 * 8 * report["bytes"].number + 32);

  const Outcome text = Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--stats"});
  for (const char* part : {"horizontal-down", "16x16", "partitions", "wall clock"}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  }
}

TEST_F(Cli, JsonIsValidWhateverTheFileIsCalled) {
  const std::string name = Path("a \"quoted\" \\ \xff name \xc3\xa9\n.png");
  fs::copy(kSmallImage, name);
  const Outcome one = Mmp({"encode", name, "--json"});
  EXPECT_EQ(ParseReport(one.out)["width"].number, 33);
  const Outcome several = Mmp({"encode", name, Path("missing.png"), "-o", Path("out"), "--json"});
  const Json reports = ParseJson(several.out);
  ASSERT_EQ(reports.items.size(), 2u);
  EXPECT_EQ(reports.items[0]["height"].number, 31);
  EXPECT_NE(reports.items[1]["error"].text, "");
}

// Also where nothing is read, as the command line asks for what cannot be.
TEST_F(Cli, JsonHasTheErrorsOfTheCommandLine) {
  const std::vector<std::vector<std::string>> cases = {
      {kTinyImage, "--tile", "17x17"},
      {kTinyImage, kSmallImage, "--prediction-level", "25"},
      {kTinyImage, kSmallImage},
      {kTinyImage, "-o", kSmallImage},
      {folder_},
  };
  for (const std::vector<std::string>& arguments : cases) {
    std::vector<std::string> command = {"encode", "--json"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Outcome outcome = Mmp(command);
    EXPECT_EQ(outcome.exit_code, kUsage);
    const Json reports = ParseJson(outcome.out);
    EXPECT_EQ(reports.items.size(), arguments.size() > 1 && arguments[1] == kSmallImage ? 2u : 1u);
    for (const Json& report : reports.items) {
      EXPECT_NE(report["input"].text, "");
      EXPECT_EQ("mmp: error: " + report["error"].text + "\n", outcome.err);
    }
  }
  // Standard output is the file's here.
  const Outcome stream = Mmp({"encode", "--json", "--tile", "17x17", "-"});
  EXPECT_EQ(stream.exit_code, kUsage);
  EXPECT_EQ(stream.out, "");
  EXPECT_NE(stream.err.find("\"output\": \"-\""), std::string::npos) << stream.err;
}

TEST_F(Cli, TheErrorIsBounded) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--max-error", "3", "--verify", "--stats"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_NE(outcome.out.find("error at most 3"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("largest error       3"), std::string::npos) << outcome.out;
  const std::string info = Mmp({"info", Path("a.mmp")}).out;
  EXPECT_NE(info.find("coder                 pixels"), std::string::npos) << info;
  EXPECT_NE(info.find("largest error         3"), std::string::npos) << info;
  const Outcome compared = Mmp({"compare", kSmallImage, Path("a.mmp")});
  EXPECT_NE(compared.out.find("maximum difference  3"), std::string::npos) << compared.out;
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("b.mmp"), "--max-error", "256"}), kUsage,
              "255");
  EXPECT_EQ(Mmp({"encode", kSmallImage, "-o", Path("b.mmp"), "--max-error", "1", "--lambda", "2"})
                .exit_code,
            kUsage);
}

// Of 12 bits, and of noise.
std::string DeepPgm() {
  std::string pgm = "P5\n64 64\n4095\n";
  for (int i = 0; i < 64 * 64; ++i) {
    const int sample = 1000 + 17 * (i % 64) + 9 * (i / 64) + (i * i * 31) % 61;
    pgm += {static_cast<char>(sample >> 8), static_cast<char>(sample & 255)};
  }
  return pgm;
}

// Patterns alone have no lossless file of them: a loose target gets their best.
TEST_F(Cli, TargetsOfDeepImagesByPatterns) {
  WriteText(Path("a.pgm"), DeepPgm());
  const auto encode = [&](const std::string& option, const std::string& value, int exit_code) {
    const Outcome outcome = Mmp({"encode", Path("a.pgm"), "-o", Path("a.mmp"), "--coder",
                                 "patterns", "--effort", "1", option, value, "--json"});
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    return ParseReport(outcome.out);
  };
  const Json size = encode("--target-size", "1M", kSuccess);
  EXPECT_EQ(size["stats"]["coder"].text, "patterns");
  EXPECT_GE(size["psnr"].number, 50);
  const Json psnr = encode("--target-psnr", "140", kIncomplete);
  EXPECT_EQ(psnr["bytes"].number, size["bytes"].number);
}

// A lossless file is less than the lossy ones here, and within the rate.
TEST_F(Cli, TargetsOfDeepDrawings) {
  const Image text = Pixels(MMP_TEST_IMAGES "/text.png");
  std::string pgm = "P5\n64 64\n4095\n";
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const int sample = text.Row(y)[x] * 16;
      pgm += {static_cast<char>(sample >> 8), static_cast<char>(sample & 255)};
    }
  WriteText(Path("a.pgm"), pgm);
  for (const auto& [option, value] : {std::pair("--target-bpp", "2.5"), {"--target-psnr", "40"}}) {
    const Outcome outcome = Mmp(
        {"encode", Path("a.pgm"), "-o", Path("a.mmp"), "--effort", "1", option, value, "--json"});
    ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const Json report = ParseReport(outcome.out);
    EXPECT_TRUE(report["lossless"].truth) << option << " " << report["bits_per_pixel"].number;
    EXPECT_EQ(report["trials"].items[0]["lambda"].number, 0);
  }
}

// Targets between what 8 bits can say and lossless files, by either coder.
TEST_F(Cli, TargetsOfDeepImages) {
  WriteText(Path("a.pgm"), DeepPgm());
  for (const double psnr : {45.0, 60.0, 66.0}) {
    const Outcome outcome = Mmp({"encode", Path("a.pgm"), "-o", Path("a.mmp"), "--preset", "fast",
                                 "--target-psnr", std::to_string(psnr), "--json"});
    ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const Json json = ParseReport(outcome.out);
    EXPECT_FALSE(json["lossless"].truth) << psnr;
    EXPECT_GE(json["psnr"].number, psnr);
    EXPECT_LE(json["psnr"].number, psnr + 3);
  }
}

}  // namespace
}  // namespace mmp
