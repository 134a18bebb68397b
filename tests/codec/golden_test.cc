// Pinned results: for each case of tests/data/golden/cases.txt the encoder must make exactly the
// file that is kept there, and the decoder exactly the picture that it stood for. A change is
// explained in its commit, and comes with new files: MMP_UPDATE_GOLDEN=1 golden_test
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/crc32c.h"
#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "common/metrics.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

const std::string kFolder = std::string(MMP_TEST_DATA) + "/golden/";

struct Case {
  std::string name, image, preset, order, tile, tools;
  double lambda = 0;
  int dictionary = 0, prediction_level = 0;
  // Pinned.
  size_t bytes = 0;
  uint64_t sum_squared_error = 0;
  uint32_t picture_crc = 0;
};

std::vector<Case> LoadCases() {
  std::ifstream in(kFolder + "cases.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Case c;
    words >> c.name >> c.image >> c.lambda >> c.preset >> c.order >> c.dictionary >>
        c.prediction_level >> c.tile >> c.tools >> c.bytes >> c.sum_squared_error >> std::hex >>
        c.picture_crc;
    if (!words) ADD_FAILURE() << "not a case: " << line;
    cases.push_back(c);
  }
  return cases;
}

EncodeOptions OptionsOf(const Case& c) {
  EncodeOptions options;
  options.lambda = c.lambda;
  options.exact_lambda = true;
  for (const Preset preset : {Preset::kThesis, Preset::kQuick, Preset::kFast, Preset::kBest})
    if (c.preset == PresetName(preset)) options.preset = preset;
  for (const MacroblockOrder order :
       {MacroblockOrder::kAuto, MacroblockOrder::kRaster, MacroblockOrder::kWavefront})
    if (c.order == OrderName(order)) options.order = order;
  if (c.dictionary > 0) options.dictionary_size = c.dictionary;
  if (c.prediction_level >= 0) options.prediction_level = c.prediction_level;
  if (c.tile != "-") {
    options.tile_width = std::stoi(c.tile);
    options.tile_height = std::stoi(c.tile.substr(c.tile.find('x') + 1));
  }
  if (c.tools != "-") options.tools = static_cast<uint32_t>(std::stoul(c.tools, nullptr, 0));
  return options;
}

Image LoadPicture(const Case& c) {
  Result<LoadedImage> loaded = ReadImage(std::string(MMP_TEST_IMAGES) + "/" + c.image, {});
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? std::move(loaded->image) : Image();
}

std::string GoldenPath(const Case& c) { return kFolder + c.name + ".mmp"; }

void Update(std::vector<Case> cases) {
  std::ifstream in(kFolder + "cases.txt");
  std::ostringstream out;
  for (std::string line; std::getline(in, line) && line[0] == '#';) out << line << "\n";
  for (const Case& c : cases) {
    const Image image = LoadPicture(c);
    EncodeStats stats;
    const auto file = Encode(image.View(), OptionsOf(c), &stats);
    ASSERT_TRUE(file.ok()) << file.status().message();
    ASSERT_TRUE(WriteFile(GoldenPath(c), *file).ok());
    const auto decoded = Decode(*file);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    out << c.name << " " << c.image << " " << c.lambda << " " << c.preset << " " << c.order << " "
        << c.dictionary << " " << c.prediction_level << " " << c.tile << " " << c.tools << " "
        << file->size() << " " << stats.sum_squared_error << " " << std::hex
        << Crc32c(decoded->image.pixels()) << std::dec << "\n";
  }
  std::ofstream(kFolder + "cases.txt") << out.str();
}

TEST(GoldenTest, FilesAndPicturesAreThePinnedOnes) {
  const std::vector<Case> cases = LoadCases();
  ASSERT_GE(cases.size(), 10u);
  if (std::getenv("MMP_UPDATE_GOLDEN") != nullptr) return Update(cases);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Image image = LoadPicture(c);
    const auto golden = ReadFile(GoldenPath(c), uint64_t{1} << 20);
    ASSERT_TRUE(golden.ok()) << golden.status().message();
    EXPECT_EQ(golden->size(), c.bytes);

    const auto decoded = Decode(*golden);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(Crc32c(decoded->image.pixels()), c.picture_crc);
    EXPECT_EQ(SumSquaredError(image.View(), decoded->image.View()), c.sum_squared_error);
    if (c.lambda == 0) {
      EXPECT_EQ(c.sum_squared_error, 0u);
    }

    EncodeStats stats;
    const auto file = Encode(image.View(), OptionsOf(c), &stats);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(stats.sum_squared_error, c.sum_squared_error);
    EXPECT_EQ(file->size(), c.bytes);
    EXPECT_TRUE(*file == *golden) << "the encoder makes another file";
  }
}

}  // namespace
}  // namespace mmp
