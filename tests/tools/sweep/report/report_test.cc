// What the report computes, and the data that it puts into its page.
#include "tools/sweep/report/report.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "tests/support/test_support.h"
#include "tests/tools/sweep/report/report_sample.h"
#include "tools/sweep/report/report_pictures.h"
#include "tools/sweep/report/report_tables.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

RdPoint Point(size_t image, size_t codec, double parameter, double rate, double psnr) {
  RdPoint point;
  point.image = image;
  point.codec = codec;
  point.parameter = parameter;
  point.bits_per_pixel = rate;
  point.psnr = psnr;
  return point;
}

SweepResults TwoImages() {
  SweepResults results;
  results.images = {{"a", "", "", 1000, 1000}, {"b", "", "", 1000, 500}};
  results.codecs = {{"x", "1", "q", false}, {"y", "1", "q", false}};
  return results;
}

TEST(AverageCurves, AreMeansOverAllImagesAtOneParameter) {
  SweepResults results = TwoImages();
  results.points = {Point(0, 1, 5, 1.0, 30), Point(0, 1, 3, 2.0, 40), Point(1, 1, 5, 2.0, 35),
                    Point(1, 1, 3, 0.2, 42)};
  for (RdPoint& point : results.points) point.ssim = point.psnr / 100;
  results.points[0].encode_seconds = 2;
  results.points[2].encode_seconds = 4;
  results.points[1].encode_seconds = 1;  // its other image has none
  results.points[0].ms_ssim = 0.5;
  const std::vector<AveragePoint> averages = AverageCurves(results).points;
  ASSERT_EQ(averages.size(), 2u);
  EXPECT_EQ(averages[0].codec, 1u);
  EXPECT_EQ(averages[0].parameter, 3);  // by rate
  EXPECT_DOUBLE_EQ(averages[0].bits_per_pixel, 1.1);
  EXPECT_DOUBLE_EQ(averages[0].psnr, 41);
  EXPECT_FALSE(averages[0].seconds_per_megapixel.has_value());
  EXPECT_DOUBLE_EQ(averages[1].bits_per_pixel, 1.5);
  EXPECT_DOUBLE_EQ(averages[1].psnr, 32.5);
  EXPECT_DOUBLE_EQ(averages[1].ssim.value(), 0.325);
  EXPECT_FALSE(averages[1].ms_ssim.has_value());
  EXPECT_DOUBLE_EQ(averages[1].seconds_per_megapixel.value(), 4);
}

TEST(AverageCurves, LeaveOutWhatAnImageLacksAndLosslessPoints) {
  SweepResults results = TwoImages();
  results.points = {Point(0, 0, 1, 1, 30), Point(0, 0, 2, 2, 40), Point(1, 0, 2, 3, INFINITY)};
  EXPECT_TRUE(AverageCurves(results).points.empty());
  EXPECT_EQ(AverageCurves(results).images, (std::vector<size_t>{0, 1}));
}

// A small picture beside a large one.
SweepResults LargeAndSmall() {
  SweepResults results = TwoImages();
  results.images[1].width = 30;
  results.images[1].height = 20;
  for (const double parameter : {10, 20, 30}) {
    for (size_t image = 0; image < 2; ++image) {
      RdPoint point = Point(image, 0, parameter, 30 / parameter, 40 - parameter / 10);
      point.ssim = 0.9;
      if (image == 0) point.ms_ssim = 0.8;
      results.points.push_back(point);
      point.codec = 1;
      results.points.push_back(point);
    }
  }
  return results;
}

