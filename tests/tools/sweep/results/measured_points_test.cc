#include "tools/sweep/results/measured_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/temporary_folder.h"

namespace mmp {
namespace {

constexpr char kHeader[] = "image,set,codec,param,bytes,bpp,psnr,ssim,encode_s\n";

class MeasuredPointsTest : public testing::Test {
 protected:
  MeasuredPointsTest() {
    results_.images = {{.name = "lena", .width = 512, .height = 512},
                       {.name = "kodim05", .width = 768, .height = 512}};
    results_.codecs = {{.name = "mmp thesis", .is_mmp = true}, {.name = "jpeg"}};
  }

  Result<std::string> Add(const std::string& table, const std::string& name = "peers.csv") {
    WriteText(folder_ / name, table);
    return AddMeasuredPoints(folder_ / name, results_);
  }

  void ExpectCorrupt(const std::string& table, const std::string& message) {
    const Result<std::string> note = Add(table);
    EXPECT_EQ(note.status().code(), StatusCode::kCorrupt) << table;
    EXPECT_NE(note.status().message().find(message), std::string::npos) << note.status().message();
  }

  TemporaryFolder folder_;
  SweepResults results_;
};

TEST_F(MeasuredPointsTest, RowsBecomePoints) {
  const Result<std::string> note = Add(std::string(kHeader) +
                                       "lena,dev,x265,27,14307,0.43661,37.8273,0.93033,0.20\n"
                                       "lena,dev,jpeg,75,31076,0.94836,37.8040,,\n"
                                       "kodim05,dev,x265,27,49152,1.0,33.1,0.9,0.3\n"
                                       "unknown,dev,x265,27,100,0.1,33.1,0.9,0.3\n"
                                       "lena,dev,lossless,0,131072,4,inf,1,2.5\n");
  ASSERT_TRUE(note.ok()) << note.status().message();
  EXPECT_EQ(*note, "");
  ASSERT_EQ(results_.codecs.size(), 5U);
  EXPECT_EQ(results_.codecs[2].name, "x265");
  EXPECT_EQ(results_.codecs[2].version, folder_ / "peers.csv");
  EXPECT_FALSE(results_.codecs[2].is_mmp);
  EXPECT_EQ(results_.codecs[3].name, "jpeg (peers)");
  EXPECT_EQ(results_.codecs[4].name, "lossless");
  ASSERT_EQ(results_.points.size(), 4U);
  const RdPoint& first = results_.points[0];
  EXPECT_EQ(first.image, 0U);
  EXPECT_EQ(first.codec, 2U);
  EXPECT_EQ(first.parameter, 27);
  EXPECT_EQ(first.bytes, 14307U);
  EXPECT_EQ(first.bits_per_pixel, 14307 * 8 / (512.0 * 512));
  EXPECT_EQ(first.psnr, 37.8273);
  EXPECT_EQ(first.ssim, 0.93033);
  EXPECT_FALSE(first.ms_ssim);
  EXPECT_EQ(first.encode_seconds, 0.2);
  EXPECT_EQ(results_.points[1].codec, 3U);
  EXPECT_FALSE(results_.points[1].ssim);
  EXPECT_EQ(results_.points[2].image, 1U);
  EXPECT_TRUE(std::isinf(results_.points[3].psnr));
}

TEST_F(MeasuredPointsTest, NamesWithTheImagesNameInThem) {
  const Result<std::string> note =
      Add(std::string(kHeader) +
          "waterloo_lena2,,x265,27,14307,0.43661,37.8273,0.93033,0.20\n"
          "set/kodim05.png,,x265,27,49152,1.0,33.1,0.9,0.3\n"
          "kodim053,,x265,27,49152,1.0,33.1,0.9,0.3\n"
          "lenanna,,x265,27,49152,1.0,33.1,0.9,0.3\n");
  ASSERT_TRUE(note.ok()) << note.status().message();
  EXPECT_EQ(*note, "in '" + folder_ / "peers.csv" +
                       "', set/kodim05.png is taken for kodim05, waterloo_lena2 is taken for lena");
  ASSERT_EQ(results_.points.size(), 2U);
  EXPECT_EQ(results_.points[0].image, 0U);
  EXPECT_EQ(results_.points[1].image, 1U);
}

TEST_F(MeasuredPointsTest, TheLongestNameWins) {
  results_.images.push_back({.name = "lena-small", .width = 512, .height = 512});
  ASSERT_TRUE(Add(std::string(kHeader) + "lena-small-x,,x265,1,14307,0.43661,37,,\n").ok());
  ASSERT_EQ(results_.points.size(), 1U);
  EXPECT_EQ(results_.points[0].image, 2U);
}

TEST_F(MeasuredPointsTest, ASweepsResultsAreNamedByTheirFolder) {
  std::filesystem::create_directory(folder_ / "before");
  ASSERT_TRUE(Add("image,codec,param,bytes,bpp,psnr\nlena,mmp thesis,10,14307,0.43661,37.8273\n",
                  "before/results.csv")
                  .ok());
  EXPECT_EQ(results_.codecs.back().name, "mmp thesis (before)");
}

TEST_F(MeasuredPointsTest, ColumnsInAnyOrder) {
  ASSERT_TRUE(
      Add("psnr,bpp,more,bytes,param,codec,image\n37.8,0.43661,x,14307,27,x265,lena\n").ok());
  ASSERT_EQ(results_.points.size(), 1U);
  EXPECT_EQ(results_.points[0].psnr, 37.8);
  EXPECT_FALSE(results_.points[0].encode_seconds);
}

TEST_F(MeasuredPointsTest, NoRowForAnImage) {
  const Result<std::string> note = Add(std::string(kHeader) + "other,,x265,1,100,0.4,37,,\n");
  ASSERT_TRUE(note.ok());
  EXPECT_NE(note->find("no row"), std::string::npos);
  EXPECT_TRUE(results_.points.empty());
}

// As spreadsheets write it where the comma is the decimal sign.
TEST_F(MeasuredPointsTest, SemicolonsCommasAndAByteOrderMark) {
  const Result<std::string> note =
      Add("\xEF\xBB\xBFimage;codec;param;bytes;bpp;psnr;ssim\r\n"
          "lena;x265;27,5;14307;0,43661;37,8273;0.93\r\n");
  ASSERT_TRUE(note.ok()) << note.status().message();
  ASSERT_EQ(results_.points.size(), 1U);
  EXPECT_EQ(results_.points[0].parameter, 27.5);
  EXPECT_EQ(results_.points[0].psnr, 37.8273);
  EXPECT_EQ(results_.points[0].ssim, 0.93);
}

TEST_F(MeasuredPointsTest, LineBreaksInNamesAreWrittenOut) {
  results_.images.push_back({.name = "two\\nlines", .width = 512, .height = 512});
  const Result<std::string> note =
      Add(std::string(kHeader) + "\"two\nlines\",,\"x\n265\",1,14307,0.43661,37,,\n");
  ASSERT_TRUE(note.ok()) << note.status().message();
  EXPECT_EQ(*note, "");
  ASSERT_EQ(results_.points.size(), 1U);
  EXPECT_EQ(results_.points[0].image, 2U);
  EXPECT_EQ(results_.codecs.back().name, "x\\n265");
}

TEST_F(MeasuredPointsTest, WhatCannotBeRight) {
  ExpectCorrupt("", "no column image");
  ExpectCorrupt("image,codec,param,bytes,psnr\n", "no column bpp");
  const struct {
    const char* row;
    const char* fault;
  } kRows[] = {
      {"lena,,x265,27,many,0.43661,37.8,,", "'many' in column bytes is not a number"},
      {"lena,,x265,27,14307,0.43661,nan,,", "'nan' in column psnr is not a number"},
      {"lena,,x265,QP27,14307,0.43661,37,,", "'QP27' in column param is not a number"},
      {"lena,,x265,27,14307,0.43661,37,high,", "'high' in column ssim is not a number"},
      {"lena,,x265,27,0,0,37.8,,", "a point of 0 bytes"},
      {"lena,,x265,27,inf,inf,37.8,,", "a point of inf bytes"},
      {"lena,,x265,27,14307,0.43661,,,", "column psnr is empty"},
      {"lena,,x265,27,,0.43661,37.8,,", "column bytes is empty"},
      {"lena,,x265,27,14307,,37.8,,", "column bpp is empty"},
      {"lena,,x265,,14307,0.43661,37.8,,", "column param is empty"},
      {"lena,,,27,14307,0.43661,37.8,,", "column codec is empty"},
      {",,x265,27,14307,0.43661,37.8,,", "column image is empty"},
      {"lena,x265,27,14307,0.43661,37.8,,", "8 values for the 9 columns"},
      {"lena,,x265,27,14307,0,43661,37.8,,", "10 values for the 9 columns"},
      {"lena,,\"x265,27,14307,0.43661,37.8,,", "a quote is opened here and never closed"},
      {"lena,,x\"265,27,14307,0.43661,37.8,,", "a quote inside a cell"},
      // Of a picture four times as large.
      {"lena,,x265,27,14307,0.10915,37.8,,", "512x512"},
  };
  for (const auto& [row, fault] : kRows) {
    // The row is the third, and the empty line before it counts.
    const std::string table =
        std::string(kHeader) + "\nother,,x265,27,1,1,1,,\n" + row + "\nlena,,x265,27,5,1,1,,\n";
    ExpectCorrupt(table, "peers.csv', row 4: ");
    ExpectCorrupt(table, fault);
  }
  EXPECT_EQ(AddMeasuredPoints(folder_ / "missing.csv", results_).status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace mmp
