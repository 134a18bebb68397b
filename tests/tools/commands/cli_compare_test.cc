// mmp compare.
#include <gtest/gtest.h>

#include <string>

#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, ComparedImagesMustHaveOneSize) {
  ExpectError(Mmp({"compare", kSmallImage, kTinyImage}), kNotAcceptable, "1x1");
}

// Gray of 12 bits, in two shades off by 3.
TEST_F(Cli, ComparesSamplesAsTheyAre) {
  Image image = Image::OfDepth(12, 20, 16), other = image;
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 20; ++x) {
      image.SetSample(y, x, 100 * x + y);
      other.SetSample(y, x, 100 * x + y + 3);
    }
  }
  ASSERT_TRUE(WriteImage(Path("a.pgm"), image.View()).ok());
  ASSERT_TRUE(WriteImage(Path("b.png"), other.View()).ok());
  const Json difference = ParseJson(Mmp({"compare", "--json", Path("a.pgm"), Path("b.png")}).out);
  EXPECT_EQ(difference["depth"].number, 12);
  EXPECT_EQ(difference["mse"].number, 9);
  EXPECT_EQ(difference["max_difference"].number, 3);
  EXPECT_NEAR(difference["psnr"].number, 62.7027, 1e-4);  // 20 log10(4095 / 3)

  Encode(Path("a.pgm"), Path("a.mmp"), {"--lambda", "0"});
  EXPECT_NE(Mmp({"compare", Path("a.pgm"), Path("a.mmp")}).out.find("inf dB"), std::string::npos);
}

TEST_F(Cli, ComparedImagesMustHaveOneDepth) {
  ASSERT_TRUE(WriteImage(Path("deep.png"), Image::OfDepth(16, 33, 31).View()).ok());
  ExpectError(Mmp({"compare", kSmallImage, Path("deep.png")}), kNotAcceptable,
              "of 8 bits but '" + Path("deep.png") +
                  "' of 16; only images of one depth can be "
                  "compared (--depth8");
  EXPECT_EQ(Mmp({"compare", kSmallImage, Path("deep.png"), "--depth8"}).exit_code, kSuccess);
  ASSERT_TRUE(WriteImage(Path("shallow.png"), Image::OfDepth(1, 33, 31).View()).ok());
  ExpectError(Mmp({"compare", kSmallImage, Path("shallow.png")}), kNotAcceptable,
              "only images of one depth can be compared (--depth8");
  EXPECT_EQ(Mmp({"compare", kSmallImage, Path("shallow.png"), "--depth8"}).exit_code, kSuccess);
  Encode(Path("deep.png"), Path("scaled.mmp"), {"--depth8"});
  EXPECT_EQ(Mmp({"compare", Path("deep.png"), Path("scaled.mmp"), "--depth8"}).exit_code, kSuccess);
  Encode(Path("deep.png"), Path("deep.mmp"));
  ExpectError(Mmp({"compare", kSmallImage, Path("deep.mmp")}), kNotAcceptable, "of 16;");
  ExpectError(Mmp({"compare", kSmallImage, Path("deep.mmp"), "--depth8"}), kNotAcceptable,
              "its samples have 16 bits");
}

// Its name does not say what it is.
TEST_F(Cli, ADamagedFileIsNoForeignOne) {
  Encode(kSmallImage, Path("a.mmp"));
  const std::string file = ReadText(Path("a.mmp"));
  WriteText(Path("whole"), file);
  EXPECT_EQ(Mmp({"compare", kSmallImage, Path("whole")}).exit_code, kSuccess);
  WriteText(Path("part"), file.substr(0, 5));
  ExpectError(Mmp({"compare", kSmallImage, Path("part")}), kDamaged, "ends inside its header");
  WriteText(Path("foreign"), "no picture");
  EXPECT_EQ(Mmp({"compare", kSmallImage, Path("foreign")}).exit_code, kNotAcceptable);
}

TEST_F(Cli, StandardInputIsOneOfTheTwo) {
  ExpectError(Mmp({"compare", "-", "-"}, {.input = ReadText(kSmallImage)}), kUsage,
              "standard input (-) can be read only once");
  EXPECT_EQ(Mmp({"compare", kSmallImage, "-"}, {.input = ReadText(kSmallImage)}).exit_code,
            kSuccess);
}

}  // namespace
}  // namespace mmp