TEST(AverageCurves, ASmallPictureThatIsLosslessOrRefusedTakesNoCurveOut) {
  SweepResults results = LargeAndSmall();
  EXPECT_EQ(AverageCurves(results).images, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(AverageCurves(results).points.size(), 6U);
  // At one of three settings: that is left out.
  for (RdPoint& point : results.points)
    if (point.image == 1 && point.codec == 0 && point.parameter == 10) point.psnr = INFINITY;
  EXPECT_EQ(AverageCurves(results).images, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(AverageCurves(results).points.size(), 5U);
  // At two: the picture is, for both codecs.
  SweepResults lossless = results;
  for (RdPoint& point : lossless.points)
    if (point.image == 1 && point.codec == 0 && point.parameter == 20) point.psnr = INFINITY;
  SweepResults refused = results;
  std::erase_if(refused.points,
                [](const RdPoint& point) { return point.image == 1 && point.codec == 0; });
  for (const SweepResults& few : {lossless, refused}) {
    const Averages averages = AverageCurves(few);
    EXPECT_EQ(averages.images, (std::vector<size_t>{0}));
    ASSERT_EQ(averages.points.size(), 6U);
    EXPECT_EQ(averages.points[5].codec, 1U);
    EXPECT_EQ(averages.points[5].bits_per_pixel, 3);
    EXPECT_EQ(averages.points[5].ms_ssim, 0.8);
  }
}

TEST(AverageCurves, ASmallPictureWithoutMsSsimDoesNotTakeItFromAll) {
  SweepResults results = LargeAndSmall();
  for (RdPoint& point : results.points)
    if (point.image == 1) point.ssim = 0.7;
  for (const AveragePoint& point : AverageCurves(results).points) {
    EXPECT_EQ(point.ms_ssim, 0.8);
    EXPECT_DOUBLE_EQ(point.ssim.value(), 0.8);
  }
}

TEST(ComputeDeltas, OfEveryPairAndImage) {
  SweepResults results = TwoImages();
  for (int k = 0; k < 4; ++k) {
    results.points.push_back(Point(0, 0, k, 0.1 * (1 << k), 30 + 2 * k));
    results.points.push_back(Point(0, 1, k, 0.12 * (1 << k), 30 + 2 * k));
  }
  const Deltas deltas = ComputeDeltas(results);
  EXPECT_NEAR(deltas.bd_rate[0][1][0].value(), 20, 1e-6);
  EXPECT_NEAR(deltas.bd_rate[1][0][0].value(), -100.0 / 6, 1e-6);
  EXPECT_NEAR(deltas.bd_psnr[0][1][0].value(), -2 * std::log2(1.2), 1e-6);
  EXPECT_FALSE(deltas.bd_rate[0][1][1].has_value());  // no points
  EXPECT_FALSE(deltas.bd_rate[0][0][0].has_value());  // itself
}

TEST(Thumbnail, IsTheMeanOfBlocks) {
  Image image(4, 2);
  image.pixels() = {10, 20, 100, 100, 30, 41, 100, 104};
  EXPECT_EQ(Thumbnail(image.View(), 2).pixels(), (std::vector<uint8_t>{25, 101}));
  EXPECT_EQ(Thumbnail(image.View(), 4), image);
  EXPECT_EQ(Thumbnail(image.View(), 100), image);
  EXPECT_EQ(Thumbnail(Image(1, 1000, 9).View(), 10), Image(1, 10, 9));
}

TEST(BusiestPart, HasTheMostDetail) {
  Image image(200, 120, 128);
  for (int y = 60; y < 100; ++y)
    for (int x = 130; x < 170; ++x) image.Row(y)[x] = (x + y) % 2 == 0 ? 0 : 255;
  const CropPlace place = BusiestPart(image.View(), 64);
  EXPECT_LE(place.x, 130);
  EXPECT_GE(place.x + place.width, 170);
  EXPECT_LE(place.y, 60);
  EXPECT_GE(place.y + place.height, 100);
  EXPECT_EQ(place.width, 64);
  EXPECT_EQ(place.height, 64);
}

TEST(BusiestPart, OfSmallImagesIsAllThereIs) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {300, 1}, {15, 17}, {96, 96}}) {
    const CropPlace place = BusiestPart(Image(width, height, 5).View(), 96);
    EXPECT_EQ(place.width, std::min(width, 96));
    EXPECT_EQ(place.height, std::min(height, 96));
    EXPECT_EQ(place.x, 0);
    EXPECT_EQ(place.y, 0);
  }
}

class ReportFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mmp_report_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string WrittenPage(const SweepResults& results) {
    const std::string path = folder_ + "/report.html";
    EXPECT_TRUE(WriteReport(results, path).ok());
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::optional<Json> DataOf(const std::string& page) {
    const std::string open = "id=\"data\">";
    const size_t start = page.find(open) + open.size();
    return ReadJson(page.substr(start, page.find("</script>", start) - start));
  }

  std::string folder_;
};

