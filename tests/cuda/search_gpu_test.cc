// The search on the device chooses what the CPU's search chooses, symbol for symbol.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "codec/encoder/effort.h"
#include "codec/search/cpu_search.h"
#include "cuda/backend/cuda_search.h"
#include "tests/cuda/device.h"
#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
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
  int dictionary_size = 100;
};

std::string ToString(const CudaSearchOptions& options) {
  const SearchConfig& c = options.config;
  return std::to_string(c.blocks) + (c.cluster ? " blocks in a cluster, " : " blocks, ") +
         (c.tensor_cores ? "tensor cores" : "integers");
}

CudaSearchOptions Options(int blocks, bool cluster, bool tensor_cores) {
  CudaSearchOptions options;
  options.config = {blocks, cluster, tensor_cores};
  return options;
}

// Whether the device can do so, by the code that there is for it.
bool IsPossible(const SearchConfig& config) {
  int code = 0;
  Must(CodeCapability(&code));
  if ((config.cluster && code < 90) || (config.tensor_cores && code < 80)) return false;
  int groups = 0;
  return PrepareSearch(config, 0) == cudaSuccess &&
         CountSearchGroups(config, SearchSharedBytes(), &groups) == cudaSuccess && groups > 0;
}

std::vector<CudaSearchOptions> Possible(const std::vector<CudaSearchOptions>& all) {
  std::vector<CudaSearchOptions> possible;
  for (const CudaSearchOptions& options : all)
    if (IsPossible(options.config)) possible.push_back(options);
  return possible;
}

// One of each kind.
std::vector<CudaSearchOptions> FewConfigurations() {
  std::vector<CudaSearchOptions> few =
      Possible({Options(8, true, true), Options(4, true, false), Options(5, false, true),
                Options(1, false, false)});
  CudaSearchOptions chosen;
  const Result<SearchConfig> config = ChooseConfig(0, 1);
  EXPECT_TRUE(config.ok()) << config.status().message();
  if (config.ok()) {
    chosen.config = *config;
    few.push_back(chosen);
  }
  return few;
}

std::vector<CudaSearchOptions> AllConfigurations() {
  std::vector<CudaSearchOptions> all;
  for (const bool tensor_cores : {false, true}) {
    for (const int blocks : {1, 2, 4, 8, 16}) all.push_back(Options(blocks, true, tensor_cores));
    for (const int blocks : {1, 3, 16, 33}) all.push_back(Options(blocks, false, tensor_cores));
  }
  return Possible(all);
}

class CudaSearchTest : public DeviceTest {
 protected:
  // Codes the picture; at each macroblock all searches must choose what the CPU's chooses.
  static void Check(const Scene& scene, const std::vector<CudaSearchOptions>& configurations) {
    SCOPED_TRACE(testing::Message() << PictureName(scene.picture) << ", lambda " << scene.lambda
                                    << ", prediction level " << scene.prediction_level);
    ASSERT_FALSE(configurations.empty());
    CodecParameters parameters;
    parameters.dictionary_size = scene.dictionary_size;
    parameters.prediction_level = scene.prediction_level;
    parameters.modes = scene.modes;
    parameters.redundancy_threshold = scene.threshold;
    const int width = 16 * scene.macroblocks_across, height = 16 * scene.macroblocks_down;
    const Image image = Draw(scene.picture, width, height, 5);
    const Lambda lambda{static_cast<int32_t>(scene.lambda * 256)};
    TileState tile(parameters, width, height);
    Random random(6);
    const auto cpu = MakeCpuSearch(scene.speed_features, false);
    std::vector<std::unique_ptr<MacroblockSearch>> searches;
    for (const CudaSearchOptions& options : configurations) {
      auto search = MakeCudaSearch(options, parameters, scene.speed_features);
      ASSERT_TRUE(search.ok()) << ToString(options) << ": " << search.status().message();
      searches.push_back(*std::move(search));
    }
    for (int y = 0; y < height; y += 16) {
      for (int x = 0; x < width; x += 16) {
        SCOPED_TRACE(testing::Message() << "macroblock at (" << y << ", " << x << ")");
        const MacroblockSamples original = SamplesAt(image, y, x);
        if (parameters.UsesBlockCopy()) AddRandomBlockVectors(random, tile);
        MacroblockSymbols expected;
        ASSERT_TRUE(SearchOne(*cpu, tile, lambda, original, y, x, expected).ok());
        for (size_t s = 0; s < searches.size(); ++s) {
          MacroblockSymbols symbols = {1, 2, 3};  // to be replaced
          const Status status = SearchOne(*searches[s], tile, lambda, original, y, x, symbols);
          ASSERT_TRUE(status.ok()) << ToString(configurations[s]) << ": " << status.message();
          ASSERT_EQ(symbols, expected)
              << ToString(configurations[s]) << ": " << FirstDifference(symbols, expected);
        }
        CodeMacroblock(tile, expected, y, x);
      }
    }
  }
  static void Check(const Scene& scene) {
    if (!HasFatalFailure()) Check(scene, FewConfigurations());
  }
};

