// mmp decode: limits, damaged files, regions and previews.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, StandardInputAndOutput) {
  const std::string pgm = Crop(24);
  const Outcome encode = Mmp({"encode", "-", "--lambda", "0"}, {.input = pgm});
  ASSERT_EQ(encode.exit_code, kSuccess) << encode.err;
  EXPECT_TRUE(encode.err.starts_with("standard output: 24x24, ")) << encode.err;
  const Outcome decode = Mmp({"decode", "-", "--format", "pgm"}, {.input = encode.out});
  EXPECT_EQ(decode.exit_code, kSuccess) << decode.err;
  EXPECT_TRUE(decode.out == pgm);
  EXPECT_TRUE(Mmp({"decode", "-"}, {.input = encode.out}).out.starts_with("\x89PNG"));
  EXPECT_NE(Mmp({"info", "-"}, {.input = encode.out}).out.find("24x24"), std::string::npos);
  WriteText(Path("a.pgm"), pgm);
  EXPECT_EQ(
      ParseJson(Mmp({"compare", "-", Path("a.pgm"), "--json"}, {.input = encode.out}).out)["mse"]
          .number,
      0);
}

TEST_F(Cli, ImagesOverTheLimit) {
  Encode(kSmallImage, Path("a.mmp"));
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("b.mmp"), "--max-pixels", "1022"}),
              kNotAcceptable, "1022; --max-pixels allows more");
  const std::vector<std::vector<std::string>> commands = {
      {"decode", Path("a.mmp")},
      {"compare", kTinyImage, Path("a.mmp")},
      {"compare", kTinyImage, kSmallImage},
      {"inspect", Path("a.mmp"), "--json"},
      {"train", kSmallImage, "-o", Path("d.mmd")}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0]);
    command.insert(command.end(), {"--max-pixels", "1022"});
    const Outcome outcome = Mmp(command);
    ExpectError(outcome, kNotAcceptable, "1022; ");
    EXPECT_NE(outcome.err.find("--max-pixels"), std::string::npos) << outcome.err;
  }
  ExpectError(Mmp({"decode", Path("a.mmp"), "--max-work", "1"}), kNotAcceptable, "--max-work");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--max-memory", "1"}), kNotAcceptable, "--max-memory");
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "--max-pixels", "1023"}).exit_code, kSuccess);
}

// A dictionary larger than those of the presets can need more than decoders allow by default; the
// encoder says so, and by what option.
TEST_F(Cli, FilesThatNeedMoreWorkThanDecodersAllow) {
  std::string pgm = "P5 96 96 255 ";
  std::minstd_rand random;
  for (int i = 0; i < 96 * 96; ++i) pgm += static_cast<char>(random() >> 8);
  WriteText(Path("noise.pgm"), pgm);
  const Outcome outcome =
      Mmp({"encode", Path("noise.pgm"), "-o", Path("a.mmp"), "--lambda", "0", "--dictionary-size",
           "65536", "--preset", "fast", "--modes", "2", "--prediction-level", "none", "--verify"});
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const size_t at = outcome.err.find("--max-work ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  const std::string work = outcome.err.substr(at + 11, outcome.err.find('\n', at) - at - 11);
  const std::vector<std::vector<std::string>> commands = {
      {"decode", Path("a.mmp")},
      {"compare", Path("noise.pgm"), Path("a.mmp")},
      {"inspect", Path("a.mmp"), "--json"},
  };
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0]);
    ExpectError(Mmp(command), kNotAcceptable, "--max-work");
    command.insert(command.end(), {"--max-work", work});
    EXPECT_EQ(Mmp(command).exit_code, kSuccess);
  }
}

TEST_F(Cli, DamagedFilesGiveNoOutput) {
  // The second is a small file.
  for (const std::string patterns : {"1000", "512"}) {
    SCOPED_TRACE(patterns);
    Encode(kSmallImage, Path("a.mmp"), {"--dictionary-size", patterns, "--effort", "5"});
    EXPECT_EQ(Mmp({"info", Path("a.mmp")}).exit_code, kSuccess);
    const std::string whole = ReadText(Path("a.mmp"));
    std::string flipped = whole;
    flipped[whole.size() / 2] ^= 1;
    for (const std::string& bytes :
         {flipped, whole.substr(0, whole.size() - 1), whole + "x", whole.substr(0, 5)}) {
      WriteText(Path("b.mmp"), bytes);
      ExpectError(Mmp({"decode", Path("b.mmp")}), kDamaged, "b.mmp");
      ExpectError(Mmp({"info", Path("b.mmp")}), kDamaged, "b.mmp");
      ExpectError(Mmp({"info", "-"}, {.input = bytes}), kDamaged, "");
      ExpectError(Mmp({"compare", kSmallImage, Path("b.mmp")}), kDamaged, "b.mmp");
    }
  }
  EXPECT_EQ(Names().size(), 2u);
}