TEST_F(ReportFilesTest, PicturesAreOfMatchedRates) {
  const SweepResults results = MakeSampleResults(folder_);
  const ReportPictures pictures = MakeReportPictures(results, folder_);
  EXPECT_TRUE(pictures.problems.empty());
  ASSERT_EQ(pictures.images.size(), results.images.size());
  for (size_t i = 0; i < results.images.size(); ++i) {
    const ImagePictures& image = pictures.images[i];
    EXPECT_GT(image.thumbnail.width(), 0);
    ASSERT_EQ(image.rates.size(), 3u);
    for (const RateMatch& rate : image.rates) {
      ASSERT_EQ(rate.pictures.size(), 2u);  // none of the codec without pictures
      EXPECT_EQ(results.points[rate.pictures[0].point].bits_per_pixel, rate.bits_per_pixel);
      for (const DecodedCrop& crop : rate.pictures) {
        const RdPoint& point = results.points[crop.point];
        EXPECT_EQ(point.image, i);
        EXPECT_LE(point.bits_per_pixel, rate.bits_per_pixel * 1.25);
        EXPECT_GE(point.bits_per_pixel, rate.bits_per_pixel / 1.25);
        EXPECT_EQ(crop.picture.width(), image.original_crop.width());
        EXPECT_EQ(crop.picture.height(), image.original_crop.height());
      }
      // One is decoded from the .mmp file, the other read from what was decoded before.
      EXPECT_EQ(rate.pictures[0].picture, rate.pictures[1].picture);
    }
  }
}

TEST_F(ReportFilesTest, WhatCannotBeReadIsNoted) {
  SweepResults results = MakeSampleResults(folder_);
  results.images[0].path = folder_ + "/absent.png";
  std::ofstream(folder_ + "/decoded0.png") << "no picture";
  for (RdPoint& point : results.points)
    if (!point.decoded_path.empty()) point.decoded_path = "decoded0.png";
  const ReportPictures pictures = MakeReportPictures(results, folder_);
  EXPECT_EQ(pictures.images[0].thumbnail.width(), 0);
  EXPECT_TRUE(pictures.images[0].rates.empty());
  ASSERT_FALSE(pictures.problems.empty());
  EXPECT_NE(pictures.problems[0].find("absent.png"), std::string::npos);
  EXPECT_NE(pictures.problems.back().find("decoded0.png"), std::string::npos);
  ASSERT_EQ(pictures.images[1].rates.size(), 3u);
  EXPECT_EQ(pictures.images[1].rates[0].pictures.size(), 1u);
}

TEST_F(ReportFilesTest, ThePagesDataIsJsonAndHasAllPoints) {
  const SweepResults results = MakeSampleResults(folder_);
  const std::string page = WrittenPage(results);
  const std::optional<Json> data = DataOf(page);
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ((*data)["points"].items.size(), results.points.size());
  EXPECT_EQ((*data)["images"].items.size(), 2u);
  EXPECT_EQ((*data)["averageImages"].items.size(), 2u);
  EXPECT_EQ((*data)["averages"].items.size(), 4u * 3);  // but the lossless ones
  EXPECT_EQ((*data)["comparisons"].items.size(), 2u);
  EXPECT_EQ((*data)["anchor"].number, 1);
  EXPECT_NEAR((*data)["bdRate"].items[0].items[1].items[0].number, 10, 1e-6);
  EXPECT_EQ(page.find("<hostile"), std::string::npos);
}

TEST_F(ReportFilesTest, ThePageThatDecodesIsNamedIfItIsThere) {
  const SweepResults results = MakeSampleResults(folder_);
  EXPECT_EQ((*DataOf(WrittenPage(results)))["decoder"].text, "");
  std::ofstream(folder_ + "/decoder.html") << "the page that decodes";
  EXPECT_EQ((*DataOf(WrittenPage(results)))["decoder"].text, "decoder.html");
}

TEST_F(ReportFilesTest, SweepsWithoutPointsHaveAPage) {
  EXPECT_TRUE(WriteReport(SweepResults(), folder_ + "/report.html").ok());
}

TEST_F(ReportFilesTest, AFolderThatIsNotThereIsAnError) {
  const Status status = WriteReport(SweepResults(), folder_ + "/absent/report.html");
  EXPECT_EQ(status.code(), StatusCode::kIo);
}

}  // namespace
}  // namespace mmp