class CudaSearchScenes : public CudaSearchTest, public testing::WithParamInterface<double> {};

TEST_P(CudaSearchScenes, ReferenceConfiguration) {
  for (const Picture picture : kAllPictures) Check({picture, GetParam(), 8, 3, 2});
}

TEST_P(CudaSearchScenes, LargePredictionBlocks) {
  for (const Picture picture : kAllPictures) Check({picture, GetParam(), 15, 3, 2});
}

TEST_P(CudaSearchScenes, NoPredictionSplits) {
  for (const Picture picture : kAllPictures) Check({picture, GetParam(), kNoPredictionSplit, 3, 2});
}

TEST_P(CudaSearchScenes, SmallPredictionBlocks) {
  Check({Picture::kGradient, GetParam(), 0, 2, 1});
  Check({Picture::kTexture, GetParam(), 3, 2, 2});
  Check({Picture::kText, GetParam(), 3, 2, 1});
}

TEST_P(CudaSearchScenes, FewModes) {
  for (const uint32_t modes : {0x004u, 0x006u, 0x204u, 0x1fcu})
    Check({Picture::kGradient, GetParam(), 15, 2, 2, modes, 50});
}

TEST_P(CudaSearchScenes, FastPreset) {
  const SpeedFeatures fast = PresetSpeedFeatures(Preset::kFast);
  for (const Picture picture : kAllPictures)
    Check({picture, GetParam(), 8, 3, 2, kAllReferenceModes, 0, fast});
}

TEST_P(CudaSearchScenes, BestPreset) {
  const SpeedFeatures best = PresetSpeedFeatures(Preset::kBest);
  for (const Picture picture : kAllPictures)
    Check({picture, GetParam(), 8, 3, 2, kBestModes, 0, best});
  Check({Picture::kTexture, GetParam(), 3, 2, 2, kBestModes, 0, best});
  Check({Picture::kText, GetParam(), kNoPredictionSplit, 3, 3, kBestModes, 0, best});
}

// With per-pixel least squares, which other warps predict with at the same time.
TEST_P(CudaSearchScenes, AllModes) {
  for (const int searched : {1, 6, 10})
    Check({Picture::kTexture, GetParam(), 8, 3, 2, kAllModes, 0, {.modes_searched = searched}});
}

// One of the modes that read far pixels (kFarModes), alone and without a choice.
TEST_P(CudaSearchScenes, FarModes) {
  for (const uint32_t mode : {1u << kBlockLeastSquares, 1u << kTemplate})
    Check({Picture::kGradient, GetParam(), 8, 2, 2, mode | 1u << kMostFrequent});
  // As many as can be searched without a choice.
  Check({Picture::kText, GetParam(), 8, 2, 2, 0x07c0040fu & kAllModes});
}

// What the speed features leave out, one rule at a time.
TEST_P(CudaSearchScenes, EachSpeedFeature) {
  for (const SpeedFeatures& speed_features :
       {SpeedFeatures{.modes_searched = 1}, SpeedFeatures{.modes_searched = 4},
        SpeedFeatures{.thinnest_prediction = 8}, SpeedFeatures{.residual_slack_q4 = 16},
        SpeedFeatures{.prediction_slack_q4 = 48}})
    Check({Picture::kTexture, GetParam(), 15, 2, 2, kAllReferenceModes, 0, speed_features});
}

// Dictionaries of odd sizes, that fill up or never do.
TEST_P(CudaSearchScenes, DictionarySizes) {
  for (const int size : {69, 70, 97, 1024, 5000})
    Check({Picture::kTexture, GetParam(), 15, 3, 3, kAllReferenceModes, 0, {}, size});
}

