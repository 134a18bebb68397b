// The report in a real browser: that it draws, that hover, keys, switches and the slider work.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/browser.h"
#include "tests/tools/sweep/report/report_sample.h"
#include "tools/sweep/report/report.h"

namespace mmp {
namespace {

class ReportBrowserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!browser_.found()) GTEST_SKIP() << "Chromium is not installed";
    std::string name = testing::TempDir() + "mmp_report_browser_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void ExpectAllHolds(const SweepResults& results, const std::string& script, int width,
                      int height) {
    const std::string path = folder_ + "/report.html";
    ASSERT_TRUE(WriteReport(results, path).ok());
    const PageOutcome outcome = browser_.Check(path, script, width, height);
    EXPECT_TRUE(outcome.finished);
    EXPECT_GT(outcome.checks, 10);
    EXPECT_EQ(outcome.console, "");
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
  }

  Browser browser_;
  std::string folder_;
};

TEST_F(ReportBrowserTest, OnADesktop) {
  ExpectAllHolds(MakeSampleResults(folder_), "report_test.js", 1280, 900);
}

TEST_F(ReportBrowserTest, OnAPhone) {
  ExpectAllHolds(MakeSampleResults(folder_), "report_test.js", 360, 740);
}

TEST_F(ReportBrowserTest, BesideThePageThatDecodes) {
  const SweepResults results = MakeSampleResults(folder_);
  std::ofstream(folder_ + "/decoder.html") << "the page that decodes";
  ExpectAllHolds(results, "report_test.js", 1280, 900);
}

// Small numbers are long: thousandths of seconds, and of the measures.
TEST_F(ReportBrowserTest, NumbersOfManyDigits) {
  SweepResults results = MakeSampleResults(folder_);
  for (RdPoint& point : results.points) {
    *point.encode_seconds /= 5000;
    point.ssim = 1 - (1 - *point.ssim) / 100;
  }
  ExpectAllHolds(results, "report_test.js", 1280, 900);
  ExpectAllHolds(results, "report_test.js", 360, 740);
}

TEST_F(ReportBrowserTest, ASmallImageIsLeftOutOfTheAverage) {
  SweepResults results = MakeSampleResults(folder_);
  results.images[0].width = results.images[0].height = 30;
  for (RdPoint& point : results.points)
    if (point.image == 0 && point.codec == 0) point.psnr = INFINITY;
  ExpectAllHolds(results, "report_test.js", 1280, 900);
}

TEST_F(ReportBrowserTest, WithoutPictures) {
  SweepResults results = MakeSampleResults(folder_);
  for (RdPoint& point : results.points) point.bitstream_path = point.decoded_path = "";
  ExpectAllHolds(results, "no_pictures_report_test.js", 1280, 900);
}

TEST_F(ReportBrowserTest, WithoutPointsAndPictures) {
  SweepResults results = MakeSampleResults(folder_);
  results.points.clear();
  ExpectAllHolds(results, "empty_report_test.js", 1280, 900);
}

}  // namespace
}  // namespace mmp
