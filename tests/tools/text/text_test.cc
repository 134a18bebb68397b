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

}  // namespace
}  // namespace mmp
