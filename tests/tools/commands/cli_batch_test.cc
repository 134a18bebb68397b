// Several files at once, and folders.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, SeveralFilesGoToAFolder) {
  const std::vector<std::string> names = {"odd-33x31", "odd-17x1", "odd-1x1", "odd-65x3"};
  std::vector<std::string> encode = {"encode", "-o", Path("new/coded"), "--lambda", "0"};
  std::vector<std::string> decode = {"decode", "-o", Path("decoded"), "--threads", "2"};
  for (const std::string& name : names) {
    encode.push_back(MMP_TEST_IMAGES "/" + name + ".png");
    decode.push_back(Path("new/coded/" + name + ".mmp"));
  }
  EXPECT_EQ(Mmp(encode).exit_code, kSuccess);
  EXPECT_EQ(Mmp(decode).exit_code, kSuccess);
  for (const std::string& name : names) {
    EXPECT_EQ(Pixels(Path("decoded/" + name + ".png")),
              Pixels(MMP_TEST_IMAGES "/" + name + ".png"));
  }
}

// The program has checked the names of its outputs when it opens its inputs, of which one is a
// pipe: so what is made then appears behind its back.
TEST_F(Cli, WhatAppearsMeanwhileIsKept) {
  ASSERT_EQ(mkfifo(Path("a.png").c_str(), 0600), 0);
  for (const bool is_forced : {false, true}) {
    fs::remove(Path("a.mmp"));
    std::thread other([&] {
      std::ofstream pipe(Path("a.png"), std::ios::binary);
      WriteText(Path("a.mmp"), "of another program");
      pipe << ReadText(kSmallImage);
    });
    const Outcome outcome =
        is_forced ? Mmp({"encode", Path("a.png"), "--force"}) : Mmp({"encode", Path("a.png")});
    other.join();
    if (is_forced) {
      EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    } else {
      ExpectError(outcome, kFailure,
                  "there is a file '" + Path("a.mmp") + "' already, which is kept as it is");
      EXPECT_EQ(ReadText(Path("a.mmp")), "of another program");
    }
    EXPECT_EQ(Names().size(), 2U);
  }
}

TEST_F(Cli, OneFailureDoesNotStopTheOthers) {
  WriteText(Path("text.png"), "This is not a picture.");
  const Outcome outcome = Mmp({"encode", "-o", Path("out"), kTinyImage, Path("text.png"),
                               Path("missing.png"), kSmallImage});
  EXPECT_EQ(outcome.exit_code, kNotAcceptable);
  EXPECT_NE(outcome.err.find("text.png"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("missing.png"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("out/odd-1x1.mmp")));
  EXPECT_TRUE(fs::exists(Path("out/odd-33x31.mmp")));
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 2);
}

// Several files make the same bytes as each alone; a report each, in the order of the inputs.
TEST_F(Cli, ABatchIsItsFilesOneByOne) {
  const std::vector<std::string> names = {"odd-33x31", "text", "odd-17x1", "odd-65x3"};
  WriteText(Path("text.png"), "This is not a picture.");
  std::vector<std::string> batch = {"encode",  "-o",       Path("out"),     "--tile",
                                    "16x16",   "--verify", "--threads",     "2",
                                    "--stats", "--json",   "--exact-lambda"};
  for (const std::string& name : names)
    batch.push_back(name == "text" ? Path("text.png") : MMP_TEST_IMAGES "/" + name + ".png");
  const Outcome outcome = Mmp(batch);
  EXPECT_EQ(outcome.exit_code, kNotAcceptable);
  const Json reports = ParseJson(outcome.out);
  ASSERT_EQ(reports.items.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const Json& report = reports.items[i];
    SCOPED_TRACE(names[i]);
    EXPECT_NE(report["input"].text.find(names[i]), std::string::npos) << outcome.out;
    if (names[i] == "text") {
      EXPECT_NE(report["error"].text.find("text.png"), std::string::npos) << outcome.out;
      continue;
    }
    Encode(MMP_TEST_IMAGES "/" + names[i] + ".png", Path("alone.mmp"),
           {"--tile", "16x16", "--exact-lambda"});
    const std::string file = ReadText(Path("out/" + names[i] + ".mmp"));
    EXPECT_TRUE(file == ReadText(Path("alone.mmp")));
    EXPECT_EQ(report["bytes"].number, static_cast<double>(file.size()));
    EXPECT_GT(report["stats"]["seconds"].number, 0);
    EXPECT_GT(report["stats"]["thread_seconds"]["matching"].number, 0);
  }
}

