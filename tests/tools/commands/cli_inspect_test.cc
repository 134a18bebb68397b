// mmp info and mmp inspect.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, InfoSaysWhatTheFileWasMadeWith) {
  Encode(kSmallImage, Path("a.mmp"),
         {"--dictionary-size", "300", "--prediction-level", "3", "--modes", "0,lsp", "--tile",
          "16x16"});
  const Json info = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out);
  EXPECT_EQ(info["width"].number, 33);
  EXPECT_EQ(info["height"].number, 31);
  EXPECT_EQ(info["bytes"].number, static_cast<double>(fs::file_size(Path("a.mmp"))));
  EXPECT_EQ(info["dictionary_size"].number, 300);
  EXPECT_EQ(info["prediction_level"].number, 3);
  EXPECT_EQ(Texts(info["modes"]), (std::vector<std::string>{"vertical", "mfv", "lsp"}));
  EXPECT_EQ(info["tiles"].items.size(), 6u);
  EXPECT_EQ(info["format_version"].number, 7);
  Encode(kSmallImage, Path("lossless.mmp"), {"--lambda", "0"});
  EXPECT_EQ(ParseJson(Mmp({"info", "--json", Path("lossless.mmp")}).out)["format_version"].number,
            6);

  const Outcome text = Mmp({"info", Path("a.mmp")});
  EXPECT_EQ(text.exit_code, kSuccess);
  EXPECT_NE(text.out.find("33x31"), std::string::npos) << text.out;
}

TEST_F(Cli, InfoSaysTheOrder) {
  for (const std::string order : {"raster", "wavefront"}) {
    Encode(kSmallImage, Path(order + ".mmp"), {"--order", order});
    EXPECT_EQ(ParseJson(Mmp({"info", "--json", Path(order + ".mmp")}).out)["order"].text, order);
    const Outcome text = Mmp({"info", Path(order + ".mmp")});
    EXPECT_NE(text.out.find("order                 " + order + "\n"), std::string::npos)
        << text.out;
  }
}

// Nor does it take a time or a memory of its size.
TEST_F(Cli, InfoReadsALargeFileWithoutItsTiles) {
  Encode(kSmallImage, Path("a.mmp"), {"--dictionary-size", "100"});
  const std::string checked = Mmp({"info", Path("a.mmp")}).out;
  EXPECT_EQ(Mmp({"info", "--no-check", Path("a.mmp")}).out, checked);
  EXPECT_EQ(Mmp({"info", "--no-check", "-"}, {.input = ReadText(Path("a.mmp"))}).out, checked);

  fs::resize_file(Path("a.mmp"), uint64_t{1} << 33);  // its one tile is as long as what is there
  const Outcome outcome = Mmp({"info", "--json", "--no-check", Path("a.mmp")});
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(ParseJson(outcome.out)["bytes"].number, 8589934592.0);

  fs::resize_file(Path("a.mmp"), 20);
  for (const char* option : {"--no-check", "--json"})
    ExpectError(Mmp({"info", option, Path("a.mmp")}), kDamaged, "a.mmp");
  ExpectError(Mmp({"info", Path("none.mmp")}), kFailure, "none.mmp");
}

TEST_F(Cli, InfoOfSeveralFiles) {
  Encode(kSmallImage, Path("a.mmp"));
  Encode(kTinyImage, Path("b.mmp"));
  WriteText(Path("bad.mmp"), "MMP");
  const std::string a = Mmp({"info", Path("a.mmp")}).out, b = Mmp({"info", Path("b.mmp")}).out;
  const Outcome good = Mmp({"info", Path("a.mmp"), Path("b.mmp")});
  EXPECT_EQ(good.exit_code, kSuccess);
  EXPECT_EQ(good.out, Path("a.mmp") + ":\n" + a + "\n" + Path("b.mmp") + ":\n" + b);

  const std::vector<std::string> files = {Path("a.mmp"), Path("bad.mmp"), Path("b.mmp")};
  const Outcome text = Mmp({"info", files[0], files[1], files[2]});
  EXPECT_EQ(text.exit_code, kDamaged);
  EXPECT_EQ(text.out, good.out);
  EXPECT_NE(text.err.find("bad.mmp"), std::string::npos) << text.err;
  const Outcome outcome = Mmp({"info", "--json", files[0], files[1], files[2]});
  EXPECT_EQ(outcome.exit_code, kDamaged);
  const Json json = ParseJson(outcome.out);
  ASSERT_EQ(json.items.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(json.items[i]["input"].text, files[i]);
  EXPECT_EQ(json.items[0]["width"].number, 33);
  EXPECT_NE(json.items[1]["error"].text.find("ends inside its header"), std::string::npos);
  EXPECT_EQ(json.items[2]["width"].number, 1);
}

TEST_F(Cli, InspectDrawsAFolderOfPictures) {
  ASSERT_EQ(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--tile", "16x32"}).exit_code,
            kSuccess);
  const Outcome outcome = Mmp({"inspect", Path("a.mmp"), "-o", Path("deep/look")});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(outcome.out, Path("deep/look/index.html") + "\n");
  for (const char* name : {"decoded", "prediction", "residual", "segmentation", "modes", "bits",
                           "dictionary-0", "dictionary-1", "dictionary-2"}) {
    EXPECT_GT(Pixels(Path("deep/look/") + name + ".png").width(), 0) << name;
  }
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.png")}).exit_code, kSuccess);
  EXPECT_EQ(Pixels(Path("deep/look/decoded.png")), Pixels(Path("a.png")));
  EXPECT_NE(ReadText(Path("deep/look/index.html")).find("</html>"), std::string::npos);
}

TEST_F(Cli, InspectDrawsTheFilter) {
  ASSERT_EQ(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--preset", "best"}).exit_code,
            kSuccess);
  ASSERT_EQ(Mmp({"inspect", Path("a.mmp"), "-o", Path("look")}).exit_code, kSuccess);
  const std::string page = ReadText(Path("look/index.html"));
  for (const char* name : {"unfiltered.png", "filter.png"}) {
    EXPECT_EQ(Pixels(Path("look/") + name).width(), Pixels(kSmallImage).width()) << name;
    EXPECT_NE(page.find(name), std::string::npos) << name;
  }
}

TEST_F(Cli, InspectPrintsTheSyntax) {
  ASSERT_EQ(Mmp({"encode", kTinyImage, "-o", Path("a.mmp"), "--coder", "patterns"}).exit_code,
            kSuccess);
  const Outcome outcome = Mmp({"inspect", "-", "--json"}, {.input = ReadText(Path("a.mmp"))});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const std::optional<Json> json = ReadJson(outcome.out);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["tiles"].items[0]["macroblocks"].items.size(), 1u);
}