INSTANTIATE_TEST_SUITE_P(Lambdas, CudaSearchScenes, testing::Values(0, 0.004, 1, 10, 300, 65536));

class CudaSearchConfigurations : public CudaSearchTest {};

TEST_F(CudaSearchConfigurations, ReferenceConfiguration) {
  Check({Picture::kTexture, 10, 8, 2, 2}, AllConfigurations());
}
// No device has room for a cluster of so many blocks.
TEST_F(CudaSearchConfigurations, AClusterThatIsTooLarge) {
  const CudaSearchOptions options = Options(64, true, false);
  int code = 0;
  Must(CodeCapability(&code));
  if (code < 90) GTEST_SKIP() << "the device has no clusters";
  ASSERT_FALSE(IsPossible(options.config));
  Check({Picture::kTexture, 10, 8, 2, 2}, {options});
}
TEST_F(CudaSearchConfigurations, Lossless) {
  Check({Picture::kText, 0, 8, 2, 2}, AllConfigurations());
}
TEST_F(CudaSearchConfigurations, FastPreset) {
  Check({Picture::kText, 10, 8, 3, 2, kAllReferenceModes, 0, PresetSpeedFeatures(Preset::kFast)},
        AllConfigurations());
}
TEST_F(CudaSearchConfigurations, BestPreset) {
  Check({Picture::kTexture, 10, 8, 3, 2, kBestModes, 0, PresetSpeedFeatures(Preset::kBest)},
        AllConfigurations());
}
// The next two are what tools/check-gpu runs under compute-sanitizer: little work, but several
// nodes a block.
TEST_F(CudaSearchConfigurations, OneMacroblock) {
  Check({Picture::kTexture, 10, 15, 1, 1},
        Possible({Options(8, true, true), Options(4, true, false), Options(5, false, true),
                  Options(3, false, false)}));
}
TEST_F(CudaSearchConfigurations, AllNodesOfOneMacroblock) {
  Check({Picture::kTexture, 10, 8, 1, 1},
        Possible({Options(8, true, true), Options(33, false, true), Options(16, false, false)}));
}
// Too many for shared memory: what is asked to be a cluster is a grid.
TEST_F(CudaSearchConfigurations, ManyNodes) {
  Check({Picture::kGradient, 10, 3, 2, 1}, AllConfigurations());
}

// Several at a time on the device; where there are many nodes the cluster is a grid.
TEST_F(CudaSearchConfigurations, SideBySide) {
  std::vector<CudaSearchOptions> configurations =
      Possible({Options(16, true, true), Options(33, false, true), Options(20, false, false)});
  for (CudaSearchOptions& options : configurations) options.side_by_side = true;
  for (const int prediction_level : {8, 3}) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&, prediction_level] {
        Check({Picture::kTexture, 10, prediction_level, 2, 2}, configurations);
      });
    for (std::thread& thread : threads) thread.join();
  }
}

