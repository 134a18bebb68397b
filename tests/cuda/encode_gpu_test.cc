// Whole files: the device's bytes are the CPU's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/training/training.h"
#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "mmp/mmp_cuda.h"
#include "tests/cuda/device.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

using File = std::vector<uint8_t>;

class CudaEncode : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    EnableCuda();
  }

  // By patterns: the pixel coder is the CPU's alone.
  static File EncodeBy(Backend backend, const ImageView& image, EncodeOptions options) {
    options.backend = backend;
    options.coder = Coder::kPatterns;
    EncodeStats stats;
    File file = MustEncode(image, options, &stats);
    EXPECT_EQ(stats.backend, backend);
    return file;
  }

  static void ExpectSameFiles(const ImageView& image, const EncodeOptions& options) {
    SCOPED_TRACE(testing::Message() << image.width << "x" << image.height << ", lambda "
                                    << options.lambda << ", preset " << PresetName(options.preset));
    const File expected = EncodeBy(Backend::kCpu, image, options);
    const File file = EncodeBy(Backend::kCuda, image, options);
    const auto [at, of] = std::mismatch(file.begin(), file.end(), expected.begin(), expected.end());
    ASSERT_TRUE(file == expected) << file.size() << " bytes, not " << expected.size()
                                  << "; they differ from byte " << at - file.begin() << " on";
  }
};

EncodeOptions WithLambda(double lambda, Preset preset = Preset::kThesis) {
  EncodeOptions options;
  options.lambda = lambda;
  options.preset = preset;
  return options;
}

EncodeOptions WithTiles(int width, int height) {
  EncodeOptions options;
  options.tile_width = width;
  options.tile_height = height;
  return options;
}

// The folder of the test images; tools/check-gpu says where it is on this machine.
std::filesystem::path ImageFolder() {
  const char* named = std::getenv("MMP_TEST_IMAGES");
  return named != nullptr ? named : MMP_TEST_IMAGES;
}

std::vector<std::string> ImageNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ImageFolder()))
    if (entry.path().extension() == ".png") names.push_back(entry.path().stem());
  std::ranges::sort(names);
  return names;
}

// The bytes of a dictionary file.
const File& OwnDictionary() {
  static const File file = [] {
    TrainingOptions options;
    options.patterns = 60;
    options.rounds = 1;
    auto trained = TrainDictionary({Draw(Picture::kTexture, 64, 64, 1)}, options);
    EXPECT_TRUE(trained.ok()) << trained.status().message();
    return trained.ok() ? *std::move(trained) : File();
  }();
  return file;
}

class CudaEncodeImages : public CudaEncode, public testing::WithParamInterface<std::string> {
 protected:
  static void ExpectSameFilesBy(Preset preset) {
    const auto loaded = ReadImage(ImageFolder() / (GetParam() + ".png"));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    for (const double lambda : {0.0, 10.0, 100.0})
      ExpectSameFiles(loaded->image.View(), WithLambda(lambda, preset));
  }
};

TEST_P(CudaEncodeImages, Thesis) { ExpectSameFilesBy(Preset::kThesis); }
TEST_P(CudaEncodeImages, Fast) { ExpectSameFilesBy(Preset::kFast); }
TEST_P(CudaEncodeImages, Best) { ExpectSameFilesBy(Preset::kBest); }

