#include "tools/text/byte_size.h"

#include <gtest/gtest.h>

namespace mmp {
namespace {

TEST(ByteSize, Units) {
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

TEST(ByteSize, WhatIsNone) {
  for (const char* text : {"", "0", "0.4", "-1", "k", "B", "20x", "20kk", "20 k", "20bk", "1e3",
                           "nan", "inf", "1..5", "1.5.", "99999999999G", "20kiBB"})
    EXPECT_FALSE(ParseSize(text)) << text;
}

}  // namespace
}  // namespace mmp