TEST_F(Cli, DictionariesAndPicturesToTrainOnStay) {
  const std::string image = MMP_TEST_IMAGES "/odd-33x31.png";
  fs::copy_file(image, Path("a.png"));
  const std::string dictionary = MMP_TEST_DATA "/../conformance/accepted/own-dictionary.mmd";
  fs::copy_file(dictionary, Path("a.mmd"));
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"train", Path("a.png"), "-o", Path("a.png")},
           {"encode", Path("a.png"), "--dictionary-file", Path("a.mmd"), "-o", Path("a.mmd")},
           {"decode", MMP_TEST_DATA "/../conformance/accepted/own-dictionary.mmp",
            "--dictionary-file", Path("a.mmd"), "-o", Path("a.mmd"), "--format", "png"}})
    ExpectError(Mmp(command), kUsage, "would replace the input");
  EXPECT_TRUE(ReadText(Path("a.png")) == ReadText(image));
  EXPECT_TRUE(ReadText(Path("a.mmd")) == ReadText(dictionary));
  ExpectError(Mmp({"train", image, "-o", Path("none/a.mmd")}), kFailure, "there is no folder");
  ExpectError(Mmp({"train", image, "-o", Path(".")}), kUsage, "is a folder");
}

TEST_F(Cli, ABatchPrintsAReportForEachFile) {
  const Outcome outcome = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("out"), "--stats"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  for (const char* part : {"odd-1x1.mmp: 1x1, ", "odd-33x31.mmp: 33x31, "})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
  const size_t first = outcome.out.find("partitions");
  EXPECT_NE(outcome.out.find("partitions", first + 1), std::string::npos) << outcome.out;
}

TEST_F(Cli, TargetsOfSeveralFiles) {
  WriteText(Path("a.pgm"), Crop(16));
  WriteText(Path("b.pgm"), Crop(24));
  const Outcome outcome = Mmp({"encode", Path("a.pgm"), Path("b.pgm"), Path("missing.pgm"), "-o",
                               Path("out"), "--target-psnr", "32", "--json"});
  EXPECT_EQ(outcome.exit_code, kFailure);
  const Json reports = ParseJson(outcome.out);
  ASSERT_EQ(reports.items.size(), 3u);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(reports.items[i]["target_met"].truth) << outcome.out;
  EXPECT_NE(reports.items[2]["error"].text, "");
}

// Until the first file is written, nobody gives the second input, a pipe, its image.
TEST_F(Cli, ImagesOfABatchAreReadWhenTheirTurnComes) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  Subprocess encode({MMP_PROGRAM, "encode", kSmallImage, Path("pipe"), "-o", Path("out"),
                     "--threads", "1", "--backend", "cpu"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!fs::exists(Path("out/odd-33x31.mmp")) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(fs::exists(Path("out/odd-33x31.mmp")));
  std::ofstream(Path("pipe"), std::ios::binary) << Crop(24);
  const Outcome outcome = encode.Wait();
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("out/pipe.mmp")));
}

TEST_F(Cli, TwoInputsForOneOutputAreRefusedUpFront) {
  fs::create_directories(Path("1"));
  fs::create_directories(Path("2"));
  fs::copy(kSmallImage, Path("1/a.png"));
  fs::copy(kSmallImage, Path("2/a.png"));
  ExpectError(Mmp({"encode", Path("1/a.png"), Path("2/a.png"), "-o", Path("out")}), kUsage, "both");
  EXPECT_FALSE(fs::exists(Path("out")));
}

