#include "codec/search/cpu_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "codec/encoder/effort.h"
#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

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
  SpeedFeatures speed_features = {};
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
    searches.push_back(MakeCpuSearch(scene.speed_features, threads == 2));

  for (int y = 0; y < height; y += 16) {
    for (int x = 0; x < width; x += 16) {
      SCOPED_TRACE(testing::Message() << "macroblock at (" << y << ", " << x << ")");
      const MacroblockSamples original = SamplesAt(image, y, x);
      if (parameters.UsesBlockCopy()) AddRandomBlockVectors(random, tile);
      SymbolCosts symbol_costs;
      symbol_costs.Update(tile, lambda);
      const ReferenceChoice expected =
          SearchReference(symbol_costs, scene.speed_features, original, y, x);
      for (size_t s = 0; s < searches.size(); ++s) {
        MacroblockSymbols symbols = {1, 2, 3};  // to be replaced
        ASSERT_TRUE(SearchOne(*searches[s], tile, lambda, original, y, x, symbols, 1 << s).ok());
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
  const SpeedFeatures fast = PresetSpeedFeatures(Preset::kFast);
  for (const Picture picture : kAllPictures) {
    const int rows = picture == Picture::kTexture ? 2 : 1;
    CheckScene({picture, GetParam(), 8, 2, rows, kAllModes, 0, fast});
  }
}

// What the speed features leave out, one rule at a time.
TEST_P(CpuSearchTest, EachSpeedFeature) {
  for (const SpeedFeatures& speed_features :
       {SpeedFeatures{.modes_searched = 1}, SpeedFeatures{.modes_searched = 4},
        SpeedFeatures{.thinnest_prediction = 8}, SpeedFeatures{.residual_slack_q4 = 16},
        SpeedFeatures{.prediction_slack_q4 = 48},
        SpeedFeatures{.residual_slack_q4 = 4, .guided_slack_q6 = 0, .guided_small_slack_q6 = 0},
        SpeedFeatures{.residual_slack_q4 = 1, .guided_slack_q6 = 3, .guided_small_slack_q6 = 0},
        SpeedFeatures{.modes_searched = 2, .guided_slack_q6 = 0, .guided_small_slack_q6 = 4},
        SpeedFeatures{.whole_satd_q4 = 16}, SpeedFeatures{.whole_satd_q4 = 8, .halves_slack_q6 = 0},
        SpeedFeatures{.whole_satd_q4 = 1, .halves_slack_q6 = 4}, SpeedFeatures{.tree_slack_q4 = 64},
        SpeedFeatures{.guided_slack_q6 = 0, .guided_small_slack_q6 = 0, .tree_slack_q4 = 200},
        SpeedFeatures{.halves_angles = true},
        SpeedFeatures{.modes_searched = 2, .halves_angles = true},
        SpeedFeatures{.spares_dear_modes = true},
        SpeedFeatures{.modes_searched = 1,
        .guided_slack_q6 = 0,
        .guided_small_slack_q6 = 2,
        .whole_satd_q4 = 4}})
    CheckScene({Picture::kTexture, GetParam(), 15, 2, 1, kAllModes, 0, speed_features});
}

// Rules that say something only where macroblocks have neighbours, or cost little.
TEST_P(CpuSearchTest, RulesOfTheFastestSteps) {
  for (const Picture picture : {Picture::kTexture, Picture::kText, Picture::kGradient}) {
    for (const SpeedFeatures& speed_features :
         {SpeedFeatures{.modes_searched = 1, .whole_satd_q4 = 1, .halves_slack_q6 = 0},
          SpeedFeatures{.modes_searched = 1, .whole_satd_q4 = 1, .halves_slack_q6 = 4},
          SpeedFeatures{.modes_searched = 1, .tree_slack_q4 = 2000},
          SpeedFeatures{.modes_searched = 1, .halves_angles = true, .spares_dear_modes = true},
          SpeedFeatures{.modes_searched = 1,
          .guided_slack_q6 = 0,
          .guided_small_slack_q6 = 0,
          .tree_slack_q4 = 1000}})
      CheckScene({picture, GetParam(), 15, 2, 2, kAllModes, 0, speed_features});
  }
}

// A macroblock that cannot be split is coded whole whatever its modes leave.
TEST_P(CpuSearchTest, WholeAsItCannotBeSplit) {
  CheckScene({Picture::kNoise, GetParam(), kNoPredictionSplit, 2, 1, kAllModes, 0,
              SpeedFeatures{.whole_satd_q4 = 1}});
}

INSTANTIATE_TEST_SUITE_P(Lambdas, CpuSearchTest, testing::Values(0, 10, 300, 65536));

TEST(CpuSearchSmallBlocksTest, PredictionDownToPixels) {
  CheckScene({Picture::kGradient, 10, 0, 1});
  CheckScene({Picture::kTexture, 0, 3, 1});
  CheckScene({Picture::kText, 0.004, 3, 1});
}

TEST(CpuSearchBesideTest, IsDoneOnceWithEachFront) {
  const Image image = Draw(Picture::kNoise, 64, 16, 7);
  for (const int threads : {1, 4}) {
    TaskPool pool(threads);
    const auto search = MakeCpuSearch({}, false);
    const TileState tile(CodecParameters{}, 64, 16);
    for (int macroblocks = 1; macroblocks <= 4; ++macroblocks) {
      std::vector<SearchedMacroblock> front, alone;
      for (int k = 0; k < macroblocks; ++k)
        front.push_back({{0, 16 * k}, SamplesAt(image, 0, 16 * k), {}});
      alone = front;
      int64_t done = 0;
      ASSERT_TRUE(search->Search(tile, Lambda{2560}, front, pool, [&] { ++done; }).ok());
      EXPECT_EQ(done, 1);
      ASSERT_TRUE(search->Search(tile, Lambda{2560}, alone, pool, {}).ok());
      for (int k = 0; k < macroblocks; ++k) EXPECT_EQ(front[k].symbols, alone[k].symbols);
    }
  }
}

TEST(CpuSearchStatsTest, CountsWhatItSearched) {
  const Image image = Draw(Picture::kTexture, 16, 16, 1);
  const TileState tile({}, 16, 16);
  const auto search = MakeCpuSearch({}, true);
  MacroblockSymbols symbols;
  ASSERT_TRUE(
      SearchOne(*search, tile, Lambda{2560}, SamplesAt(image, 0, 0), 0, 0, symbols, 2).ok());
  const SearchStats stats = search->Stats();
  EXPECT_GT(stats.nodes_searched, 10);
  EXPECT_LE(stats.nodes_searched, 2 * 661);
  EXPECT_EQ(stats.mode_searches[kMostFrequent], stats.nodes_searched);
  EXPECT_LT(stats.mode_searches[kVertical], stats.nodes_searched);
  for (int mode = 0; mode < kModes; ++mode)
    EXPECT_LE(stats.mode_reused[mode], stats.mode_searches[mode]);
  EXPECT_GT(stats.blocks_matched, 961);
  EXPECT_GT(stats.multiply_adds, stats.blocks_matched * 69);
  EXPECT_GT(stats.seconds_matching, 0);
  EXPECT_GT(stats.seconds_trees, 0);
  EXPECT_GT(stats.seconds_prediction, 0);
  EXPECT_GT(stats.seconds_lsp, 0);
}

}  // namespace
}  // namespace mmp