TEST_F(Cli, InspectFailsWithAReason) {
  EXPECT_EQ(Mmp({"inspect", Path("absent.mmp"), "--json"}).exit_code, kFailure);
  WriteText(Path("bad.mmp"), "MMP");
  EXPECT_EQ(Mmp({"inspect", Path("bad.mmp"), "-o", Path("look")}).exit_code, kDamaged);
  EXPECT_FALSE(fs::exists(Path("look")));
  ASSERT_EQ(Mmp({"encode", kTinyImage, "-o", Path("a.mmp"), "--coder", "patterns"}).exit_code,
            kSuccess);
  EXPECT_EQ(Mmp({"inspect", Path("a.mmp")}).exit_code, kUsage);
  const Outcome outcome = Mmp({"inspect", Path("a.mmp"), "-o", Path("a.mmp")});
  EXPECT_EQ(outcome.exit_code, kFailure);
  EXPECT_NE(outcome.err.find("cannot create the folder"), std::string::npos) << outcome.err;
  ExpectError(Mmp({"inspect", Path("a.mmp"), "-o", "-"}), kUsage, "standard output (-) is none");
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(Cli, InspectLeavesFilesOfOthersAlone) {
  Encode(kSmallImage, Path("a.mmp"));
  fs::create_directory(Path("look"));
  for (const char* name : {"decoded.png", "dictionary-7.png"})
    WriteText(Path("look/") + name, "of another program");
  ExpectError(Mmp({"inspect", Path("a.mmp"), "-o", Path("look")}), kUsage,
              "'" + Path("look") + "' has files that are not of this command; --force");
  EXPECT_EQ(ReadText(Path("look/decoded.png")), "of another program");

  EXPECT_EQ(Mmp({"inspect", Path("a.mmp"), "-o", Path("look"), "--force"}).exit_code, kSuccess);
  EXPECT_EQ(Pixels(Path("look/decoded.png")).width(), 33);
  EXPECT_TRUE(fs::exists(Path("look/dictionary-7.png")));  // no name of this run
  EXPECT_EQ(Mmp({"inspect", Path("a.mmp"), "-o", Path("look")}).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("look/dictionary-7.png")));  // nor of the one before
}

TEST_F(Cli, InspectRemovesWhatAnEarlierOneDrew) {
  Encode(kSmallImage, Path("tiles.mmp"), {"--tile", "16x32", "--preset", "best"});
  Encode(kSmallImage, Path("one.mmp"), {"--preset", "thesis"});  // without a filter
  const std::string look = Path("look");
  ASSERT_EQ(Mmp({"inspect", Path("tiles.mmp"), "-o", look}).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(look + "/dictionary-2.png"));
  EXPECT_TRUE(fs::exists(look + "/filter.png"));
  const std::vector<std::string> others = {"/dictionary-a.png", "/dictionary-1.txt", "/photo.png"};
  for (const std::string& other : others) WriteText(look + other, "x");
  ASSERT_EQ(Mmp({"inspect", Path("one.mmp"), "-o", look}).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(look + "/dictionary.png"));
  for (const char* old : {"0", "1", "2"})
    EXPECT_FALSE(fs::exists(look + "/dictionary-" + old + ".png")) << old;
  for (const char* old : {"/filter.png", "/unfiltered.png"})
    EXPECT_FALSE(fs::exists(look + old)) << old;
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(look + other)) << other;
}

TEST_F(Cli, InspectNeedsPatterns) {
  ASSERT_EQ(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--lambda", "0"}).exit_code, kSuccess);
  ExpectError(Mmp({"inspect", Path("a.mmp"), "-o", Path("look")}), kNotAcceptable, "pixel coder");
}

}  // namespace
}  // namespace mmp
