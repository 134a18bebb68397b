#include "tools/sweep/csv.h"

#include <gtest/gtest.h>

#include <vector>

namespace mmp {
namespace {

TEST(CsvTest, CellsAreQuotedWhereTheyNeedIt) {
  EXPECT_EQ(CsvLine({"a", "b c", ""}), "a,b c,\n");
  EXPECT_EQ(CsvLine({"a,b", "say \"x\"", "two\nlines"}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n");
}

TEST(CsvTest, WhatIsWrittenIsRead) {
  const std::vector<CsvRow> rows = {
      {"image", "codec", "bpp"}, {"a,b \"c\"\nd", "", "0.5"}, {"", "x", ""}, {"é", "\"", ","}};
  std::string text;
  for (const CsvRow& row : rows) text += CsvLine(row);
  EXPECT_EQ(ParseCsv(text), rows);
}

TEST(CsvTest, LineEndsAndEmptyLines) {
  const std::vector<CsvRow> rows = {{"a", "b"}, {"1", "2"}};
  for (const char* text : {"a,b\n1,2", "a,b\n1,2\n", "a,b\r\n1,2\r\n", "\na,b\n\n\r\n1,2\n\n"})
    EXPECT_EQ(ParseCsv(text), rows) << text;
  EXPECT_TRUE(ParseCsv("").empty());
}

TEST(CsvTest, AnOpenQuoteLastsToTheEnd) {
  EXPECT_EQ(ParseCsv("a,\"b\n1,2\n"), (std::vector<CsvRow>{{"a", "b\n1,2\n"}}));
}

}  // namespace
}  // namespace mmp