TEST_F(Cli, KeepGoingSavesTheOtherTiles) {
  Encode(kSmallImage, Path("a.mmp"), {"--tile", "16x16"});
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("whole.png")}).exit_code, kSuccess);
  const Json tile = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out)["tiles"].items.at(4);
  std::string bytes = ReadText(Path("a.mmp"));
  bytes[static_cast<size_t>(tile["offset"].number + tile["bytes"].number / 2)] ^= 0x10;
  WriteText(Path("b.mmp"), bytes);

  ExpectError(Mmp({"decode", Path("b.mmp")}), kDamaged, "b.mmp");
  EXPECT_FALSE(fs::exists(Path("b.png")));
  const Outcome outcome = Mmp({"decode", "--keep-going", Path("b.mmp")});
  EXPECT_EQ(outcome.exit_code, kIncomplete);
  EXPECT_NE(outcome.err.find("16x15 pixels at (16, 16)"), std::string::npos) << outcome.err;

  Image expected = Pixels(Path("whole.png"));
  for (int y = 16; y < 31; ++y) {
    for (int x = 16; x < 32; ++x) expected.Row(y)[x] = 128;
  }
  EXPECT_EQ(Pixels(Path("b.png")), expected);
}

TEST_F(Cli, KeepGoingTellsOfTrailingBytes) {
  Encode(kSmallImage, Path("a.mmp"), {"--tile", "16x16"});
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("whole.png")}).exit_code, kSuccess);
  WriteText(Path("b.mmp"), ReadText(Path("a.mmp")) + "more");
  ExpectError(Mmp({"decode", Path("b.mmp")}), kDamaged, "behind the last tile");
  const Outcome outcome = Mmp({"decode", "--keep-going", Path("b.mmp")});
  EXPECT_EQ(outcome.exit_code, kIncomplete);
  EXPECT_NE(outcome.err.find("there are bytes behind the last tile (4), which are left out"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(Pixels(Path("b.png")), Pixels(Path("whole.png")));
}

TEST_F(Cli, RegionsAreReadWithoutTheRest) {
  Encode(kSmallImage, Path("a.mmp"), {"--tile", "16x16"});
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("whole.png")}).exit_code, kSuccess);
  const Image whole = Pixels(Path("whole.png"));
  const std::string bytes = ReadText(Path("a.mmp"));
  WriteText(Path("b.mmp"), bytes.substr(0, bytes.size() - 1));
  const std::vector<std::string> part = {"--region", "3,9,20x6", "-o", Path("part.pgm"), "--force"};
  const auto expect_part = [&](std::vector<std::string> command, const Streams& streams) {
    fs::remove(Path("part.pgm"));
    command.insert(command.begin(), "decode");
    command.insert(command.end(), part.begin(), part.end());
    const Outcome outcome = Mmp(command, streams);
    EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const std::vector<uint8_t> pgm = EncodePgm(whole.View().Crop(3, 9, 20, 6));
    EXPECT_EQ(ReadText(Path("part.pgm")), std::string(pgm.begin(), pgm.end()));
  };
  expect_part({Path("a.mmp")}, {});
  expect_part({Path("b.mmp")}, {});  // which ends too early
  WriteText(Path("c.mmp"), bytes + "more");
  expect_part({Path("c.mmp")}, {});
  expect_part({"-"}, {.input = bytes});

  ExpectError(Mmp({"decode", Path("b.mmp"), "--region", "0,0,33x31"}), kDamaged, "b.mmp");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--region", "14,0,20x5"}), kUsage,
              "not inside the image, which has 33x31");
  ExpectError(Mmp({"decode", Path("none.mmp"), "--region", "0,0,1x1"}), kFailure, "none.mmp");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--region", "0,0,9x9", "--max-pixels", "255"}),
              kNotAcceptable, "a larger --max-pixels");
  for (const char* wrong :
       {"", "1", "1,2", "1,2,3", "1,2,3x", "1,2x3", "1,2,3x4x5", "1,2,3x4,5", "-1,2,3x4",
        "1,-2,3x4", "1,2,0x4", "1,2,3x0", "a,2,3x4", "1,2,3x4 ", "1;2;3x4", "1,2,99999999999x4"}) {
    ExpectError(Mmp({"decode", Path("a.mmp"), "--region", wrong}), kUsage, "--region");
  }
}

TEST_F(Cli, PreviewsAreSmallPictures) {
  Encode(kSmallImage, Path("a.mmp"), {"--preview"});
  Encode(kSmallImage, Path("without.mmp"));
  EXPECT_GT(ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out)["preview_bytes"].number, 0);
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("\npreview "), std::string::npos);
  const std::string bytes = ReadText(Path("a.mmp"));
  WriteText(Path("cut.mmp"), bytes.substr(0, bytes.size() - 1));
  for (const char* name : {"a.mmp", "cut.mmp"}) {
    const Outcome outcome =
        Mmp({"decode", Path(name), "--preview", "-o", Path("small.png"), "--force"});
    EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const Image small = Pixels(Path("small.png"));
    EXPECT_EQ(small.width(), 5);
    EXPECT_EQ(small.height(), 4);
  }
  ExpectError(Mmp({"decode", Path("without.mmp"), "--preview"}), kNotAcceptable, "no preview");
  // A preview that is damaged alone.
  const Json info = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out);
  std::string damaged = bytes;
  damaged[static_cast<size_t>(info["header_bytes"].number + info["preview_bytes"].number) - 1] ^= 1;
  WriteText(Path("damaged.mmp"), damaged);
  const Outcome told = Mmp({"info", Path("damaged.mmp")});
  EXPECT_EQ(told.exit_code, kIncomplete);
  EXPECT_NE(told.out.find(", damaged\n"), std::string::npos) << told.out;
  EXPECT_EQ(Mmp({"decode", Path("damaged.mmp"), "-o", Path("damaged.png")}).exit_code, kSuccess);
  ExpectError(Mmp({"decode", Path("a.mmp"), "--preview", "--region", "0,0,1x1"}), kUsage,
              "--preview");
}

}  // namespace
}  // namespace mmp
