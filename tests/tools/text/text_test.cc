#include "tools/text/text.h"

#include <gtest/gtest.h>

namespace mmp {
namespace {

TEST(Text, CountedThings) {
  EXPECT_EQ(Counted(0, "point"), "0 points");
  EXPECT_EQ(Counted(1, "point"), "1 point");
  EXPECT_EQ(Counted(2, "image"), "2 images");
}

TEST(Text, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(OneLine("an image, Größe 3.png"), "an image, Größe 3.png");
  EXPECT_EQ(OneLine("a\nb\r\n\tc\x1b[2J\x7f"), "a\\nb\\r\\n\\tc\\x1b[2J\\x7f");
}

TEST(Text, BytesThatAreNotUtf8AreWrittenOut) {
  EXPECT_EQ(OneLine("Gr\xf6\xdf"
                    "e"),
            "Gr\\xf6\\xdfe");
  EXPECT_EQ(OneLine("\xc3\xb6\xc3"), "\xc3\xb6\\xc3");
  EXPECT_EQ(OneLine("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(Text, EditDistances) {
  EXPECT_EQ(EditDistance("lambda", "lambda"), 0u);
  EXPECT_EQ(EditDistance("lamda", "lambda"), 1u);
  EXPECT_EQ(EditDistance("lambdda", "lambda"), 1u);
  EXPECT_EQ(EditDistance("tile", "file"), 1u);
  EXPECT_EQ(EditDistance("target-pnsr", "target-psnr"), 2u);
  EXPECT_EQ(EditDistance("", "json"), 4u);
  EXPECT_EQ(EditDistance("json", ""), 4u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace mmp
