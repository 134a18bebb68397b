#include "codec/cpu_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/reference_search.h"
#include "tests/test_support.h"

namespace mmp {
namespace {

struct Scene {
  Picture picture;
  double lambda;
  int prediction_level;
  int macroblocks_across;
  int macroblocks_down = 1;
  uint32_t modes = kAllReferenceModes;
  uint32_t threshold = 0;
  SearchEffort effort = {};
};

// Codes the picture; at each macroblock, searches of 1, 2 and 4 threads must choose what the
// reference chooses.
void CheckScene(const Scene& scene) {
  SCOPED_TRACE(testing::Message() << PictureName(scene.picture) << ", lambda " << scene.lambda
                                  << ", prediction level " << scene.prediction_level);
  CodecParameters parameters;
  parameters.dictionary_size = 100;
  parameters.prediction_level = scene.prediction_level;
  parameters.modes = scene.modes;
  parameters.redundancy_threshold = scene.threshold;
  const int width = 16 * scene.macroblocks_across, height = 16 * scene.macroblocks_down;
  const Image image = Draw(scene.picture, width, height, 5);
  const Lambda lambda{static_cast<int32_t>(scene.lambda * 256)};
  TileState tile(parameters, width, height);
  Random random(6);
  std::vector<std::unique_ptr<MacroblockSearch>> searches;
  for (const int threads : {1, 2, 4})
    searches.push_back(MakeCpuSearch(scene.effort, threads, threads == 2));

  for (int y = 0; y < height; y += 16) {
    for (int x = 0; x < width; x += 16) {
      SCOPED_TRACE(testing::Message() << "macroblock at (" << y << ", " << x << ")");
      const MacroblockSamples original = SamplesAt(image, y, x);
      if (parameters.MayCopy()) AddRandomCopies(random, tile, y, x);
      SearchRates rates;
      rates.Update(tile, lambda);
      const ReferenceChoice expected = SearchReference(rates, scene.effort, original, y, x);
      for (size_t s = 0; s < searches.size(); ++s) {
        MacroblockSymbols symbols = {1, 2, 3};  // to be replaced
        ASSERT_TRUE(searches[s]->Search(tile, lambda, original, y, x, symbols).ok());
        ASSERT_EQ(symbols, expected.symbols)
            << (1 << s) << " threads: " << FirstDifference(symbols, expected.symbols);
      }
      CodeMacroblock(tile, expected.symbols, y, x);
      for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j)
          ASSERT_EQ(tile.plane[static_cast<size_t>(y + i) * width + x + j],
                    expected.reconstruction[16 * i + j]);
    }
  }
}

class CpuSearchTest : public testing::TestWithParam<double> {};

TEST_P(CpuSearchTest, ReferenceConfiguration) {
  CheckScene({Picture::kTexture, GetParam(), 8, 1, 2});
  CheckScene({Picture::kText, GetParam(), 8, 1});
}

TEST_P(CpuSearchTest, LargePredictionBlocks) {
  for (const Picture picture : {Picture::kNoise, Picture::kGradient, Picture::kCheckerboard})
    CheckScene({picture, GetParam(), 15, 2});
  CheckScene({Picture::kTexture, GetParam(), 15, 2, 2});
}

TEST_P(CpuSearchTest, NoPredictionSplits) {
  for (const Picture picture : kAllPictures)
    CheckScene({picture, GetParam(), kNoPredictionSplit, 2, 2});
}

TEST_P(CpuSearchTest, FewModes) {
  for (const uint32_t modes : {0x004u, 0x006u, 0x204u, 0x1fcu})
    CheckScene({Picture::kGradient, GetParam(), 15, 2, 1, modes, 50});
}

TEST_P(CpuSearchTest, FastPreset) {
  const SearchEffort fast = SearchEffort::Of(Preset::kFast);
  for (const Picture picture : kAllPictures) {
    const int rows = picture == Picture::kTexture ? 2 : 1;
    CheckScene({picture, GetParam(), 8, 2, rows, kAllModes, 0, fast});
  }
}

// What the effort leaves out, one rule at a time.
TEST_P(CpuSearchTest, EachRuleOfTheEffort) {
  for (const SearchEffort& effort :
       {SearchEffort{.modes_searched = 1}, SearchEffort{.modes_searched = 4},
        SearchEffort{.thinnest_prediction = 8}, SearchEffort{.residual_slack_q4 = 16},
        SearchEffort{.prediction_slack_q4 = 48}})
    CheckScene({Picture::kTexture, GetParam(), 15, 2, 1, kAllModes, 0, effort});
}

INSTANTIATE_TEST_SUITE_P(Lambdas, CpuSearchTest, testing::Values(0, 10, 300, 65536));

TEST(CpuSearchSmallBlocksTest, PredictionDownToPixels) {
  CheckScene({Picture::kGradient, 10, 0, 1});
  CheckScene({Picture::kTexture, 0, 3, 1});
  CheckScene({Picture::kText, 0.004, 3, 1});
}

TEST(CpuSearchStatsTest, CountsWhatItSearched) {
  const Image image = Draw(Picture::kTexture, 16, 16, 1);
  const TileState tile({}, 16, 16);
  const auto search = MakeCpuSearch({}, 2, true);
  MacroblockSymbols symbols;
  ASSERT_TRUE(search->Search(tile, Lambda{2560}, SamplesAt(image, 0, 0), 0, 0, symbols).ok());
  EncodeStats stats;
  search->AddStats(stats);
  EXPECT_GT(stats.nodes_searched, 10);
  EXPECT_LE(stats.nodes_searched, 2 * 661);
  EXPECT_EQ(stats.mode_searches[kMostFrequent], stats.nodes_searched);
  EXPECT_LT(stats.mode_searches[kVertical], stats.nodes_searched);
  for (int mode = 0; mode < kModes; ++mode)
    EXPECT_LE(stats.mode_reused[mode], stats.mode_searches[mode]);
  EXPECT_GT(stats.partitions_matched, 961);
  EXPECT_GT(stats.multiply_adds, stats.partitions_matched * 69);
  EXPECT_GT(stats.seconds_matching, 0);
  EXPECT_GT(stats.seconds_trees, 0);
  EXPECT_GT(stats.seconds_prediction, 0);
  EXPECT_GT(stats.seconds_lsp, 0);
}

}  // namespace
}  // namespace mmp