// All of them at once, and a way out that works.
TEST_F(Cli, ImagesWithOneNameKeepTheirExtensions) {
  for (const char* name : {"a.png", "b.png", "c.png"}) fs::copy(kSmallImage, Path(name));
  for (const char* name : {"a.pgm", "b.pgm", "b.PGM"}) WriteText(Path(name), Crop(16));
  std::vector<std::string> encode = {"encode", "-o", Path("out")};
  for (const char* name : {"a.png", "b.png", "c.png", "a.pgm", "b.pgm", "b.PGM"})
    encode.push_back(Path(name));
  const Outcome refused = Mmp(encode);
  EXPECT_EQ(refused.exit_code, kUsage);
  for (const std::string& part :
       {std::string("--keep-extension"), std::string("a.png.mmp"),
        "'" + Path("a.png") + "' and '" + Path("a.pgm") + "' would both become",
        "'" + Path("b.png") + "', '" + Path("b.pgm") + "' and '" + Path("b.PGM") + "' would all"})
    EXPECT_NE(refused.err.find(part), std::string::npos) << part << "\n" << refused.err;
  EXPECT_EQ(refused.err.find("c.png"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(Path("out")));

  encode.push_back("--keep-extension");
  EXPECT_EQ(Mmp(encode).exit_code, kSuccess);
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 6);
  EXPECT_TRUE(fs::exists(Path("out/a.png.mmp")));

  // The names that they come back with differ, too.
  ASSERT_EQ(Mmp({"decode", Path("out"), "-o", Path("back")}).exit_code, kSuccess);
  for (const char* name : {"a.png", "b.png", "c.png", "a.pgm", "b.pgm", "b.PGM.png"})
    EXPECT_TRUE(fs::exists(Path("back/") + name)) << name;
  EXPECT_TRUE(ReadText(Path("back/a.pgm")).starts_with("P5"));
  ASSERT_EQ(Mmp({"decode", Path("out/a.pgm.mmp"), "--format", "png"}).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("out/a.pgm.png")));

  // But these do not.
  fs::copy(Path("out/a.png.mmp"), Path("out/a.mmp"));
  std::vector<std::string> decode = {"decode", Path("out/a.mmp"), Path("out/a.png.mmp"), "-o",
                                     Path("both")};
  ExpectError(Mmp(decode), kUsage, "--keep-extension gives each its own");
  decode.push_back("--keep-extension");
  EXPECT_EQ(Mmp(decode).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("both/a.mmp.png")));
  EXPECT_TRUE(fs::exists(Path("both/a.png.mmp.png")));
}

TEST_F(Cli, ABatchNamesAllThatIsThereAlready) {
  const std::vector<std::string> batch = {"encode", kSmallImage, kTinyImage, "-o", Path("out")};
  EXPECT_EQ(Mmp(batch).exit_code, kSuccess);
  WriteText(Path("out/odd-1x1.mmp"), "older");
  const Outcome again = Mmp(batch);
  EXPECT_EQ(again.exit_code, kUsage);
  for (const char* part :
       {"2 files exist already; --force replaces them", "odd-1x1.mmp'", "odd-33x31.mmp'"})
    EXPECT_NE(again.err.find(part), std::string::npos) << again.err;
  EXPECT_EQ(ReadText(Path("out/odd-1x1.mmp")), "older");
  std::vector<std::string> force = batch;
  force.push_back("--force");
  EXPECT_EQ(Mmp(force).exit_code, kSuccess);
  EXPECT_NE(ReadText(Path("out/odd-1x1.mmp")), "older");
}