// Many macroblocks at a time, more than there is room for at once among them; with one thread of
// the host and with several.
TEST_F(CudaSearchTest, WaveFronts) {
  CodecParameters parameters = {.dictionary_size = 300, .modes = kBestModes};
  parameters.order = MacroblockOrder::kWavefront;
  const SpeedFeatures speed_features = PresetSpeedFeatures(Preset::kFast);
  const auto cpu = MakeCpuSearch(speed_features, false);
  std::vector<std::unique_ptr<MacroblockSearch>> searches;
  for (const int macroblocks : {1, 2, 3, 32}) {
    CudaSearchOptions options;
    const Result<SearchConfig> config = ChooseConfig(0, 1);
    ASSERT_TRUE(config.ok());
    options.config = *config;
    options.macroblocks = macroblocks;
    options.timing = macroblocks == 3;
    auto search = MakeCudaSearch(options, parameters, speed_features);
    ASSERT_TRUE(search.ok()) << search.status().message();
    searches.push_back(*std::move(search));
  }
  for (const double lambda : {0.0, 20.0}) {
    // The largest fronts have ten macroblocks: more than two searched at a time have memory for.
    const int width = 320, height = 160;
    const Image image = Draw(Picture::kTexture, width, height, 5);
    TileState tile(parameters, width, height);
    Random random(6);
    TaskPool pool(3);
    FrontWalk walk(parameters.order, width, height);
    while (walk.Next()) {
      AddRandomBlockVectors(random, tile);
      std::vector<SearchedMacroblock> expected;
      for (const MacroblockPlace place : walk.front())
        expected.push_back({place, SamplesAt(image, place.y, place.x), {}});
      std::vector<SearchedMacroblock> front = expected;
      const Lambda multiplier{static_cast<int32_t>(lambda * 256)};
      ASSERT_TRUE(cpu->Search(tile, multiplier, expected, pool, {}).ok());
      for (size_t s = 0; s < searches.size(); ++s) {
        TaskPool& threads = s % 2 == 0 ? pool : TaskPool::Alone();
        int done_beside = 0;
        const Status status =
            searches[s]->Search(tile, multiplier, front, threads, [&] { ++done_beside; });
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(done_beside, 1);
        std::set<int> numbers;
        for (int n = 0; n < static_cast<int>(front.size()); ++n) {
          const Result<int> awaited = searches[s]->Await(n);
          ASSERT_TRUE(awaited.ok()) << awaited.status().message();
          numbers.insert(*awaited);
        }
        EXPECT_EQ(numbers.size(), front.size());
        EXPECT_EQ(*numbers.begin(), 0);
        EXPECT_EQ(*numbers.rbegin(), static_cast<int>(front.size()) - 1);
        for (size_t i = 0; i < front.size(); ++i)
          ASSERT_EQ(front[i].symbols, expected[i].symbols)
              << "macroblock at (" << front[i].place.y << ", " << front[i].place.x
              << "): " << FirstDifference(front[i].symbols, expected[i].symbols);
      }
      CodeFront(tile, expected);
    }
  }
}

// One search codes tile after tile: what it kept of the one before must not show.
TEST_F(CudaSearchTest, SeveralTiles) {
  CodecParameters parameters;
  parameters.dictionary_size = 200;
  const auto cpu = MakeCpuSearch({}, false);
  CudaSearchOptions options;
  const Result<SearchConfig> config = ChooseConfig(0, 1);
  ASSERT_TRUE(config.ok());
  options.config = *config;
  auto cuda = MakeCudaSearch(options, parameters, {});
  ASSERT_TRUE(cuda.ok()) << cuda.status().message();
  int tile_number = 0;
  for (const Picture picture : {Picture::kTexture, Picture::kNoise, Picture::kTexture}) {
    SCOPED_TRACE(testing::Message() << "tile " << tile_number);
    const Image image = Draw(picture, 32, 32, 9);
    const Lambda lambda{tile_number++ == 1 ? 0 : 2560};
    TileState tile(parameters, 32, 32);
    for (int y = 0; y < 32; y += 16) {
      for (int x = 0; x < 32; x += 16) {
        MacroblockSymbols symbols, expected;
        const MacroblockSamples original = SamplesAt(image, y, x);
        ASSERT_TRUE(SearchOne(*cpu, tile, lambda, original, y, x, expected).ok());
        ASSERT_TRUE(SearchOne(**cuda, tile, lambda, original, y, x, symbols).ok());
        ASSERT_EQ(symbols, expected)
            << "macroblock at (" << y << ", " << x << "): " << FirstDifference(symbols, expected);
        CodeMacroblock(tile, expected, y, x);
      }
    }
  }
}

TEST_F(CudaSearchTest, CountsWhatItSearched) {
  const Image image = Draw(Picture::kTexture, 16, 16, 1);
  const TileState tile({}, 16, 16);
  CudaSearchOptions options;
  const Result<SearchConfig> config = ChooseConfig(0, 1);
  ASSERT_TRUE(config.ok());
  options.config = *config;
  auto search = MakeCudaSearch(options, {}, {});
  ASSERT_TRUE(search.ok()) << search.status().message();
  MacroblockSymbols symbols;
  ASSERT_TRUE(SearchOne(**search, tile, Lambda{2560}, SamplesAt(image, 0, 0), 0, 0, symbols).ok());
  const SearchStats stats = (*search)->Stats();
  EXPECT_GT(stats.nodes_searched, 10);
  EXPECT_LE(stats.nodes_searched, 661);
  EXPECT_EQ(stats.mode_searches[kMostFrequent], stats.nodes_searched);
  EXPECT_LT(stats.mode_searches[kVertical], stats.nodes_searched);
  EXPECT_GT(stats.blocks_matched, 961);
  EXPECT_GT(stats.multiply_adds, stats.blocks_matched * 69);
}

}  // namespace
}  // namespace mmp::cuda
