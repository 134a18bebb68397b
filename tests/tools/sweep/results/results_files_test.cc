#include "tools/sweep/results/results_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tools/sweep/results/csv.h"
#include "tools/sweep/results/measured_points.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

// Two images in mmp and, at 1.25 times the rate, in another codec; a lossless point and a failure.
SweepResults Sample() {
  SweepResults results;
  results.command = "mmp sweep a.png 'b, c.png' -o out";
  results.date = "2024-05-31T16:20:00Z";
  results.images = {
      {.name = "a", .path = "a.png", .hash = "01ab", .width = 100, .height = 80},
      {.name = "b, c", .path = "b, c.png", .hash = "02cd", .width = 200, .height = 160}};
  results.codecs = {{.name = "mmp thesis",
                     .version = "mmp 1.0.0",
                     .parameter_name = "lambda",
                     .is_mmp = true,
                     .preset = "thesis"},
                    {.name = "x265", .version = "x265 3.5", .parameter_name = "QP"}};
  for (size_t image = 0; image < 2; ++image) {
    for (int i = 0; i < 4; ++i) {
      RdPoint point;
      point.image = image;
      point.parameter = 80 >> i;
      point.bits_per_pixel = 0.25 * (1 << i);
      point.bytes = static_cast<uint64_t>(point.bits_per_pixel * 1000 * (image == 0 ? 1 : 4));
      point.psnr = 30 + 5 * i;
      point.ssim = 0.9 + 0.02 * i;
      point.encode_seconds = 2;
      point.decode_seconds = 0.5;
      point.bits = {{"indices", 700}, {"modes", 40.5}};
      point.command = "mmp encode";
      results.points.push_back(point);
    }
    for (int i = 0; i < 4; ++i) {
      RdPoint point;
      point.image = image;
      point.codec = 1;
      point.parameter = 40 - 5 * i;
      point.bits_per_pixel = 1.25 * 0.25 * (1 << i);
      point.bytes = static_cast<uint64_t>(point.bits_per_pixel * 1000 * (image == 0 ? 1 : 4));
      point.psnr = 30 + 5 * i;
      results.points.push_back(point);
    }
  }
  results.points[3].psnr = std::numeric_limits<double>::infinity();
  results.failures = {{.image = "lost.png", .message = "cannot read"},
                      {.image = "a", .codec = "x265", .parameter = 51, .message = "too small"}};
  return results;
}

TEST(ResultsFilesTest, PointsCsv) {
  const std::vector<CsvRow> rows = ParseCsv(PointsCsv(Sample()))->rows;
  ASSERT_EQ(rows.size(), 17U);
  EXPECT_EQ(rows[0],
            (CsvRow{"image", "codec", "preset", "lambda", "param", "bytes", "bpp", "psnr", "ssim",
                    "ms_ssim", "encode_s", "decode_s", "bits_indices", "bits_modes"}));
  EXPECT_EQ(rows[1], (CsvRow{"a", "mmp thesis", "thesis", "80", "80", "250", "0.25", "30", "0.9",
                             "", "2", "0.5", "700", "40.5"}));
  EXPECT_EQ(rows[4][7], "inf");
  EXPECT_EQ(rows[5],
            (CsvRow{"a", "x265", "", "", "40", "312", "0.3125", "30", "", "", "", "", "", ""}));
  EXPECT_EQ(rows[9][0], "b, c");
}

TEST(ResultsFilesTest, PointsCsvIsATableOfMeasuredPoints) {
  const TemporaryFolder folder;
  const SweepResults sample = Sample();
  WriteText(folder / "results.csv", PointsCsv(sample));
  SweepResults read;
  read.images = sample.images;
  const Result<std::string> note = AddMeasuredPoints(folder / "results.csv", read);
  ASSERT_TRUE(note.ok()) << note.status().message();
  EXPECT_EQ(*note, "");
  ASSERT_EQ(read.points.size(), sample.points.size());
  for (size_t i = 0; i < read.points.size(); ++i) {
    EXPECT_EQ(read.points[i].image, sample.points[i].image);
    EXPECT_EQ(read.codecs[read.points[i].codec].name, sample.codecs[sample.points[i].codec].name);
    EXPECT_EQ(read.points[i].parameter, sample.points[i].parameter);
    EXPECT_EQ(read.points[i].bytes, sample.points[i].bytes);
    EXPECT_EQ(read.points[i].psnr, sample.points[i].psnr);
    EXPECT_EQ(read.points[i].ssim, sample.points[i].ssim);
    EXPECT_EQ(read.points[i].decode_seconds, sample.points[i].decode_seconds);
  }
}

