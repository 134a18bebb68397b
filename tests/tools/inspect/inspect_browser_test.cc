// The page of `mmp inspect` in a real browser.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "tests/support/browser.h"
#include "tests/support/subprocess.h"

namespace mmp {
namespace {

class InspectBrowserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!browser_.found()) GTEST_SKIP() << "Chromium is not installed";
    std::string name = testing::TempDir() + "mmp_inspect_browser_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void ExpectAllHolds(const std::string& file, int width, int height) {
    // A name that is text, not markup.
    const std::string input = folder_ + "/<hostile onclick='x'>&amp;.mmp";
    std::filesystem::copy_file(std::string(MMP_TEST_DATA) + "/golden/" + file, input);
    ASSERT_EQ(RunProgram({MMP_PROGRAM, "inspect", input, "-o", folder_ + "/look"}).exit_code, 0);
    const PageOutcome outcome =
        browser_.Check(folder_ + "/look/index.html", "inspect_test.js", width, height);
    EXPECT_TRUE(outcome.finished);
    EXPECT_GT(outcome.checks, 10);
    EXPECT_EQ(outcome.console, "");
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
  }

  Browser browser_;
  std::string folder_;
};

TEST_F(InspectBrowserTest, OnADesktop) { ExpectAllHolds("natural-30-fast.mmp", 1280, 900); }

TEST_F(InspectBrowserTest, OnAPhone) { ExpectAllHolds("natural-30-fast.mmp", 360, 740); }

TEST_F(InspectBrowserTest, OfTiles) { ExpectAllHolds("natural-100-tiles.mmp", 1280, 900); }

TEST_F(InspectBrowserTest, OfAFilteredFile) { ExpectAllHolds("natural-40-best.mmp", 1280, 900); }

TEST_F(InspectBrowserTest, OfWaveFronts) {
  ExpectAllHolds("natural-30-fast-fronts.mmp", 1280, 900);
}

TEST_F(InspectBrowserTest, OfWaveFrontsWithCopies) {
  ExpectAllHolds("slide-20-best-fronts.mmp", 1280, 900);
}

TEST_F(InspectBrowserTest, OfAPixel) { ExpectAllHolds("odd-1x1-10.mmp", 1280, 900); }

}  // namespace
}  // namespace mmp
