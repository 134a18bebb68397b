#include "tools/sweep/results/csv.h"

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
  EXPECT_EQ(ParseCsv(text)->rows, rows);
}

TEST(CsvTest, LineEndsAndEmptyLines) {
  const std::vector<CsvRow> rows = {{"a", "b"}, {"1", "2"}};
  for (const char* text : {"a,b\n1,2", "a,b\n1,2\n", "a,b\r\n1,2\r\n", "\na,b\n\n\r\n1,2\n\n"})
    EXPECT_EQ(ParseCsv(text)->rows, rows) << text;
  EXPECT_TRUE(ParseCsv("")->rows.empty());
}

TEST(CsvTest, RowsAreCountedAsInASpreadsheet) {
  EXPECT_EQ(ParseCsv("a,b\n\n\r\n\"1\n2\",3\n4,5\n")->numbers, (std::vector<size_t>{1, 4, 5}));
}

TEST(CsvTest, SemicolonsAndAByteOrderMark) {
  const Result<CsvTable> table = ParseCsv(
      "\xEF\xBB\xBF"
      "a;b\r\n1,5;\"2;3\"\r\n");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->separator, ';');
  EXPECT_EQ(table->rows, (std::vector<CsvRow>{{"a", "b"}, {"1,5", "2;3"}}));
  EXPECT_EQ(ParseCsv("\xEF\xBB\xBF\"a\",b\n1;2,3\n")->rows,
            (std::vector<CsvRow>{{"a", "b"}, {"1;2", "3"}}));
}

TEST(CsvTest, QuotesOutOfPlaceAreNamedByTheirRow) {
  const struct {
    const char* text;
    const char* fault;
  } kCases[] = {
      {"a,b\n1,\"2\n3,4\n", "row 2: a quote is opened here"},
      {"a,\"b", "row 1: a quote is opened here"},
      {"a,b\n\n1,2\"\n3\",4\n", "row 3: a quote inside a cell"},
      {"a,b\n1,\"2\n\"3,4\n", "row 2: text after the quote"},
  };
  for (const auto& [text, fault] : kCases) {
    const Result<CsvTable> table = ParseCsv(text);
    EXPECT_EQ(table.status().code(), StatusCode::kCorrupt) << text;
    EXPECT_EQ(table.status().message().find(fault), 0U) << table.status().message();
  }
}

}  // namespace
}  // namespace mmp