INSTANTIATE_TEST_SUITE_P(TestImages, CudaEncodeImages, testing::ValuesIn(ImageNames()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(CudaEncode, TileLayouts) {
  const Image image = Draw(Picture::kTexture, 100, 77, 4);
  for (const auto& [width, height] :
       {std::pair(16, 16), {32, 16}, {16, 80}, {112, 16}, {48, 48}, {128, 128}})
    ExpectSameFiles(image.View(), WithTiles(width, height));
}

TEST_F(CudaEncode, BestTiles) {
  const Image image = Draw(Picture::kTexture, 100, 77, 4);
  for (const int tile : {16, 48}) {
    EncodeOptions options = WithTiles(tile, tile);
    options.preset = Preset::kBest;
    ExpectSameFiles(image.View(), options);
  }
}

// Sides just below, at and above whole macroblocks.
TEST_F(CudaEncode, ImageSizes) {
  for (const int height : {1, 15, 16, 17, 33})
    for (const int width : {1, 2, 16, 31, 32, 49})
      ExpectSameFiles(Draw(Picture::kText, width, height, 2).View(), {});
}

TEST_F(CudaEncode, DictionarySizes) {
  const Image image = Draw(Picture::kTexture, 96, 64, 3);
  for (const int size : {69, 70, 1024, 5000, 65536}) {
    for (const double lambda : {0.0, 10.0}) {
      EncodeOptions options = WithLambda(lambda);
      options.dictionary_size = size;
      ExpectSameFiles(image.View(), options);
    }
  }
}

TEST_F(CudaEncode, PredictionLevels) {
  const Image image = Draw(Picture::kTexture, 48, 32, 6);
  for (int level = 0; level <= kLevels; ++level) {
    EncodeOptions options;
    options.prediction_level = level;
    ExpectSameFiles(image.View(), options);
  }
}

TEST_F(CudaEncode, Modes) {
  const Image image = Draw(Picture::kTexture, 48, 32, 6);
  EncodeOptions options;
  for (int mode = 0; mode < kModes; ++mode) {
    options.modes = 1u << mode;
    ExpectSameFiles(image.View(), options);
  }
  for (const uint32_t modes : {0x3f0u, 0x1fffffu, 0x7fffffffu}) {
    options.modes = modes;
    ExpectSameFiles(image.View(), options);
  }
}

// None, each alone, all but each, and others at random: there are too many sets of tools for all.
TEST_F(CudaEncode, Tools) {
  const Image image = Draw(Picture::kTexture, 64, 48, 7);
  const uint32_t all = kAllTools & ~kOwnDictionary;  // below
  std::vector<uint32_t> sets = {0, all};
  for (uint32_t tool = 1; tool <= all; tool <<= 1) {
    if ((all & tool) == 0) continue;
    sets.push_back(tool);
    sets.push_back(all & ~tool);
  }
  Random random(21);
  for (int i = 0; i < 100; ++i) sets.push_back(random.Bits() & all);
  for (const uint32_t tools : sets) {
    for (const Preset preset : {Preset::kThesis, Preset::kFast, Preset::kBest}) {
      EncodeOptions options = WithLambda(20, preset);
      options.tools = tools;
      ExpectSameFiles(image.View(), options);
    }
  }
}

TEST_F(CudaEncode, OwnDictionary) {
  for (const int size : {69, 100, 1024}) {
    for (const double lambda : {0.0, 30.0}) {
      EncodeOptions options = WithLambda(lambda, Preset::kBest);
      options.dictionary_file = OwnDictionary();
      options.dictionary_size = size;
      ExpectSameFiles(Draw(Picture::kTexture, 64, 48, 2).View(), options);
    }
  }
}

// All options at once, at random.
TEST_F(CudaEncode, RandomOptions) {
  Random random(20);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    EncodeOptions options;
    options.preset = std::array{Preset::kThesis, Preset::kFast, Preset::kBest}[random.Below(3)];
    options.lambda = random.OneIn(4) ? 0 : random.Between(1, 40000) / 256.0;
    options.exact_lambda = random.OneIn(2);
    if (random.OneIn(2)) options.dictionary_size = random.Between(69, 2000);
    if (random.OneIn(2)) options.prediction_level = random.Between(0, kLevels);
    if (random.OneIn(2)) options.modes = (random.Bits() & kAllModes) | 1;
    if (random.OneIn(2)) options.tools = random.Bits() & kAllTools;
    if (random.OneIn(4)) options.dictionary_file = OwnDictionary();
    if (random.OneIn(4)) options.tile_width = options.tile_height = 16 * random.Between(1, 3);
    const Picture picture = kAllPictures[random.Below(std::size(kAllPictures))];
    const int width = random.Between(1, 70), height = random.Between(1, 70);
    ExpectSameFiles(Draw(picture, width, height, random.Bits()).View(), options);
  }
}

TEST_F(CudaEncode, Lambdas) {
  const Image image = Draw(Picture::kTexture, 48, 48, 8);
  for (const double lambda : {0.001, 0.5, 1.0, 3.0, 30.0, 1000.0, 65536.0})
    ExpectSameFiles(image.View(), WithLambda(lambda));
}

TEST_F(CudaEncode, TwiceTheSame) {
  const Image image = Draw(Picture::kTexture, 128, 96, 1);
  for (const int tile : {0, 32}) {
    const EncodeOptions options = WithTiles(tile, tile);
    const File first = EncodeBy(Backend::kCuda, image.View(), options);
    for (int round = 0; round < 4; ++round)
      EXPECT_TRUE(EncodeBy(Backend::kCuda, image.View(), options) == first);
  }
}

// Two encodes in threads of their own, each of several tiles.
TEST_F(CudaEncode, SideBySide) {
  const Image images[] = {Draw(Picture::kTexture, 128, 96, 1), Draw(Picture::kText, 96, 128, 2)};
  const EncodeOptions options = WithTiles(32, 32);
  File expected[2], files[2];
  for (int k = 0; k < 2; ++k) expected[k] = EncodeBy(Backend::kCpu, images[k].View(), options);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; ++k)
      threads.emplace_back(
          [&, k] { files[k] = EncodeBy(Backend::kCuda, images[k].View(), options); });
    for (std::thread& thread : threads) thread.join();
    for (int k = 0; k < 2; ++k) EXPECT_TRUE(files[k] == expected[k]) << "image " << k;
  }
}