TEST(ResultsFilesTest, DeltasCsv) {
  const std::vector<CsvRow> rows = ParseCsv(DeltasCsv(Sample()))->rows;
  ASSERT_EQ(rows.size(), 1U + 2 * 3);
  EXPECT_EQ(rows[0], (CsvRow{"anchor", "test", "image", "bd_rate_percent", "bd_psnr_db"}));
  const char* kImages[] = {"a", "b, c", "mean"};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[1 + i][0], "mmp thesis");
    EXPECT_EQ(rows[1 + i][1], "x265");
    EXPECT_EQ(rows[1 + i][2], kImages[i]);
    EXPECT_NEAR(std::stod(rows[1 + i][3]), 25, 1e-6);
    EXPECT_NEAR(std::stod(rows[1 + i][4]), -5 * std::log2(1.25), 1e-6);
    EXPECT_EQ(rows[4 + i][0], "x265");
    EXPECT_NEAR(std::stod(rows[4 + i][3]), -20, 1e-6);
  }
}

TEST(ResultsFilesTest, ResultsJson) {
  const std::optional<Json> json = ReadJson(ResultsJson(Sample()));
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["command"].text, "mmp sweep a.png 'b, c.png' -o out");
  EXPECT_EQ((*json)["date"].text, "2024-05-31T16:20:00Z");
  ASSERT_EQ((*json)["images"].items.size(), 2U);
  EXPECT_EQ((*json)["images"].items[1]["sha256"].text, "02cd");
  EXPECT_EQ((*json)["images"].items[1]["width"].number, 200);
  ASSERT_EQ((*json)["codecs"].items.size(), 2U);
  EXPECT_EQ((*json)["codecs"].items[0]["preset"].text, "thesis");
  EXPECT_EQ((*json)["codecs"].items[1]["version"].text, "x265 3.5");
  ASSERT_EQ((*json)["points"].items.size(), 16U);
  const Json& point = (*json)["points"].items[1];
  EXPECT_EQ(point["image"].text, "a");
  EXPECT_EQ(point["codec"].text, "mmp thesis");
  EXPECT_EQ(point["parameter"].number, 40);
  EXPECT_EQ(point["psnr"].number, 35);
  EXPECT_EQ(point["bits"]["modes"].number, 40.5);
  EXPECT_EQ(point["ms_ssim"].type, Json::Type::kNull);
  EXPECT_EQ((*json)["points"].items[3]["psnr"].type, Json::Type::kNull);
  ASSERT_EQ((*json)["failures"].items.size(), 2U);
  EXPECT_EQ((*json)["failures"].items[0]["message"].text, "cannot read");
  EXPECT_EQ((*json)["failures"].items[1]["parameter"].number, 51);
  ASSERT_EQ((*json)["comparisons"].items.size(), 2U);
  const Json& comparison = (*json)["comparisons"].items[0];
  EXPECT_EQ(comparison["anchor"].text, "mmp thesis");
  EXPECT_EQ(comparison["test"].text, "x265");
  EXPECT_NEAR(comparison["bd_rate_percent"]["mean"].number, 25, 1e-6);
  EXPECT_NEAR(comparison["bd_rate_percent"]["images"]["b, c"].number, 25, 1e-6);
  EXPECT_NEAR(comparison["bd_psnr_db"]["mean"].number, -5 * std::log2(1.25), 1e-6);
}

TEST(ResultsFilesTest, DeltasText) {
  EXPECT_EQ(DeltasText(Sample()),
            "BD-rate of mmp thesis, % (less is better), against\n"
            "image     x265\n"
            "a       -20.00\n"
            "b, c    -20.00\n"
            "mean    -20.00\n");
}

TEST(ResultsFilesTest, CurvesThatDoNotOverlap) {
  SweepResults results = Sample();
  for (RdPoint& point : results.points)
    if (point.codec == 1 && point.image == 0) point.psnr += 100;
  EXPECT_EQ(DeltasText(results),
            "BD-rate of mmp thesis, % (less is better), against\n"
            "image     x265\n"
            "a            -\n"
            "b, c    -20.00\n"
            "mean    -20.00\n");
  results.codecs[0].is_mmp = false;
  EXPECT_EQ(DeltasText(results), "");
}

TEST(ResultsFilesTest, NothingMeasured) {
  EXPECT_EQ(ParseCsv(PointsCsv({}))->rows.size(), 1U);
  EXPECT_EQ(ParseCsv(DeltasCsv({}))->rows.size(), 1U);
  EXPECT_TRUE(ReadJson(ResultsJson({})));
  EXPECT_EQ(DeltasText({}), "");
}

TEST(ResultsFilesTest, FilesAreWrittenAtOnce) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteResultFiles(Sample(), folder.path()).ok());
  EXPECT_EQ(ReadText(folder / "results.csv"), PointsCsv(Sample()));
  EXPECT_EQ(ReadText(folder / "bd-rate.csv"), DeltasCsv(Sample()));
  EXPECT_EQ(ReadText(folder / "results.json"), ResultsJson(Sample()));
  EXPECT_EQ(WriteResultFiles(Sample(), folder / "missing").code(), StatusCode::kIo);
}

}  // namespace
}  // namespace mmp
