#include "tools/text/text.h"

#include <gtest/gtest.h>

namespace mmp {
namespace {

TEST(Text, SizesInBytes) {
  EXPECT_EQ(ParseSize("1"), 1u);
  EXPECT_EQ(ParseSize("20000"), 20000u);
  EXPECT_EQ(ParseSize("20000B"), 20000u);
  for (const char* text : {"20k", "20K", "20kB", "20KB", "20kb"})
    EXPECT_EQ(ParseSize(text), 20000u) << text;
  for (const char* text : {"20Ki", "20KiB", "20kib"}) EXPECT_EQ(ParseSize(text), 20480u) << text;
  EXPECT_EQ(ParseSize("1.5M"), 1500000u);
  EXPECT_EQ(ParseSize("0.5MiB"), 524288u);
  EXPECT_EQ(ParseSize("2G"), 2000000000u);
  EXPECT_EQ(ParseSize("1.9995k"), 1999u);
}

TEST(Text, CountedThings) {
  EXPECT_EQ(Counted(0, "point"), "0 points");
  EXPECT_EQ(Counted(1, "point"), "1 point");
  EXPECT_EQ(Counted(2, "image"), "2 images");
}

TEST(Text, WhatIsNoSize) {
  for (const char* text : {"", "0", "0.4", "-1", "k", "B", "20x", "20kk", "20 k", "20bk", "1e3",
                           "nan", "inf", "1..5", "1.5.", "99999999999G", "20kiBB"})
    EXPECT_FALSE(ParseSize(text)) << text;
}

TEST(Text, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(OneLine("an image, Größe 3.png"), "an image, Größe 3.png");
  EXPECT_EQ(OneLine("a\nb\r\n\tc\x1b[2J\x7f"), "a\\nb\\r\\n\\tc\\x1b[2J\\x7f");
}

}  // namespace
}  // namespace mmp