// Encodes in threads of their own that need different amounts of the multiprocessors' memory.
TEST_F(CudaEncode, DifferentPresetsSideBySide) {
  const Image image = Draw(Picture::kTexture, 96, 64, 5);
  std::vector<EncodeOptions> options;
  for (const Preset preset : {Preset::kThesis, Preset::kFast, Preset::kBest})
    options.push_back(WithLambda(20, preset));
  for (const int level : {0, 15, 25}) {
    options.push_back(WithLambda(20));
    options.back().prediction_level = level;
  }
  const size_t count = options.size();
  std::vector<File> expected(count), files(count);
  for (size_t k = 0; k < count; ++k)
    expected[k] = EncodeBy(Backend::kCpu, image.View(), options[k]);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (size_t k = 0; k < count; ++k)
      threads.emplace_back(
          [&, k] { files[k] = EncodeBy(Backend::kCuda, image.View(), options[k]); });
    for (std::thread& thread : threads) thread.join();
    for (size_t k = 0; k < count; ++k) EXPECT_TRUE(files[k] == expected[k]) << "encode " << k;
  }
}

TEST_F(CudaEncode, TimesStages) {
  const Image image = Draw(Picture::kTexture, 48, 32, 1);
  EncodeOptions options = WithLambda(10);
  const File file = EncodeBy(Backend::kCuda, image.View(), options);
  options.time_stages = true;
  options.backend = Backend::kCuda;
  options.coder = Coder::kPatterns;
  EncodeStats stats;
  EXPECT_TRUE(MustEncode(image.View(), options, &stats) == file);
  EXPECT_GT(stats.seconds_device, 0);
  EXPECT_GT(stats.seconds_costs, 0);
  EXPECT_LT(stats.seconds_device + stats.seconds_costs, stats.seconds_total);
  options.time_stages = false;
  EXPECT_TRUE(MustEncode(image.View(), options, &stats) == file);
  EXPECT_EQ(stats.seconds_device, 0);
  EXPECT_EQ(stats.seconds_costs, 0);
}

// kAuto takes the device.
TEST_F(CudaEncode, AutomaticBackend) {
  const Image image = Draw(Picture::kTexture, 32, 32, 1);
  EncodeStats stats;
  MustEncode(image.View(), {}, &stats);
  EXPECT_EQ(stats.backend, Backend::kCuda);
  EXPECT_EQ(stats.backend_note, "");
  EXPECT_GT(stats.nodes_searched, 0);
}

TEST_F(CudaEncode, DecodesToWhatTheEncoderSaw) {
  const Image image = Draw(Picture::kTexture, 80, 48, 5);
  const Result<DecodedImage> decoded =
      Decode(EncodeBy(Backend::kCuda, image.View(), WithLambda(0)));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_TRUE(decoded->image == image);
}

}  // namespace
}  // namespace mmp::cuda