TEST_F(Cli, ABatchEndsWithWhatWasWritten) {
  WriteText(Path("text.png"), "This is not a picture.");
  const Outcome good = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("out")});
  EXPECT_TRUE(good.out.ends_with("\n2 written\n")) << good.out;
  EXPECT_EQ(good.err, "");
  const Outcome bad = Mmp({"encode", kTinyImage, Path("text.png"), kSmallImage, Path("missing.png"),
                           "-o", Path("some"), "--json"});
  EXPECT_TRUE(bad.err.ends_with("\nmmp: error: 2 written, 2 failed: '" + Path("text.png") + "', '" +
                                Path("missing.png") + "'\n"))
      << bad.err;
  EXPECT_EQ(ParseJson(bad.out).items.size(), 4u);
  const Outcome json = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("json"), "--json"});
  EXPECT_EQ(ParseJson(json.out).items.size(), 2u);
  EXPECT_EQ(json.err, "");
  const Outcome one = Mmp({"encode", kTinyImage, "-o", Path("one.mmp")});
  EXPECT_EQ(one.out.find("written"), std::string::npos) << one.out;

  WriteText(Path("out/bad.mmp"), "MMP");
  const Outcome decode = Mmp({"decode", Path("out"), "-o", Path("decoded")});
  EXPECT_EQ(decode.exit_code, kDamaged);
  EXPECT_TRUE(
      decode.err.ends_with("\nmmp: error: 2 written, 1 failed: '" + Path("out/bad.mmp") + "'\n"))
      << decode.err;
  const Outcome off = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("off"), "--preset", "fast",
                           "--target-bpp", "0.001"});
  EXPECT_EQ(off.exit_code, kIncomplete);
  EXPECT_NE(off.err.find("mmp: warning: 2 written (not as wanted: '"), std::string::npos)
      << off.err;
}

TEST_F(Cli, AFolderIsItsImages) {
  fs::create_directories(Path("scans/deeper"));
  fs::copy(kSmallImage, Path("scans/b.PNG"));
  WriteText(Path("scans/a.pgm"), Crop(16));
  WriteText(Path("scans/d.TIF"), Crop(16));
  WriteText(Path("scans/.hidden.pgm"), Crop(16));
  WriteText(Path("scans/notes.txt"), "Two scans.");
  WriteText(Path("scans/deeper/c.pgm"), Crop(16));
  ExpectError(Mmp({"encode", Path("scans/deeper")}), kUsage, "name it with -o");
  const Outcome outcome = Mmp({"encode", Path("scans"), kTinyImage, "-o", Path("out")});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_EQ(outcome.err, "mmp: note: '" + Path("scans") +
                             "': left out what are no images: 'deeper', 'notes.txt'\n");
  EXPECT_TRUE(outcome.out.ends_with("\n4 written\n")) << outcome.out;
  for (const char* name : {"a.mmp", "b.mmp", "d.mmp", "odd-1x1.mmp"})
    EXPECT_TRUE(fs::exists(Path("out/") + name)) << name;

  EXPECT_EQ(Mmp({"decode", Path("out/"), "-o", Path("back")}).exit_code, kSuccess);
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("back")), {}), 4);
  ExpectError(Mmp({"decode", Path("scans/deeper"), "-o", Path("x")}), kUsage, "no .mmp files");
  EXPECT_EQ(Mmp({"train", Path("scans/deeper"), "-o", Path("d.mmd"), "--rounds", "1"}).exit_code,
            kSuccess);
}

TEST_F(Cli, SeveralFilesDoNotGoToOne) {
  WriteText(Path("a.mmp"), "older");
  ExpectError(Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("a.mmp")}), kUsage,
              "'" + Path("a.mmp") + "' is a file; several files need a folder");
  EXPECT_EQ(ReadText(Path("a.mmp")), "older");
  ExpectError(Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("b.mmp")}), kUsage,
              "'" + Path("b.mmp") + "/' makes a folder of that name");
  EXPECT_EQ(Names().size(), 1u);
  EXPECT_EQ(Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("b.mmp/")}).exit_code, kSuccess);
  EXPECT_TRUE(fs::is_directory(Path("b.mmp")));
}

}  // namespace
}  // namespace mmp
