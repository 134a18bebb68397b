// The page that decodes in a real browser, against the library.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/training/training.h"
#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "tests/support/browser.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"
#include "tools/inspect/decoded_syntax.h"
#include "tools/inspect/layers.h"
#include "tools/page/page.h"
#include "tools/text/json.h"
#include "tools/web/page_limits.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<uint8_t>;

// A file that the page opens.
struct PageFile {
  std::string name;
  Bytes bytes;
  Bytes dictionary = {};
  bool inspect = false;
};

Bytes FromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Bytes bytes;
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    group = group << 6 | static_cast<uint32_t>(kDigits.find(c));
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<uint8_t>(group >> bits));
  }
  return bytes;
}

// What encodeURIComponent made of a text.
std::string FromUri(std::string_view uri) {
  std::string text;
  for (size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      text += uri[i];
    } else {
      text += static_cast<char>(std::stoi(std::string(uri.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    }
  }
  return text;
}

void WriteFileFields(const PageFile& file, JsonWriter& json) {
  json.Field("name", file.name).Field("file", Base64(file.bytes)).Field("inspect", file.inspect);
  if (!file.dictionary.empty()) json.Field("dictionary", Base64(file.dictionary));
}

// As the page decodes.
DecodeOptions PageOptions(const PageFile& file) {
  DecodeOptions options;
  options.max_pixels = kMaxPagePixels;
  options.max_memory = kMaxPageMemory;
  options.dictionary_file = file.dictionary;
  options.keep_going = true;
  return options;
}

Image ReadPng(const Bytes& bytes) {
  ReadImageOptions options;
  options.max_depth = kMaxDepth;
  auto loaded = ParseImage(bytes, "the page's picture", options);
  if (loaded.ok()) return std::move(loaded->image);
  ADD_FAILURE() << loaded.status().message();
  return {};
}

// With a capital letter and a full stop.
std::string Sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + ".";
}

// 32x32 samples of 12 bits, 1000 + 32 y + x.
Image DeepImage() {
  Image image = Image::OfDepth(12, 32, 32);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) image.SetSample(y, x, 1000 + 32 * y + x);
  return image;
}

Image RandomImage(int depth, int width, int height) {
  Random random(static_cast<uint32_t>(depth));
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.SetSample(y, x, random.Between(0, LargestSample(depth)));
  image.SetSample(0, 0, 0);
  image.SetSample(0, 1, LargestSample(depth));
  return image;
}

Bytes EncodeByPixels(const Image& image, int max_error) {
  EncodeOptions options;
  options.coder = Coder::kPixels;
  options.max_error = max_error;
  return MustEncode(image.View(), options);
}

class WebPage : public testing::Test {
 protected:
  void SetUp() override {
    if (!browser_.found()) GTEST_SKIP() << "Chromium is not installed";
    if (!fs::exists(MMP_WEB_PAGE))
      GTEST_SKIP() << MMP_WEB_PAGE << " is not built (tools/web/build)";
    std::string name = testing::TempDir() + "mmp_web_page_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // Runs a script of browser_pages, behind web.js, in the page, where it finds `data`.
  PageOutcome Run(const std::string& script, const std::string& data, int width = 1280,
                  int height = 900) {
    const std::string page = ReadText(MMP_WEB_PAGE), end = "</body>";
    const size_t at = page.rfind(end);
    const std::string path = folder_ + "/page.html";
    const std::string browser_pages = MMP_TEST_BROWSER;
    EXPECT_TRUE(WriteTextFile(path, page.substr(0, at) +
                                        R"(<script type="application/json" id="test-data">)" +
                                        EscapeJsonForHtml(data) + "</script><script>" +
                                        ReadText(browser_pages + "/web.js") + "</script>" +
                                        page.substr(at))
                    .ok());
    PageOutcome outcome = browser_.Check(path, script, width, height, PageClock::kReal);
    EXPECT_TRUE(outcome.finished);
    EXPECT_GT(outcome.checks, 0);
    EXPECT_EQ(outcome.console, "");
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
    return outcome;
  }

  PageOutcome OpenAll(const std::vector<PageFile>& files) {
    JsonWriter json(JsonLayout::kCompact);
    json.BeginArray();
    for (const PageFile& file : files) {
      json.BeginObject();
      WriteFileFields(file, json);
      json.EndObject();
    }
    return Run("web_files_test.js", json.EndArray().text());
  }

  // The page's picture of each file has the library's samples, and files that the library refuses
  // are refused for the same reason; returns how many were.
  int ExpectSameAsLibrary(const std::vector<PageFile>& files) {
    PageOutcome outcome = OpenAll(files);
    int refused = 0;
    for (size_t i = 0; i < files.size(); ++i) {
      SCOPED_TRACE(files[i].name);
      const std::string index = std::to_string(i);
      const Result<DecodedImage> decoded = Decode(files[i].bytes, PageOptions(files[i]));
      EXPECT_EQ(outcome.values.contains(index + ".png"), decoded.ok());
      const std::string failure = FromUri(outcome.values[index + ".failure"]);
      if (!decoded.ok()) {
        EXPECT_EQ(failure, Sentence(decoded.status().message()));
        ++refused;
        continue;
      }
      const bool has_trailing_bytes = decoded->trailing_bytes > 0;
      EXPECT_EQ(failure.empty(), decoded->damaged_tiles.empty() && !has_trailing_bytes) << failure;
      EXPECT_EQ(failure.find("behind the last tile") != failure.npos, has_trailing_bytes);
      for (const DamagedTile& tile : decoded->damaged_tiles)
        EXPECT_NE(failure.find(tile.reason), failure.npos) << failure;
      EXPECT_EQ(ReadPng(FromBase64(outcome.values[index + ".png"])),
                ReadPng(EncodePng(decoded->image.View())));
    }
    return refused;
  }

  static std::string ReadText(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::vector<PageFile> FilesOf(const std::string& folder, const std::string& extension) {
    std::vector<PageFile> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != extension) continue;
      auto bytes = ReadFile(entry.path().string(), 1 << 24);
      EXPECT_TRUE(bytes.ok());
      files.push_back({entry.path().filename().string(), *std::move(bytes)});
    }
    std::sort(files.begin(), files.end(),
              [](const PageFile& a, const PageFile& b) { return a.name < b.name; });
    return files;
  }

  static std::vector<PageFile> GoldenFiles() {
    return FilesOf(std::string(MMP_TEST_DATA) + "/golden", ".mmp");
  }

  Browser browser_;
  std::string folder_;
};

TEST_F(WebPage, GoldenFiles) {
  const std::vector<PageFile> files = GoldenFiles();
  EXPECT_GE(files.size(), 30u);
  EXPECT_EQ(ExpectSameAsLibrary(files), 0);
}

TEST_F(WebPage, TestImages) {
  std::vector<PageFile> files;
  for (const PageFile& picture : FilesOf(MMP_TEST_IMAGES, ".png")) {
    const Image image = ReadPng(picture.bytes);
    EncodeOptions options;
    options.preset = Preset::kFast;
    options.lambda = 50;
    files.push_back({picture.name + " by patterns", MustEncode(image.View(), options)});
    files.push_back({picture.name + " by pixels", EncodeByPixels(image, 0)});
  }
  EXPECT_EQ(ExpectSameAsLibrary(files), 0);
}

TEST_F(WebPage, EveryDepth) {
  std::vector<PageFile> files;
  for (int depth = 1; depth <= kMaxDepth; ++depth) {
    const Image image = RandomImage(depth, 37, 19);
    const std::string name = std::to_string(depth) + " bits";
    files.push_back({name, EncodeByPixels(image, 0)});
    files.push_back({name + ", near", EncodeByPixels(image, 1)});
    EncodeOptions options;
    options.coder = Coder::kPatterns;
    options.preset = Preset::kFast;
    options.lambda = 100;
    options.tile_width = options.tile_height = 16;
    files.push_back({name + ", patterns", MustEncode(image.View(), options)});
  }
  EXPECT_EQ(ExpectSameAsLibrary(files), 0);
}

// All that the format has; some have the dictionary file that they need beside them.
TEST_F(WebPage, ConformanceFiles) {
  const std::string folder = MMP_TEST_CONFORMANCE;
  std::vector<PageFile> accepted = FilesOf(folder + "/accepted", ".mmp");
  EXPECT_GE(accepted.size(), 50u);
  for (PageFile& file : accepted) {
    fs::path path = folder + "/accepted/" + file.name;
    auto dictionary = ReadFile(path.replace_extension(".mmd").string(), 1 << 20);
    if (dictionary.ok()) file.dictionary = *dictionary;
  }
  EXPECT_EQ(ExpectSameAsLibrary(accepted), 0);
}

// Whatever is in them, and the page goes on: at the end there is a file that it can show.
TEST_F(WebPage, DamagedAndHostileFiles) {
  std::vector<PageFile> files = FilesOf(MMP_TEST_CORPUS, "");
  ASSERT_GT(files.size(), 200u);
  for (PageFile& file : FilesOf(MMP_TEST_CONFORMANCE "/refused", ".mmp"))
    files.push_back(std::move(file));
  files.push_back({"empty.mmp", {}});
  files.push_back({"text.mmp", {'m', 'm', 'p', '?', '\n'}});
  const PageFile golden = GoldenFiles()[0];
  for (const size_t size : {size_t{1}, golden.bytes.size() / 2, golden.bytes.size() - 1})
    files.push_back({"short.mmp", {golden.bytes.begin(), golden.bytes.begin() + size}});
  files.push_back(golden);
  EXPECT_GT(ExpectSameAsLibrary(files), 10);
}

// Refused before any memory is taken: more pixels than the page decodes, and more memory than it
// gives.
TEST_F(WebPage, BeyondTheLimits) {
  FileHeader large;
  large.width = 16384;
  large.height = 8192;
  large.tile_width = large.tile_height = 1024;
  FileHeader greedy = large;
  greedy.width = greedy.height = greedy.tile_width = greedy.tile_height = 4096;
  greedy.parameters.dictionary_size = kMaxDictionarySize;
  std::vector<PageFile> files;
  for (const FileHeader& header : {large, greedy}) {
    const std::vector<EncodedTile> tiles(CountTiles(header), {{1, 2, 3, 4}});
    files.push_back({"limits.mmp", WriteFileBytes(header, tiles)});
    EXPECT_EQ(Decode(files.back().bytes, PageOptions({})).status().code(),
              StatusCode::kLimitExceeded);
  }
  files.push_back(GoldenFiles()[0]);
  EXPECT_EQ(ExpectSameAsLibrary(files), 2);
}

TEST_F(WebPage, DictionaryFile) {
  TrainingOptions training;
  training.patterns = 20;
  training.threads = 2;
  const Image image = Draw(Picture::kTexture, 64, 48, 1);
  const auto dictionary = TrainDictionary({image}, training);
  ASSERT_TRUE(dictionary.ok()) << dictionary.status().message();
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.lambda = 40;
  options.dictionary_file = *dictionary;
  EXPECT_EQ(ExpectSameAsLibrary({{"own.mmp", MustEncode(image.View(), options), *dictionary}}), 0);
}

// What is inside is drawn as `mmp inspect` draws it.
TEST_F(WebPage, LayersOfInspect) {
  std::vector<PageFile> files;
  for (const std::string name : {"natural-40-best.mmp", "natural-100-tiles.mmp", "odd-1x1-10.mmp",
                                 "slide-20-best-fronts.mmp"}) {
    auto bytes = ReadFile(std::string(MMP_TEST_DATA) + "/golden/" + name, 1 << 20);
    ASSERT_TRUE(bytes.ok());
    files.push_back({name, *std::move(bytes), {}, true});
  }
  PageOutcome outcome = OpenAll(files);
  for (size_t i = 0; i < files.size(); ++i) {
    const auto syntax = DecodeSyntax(files[i].bytes);
    ASSERT_TRUE(syntax.ok());
    const Status status = ShowLayers(*syntax, [&](const Layer& layer) -> Status {
      SCOPED_TRACE(files[i].name + " " + layer.name);
      const Bytes expected =
          std::visit([](const auto& picture) { return EncodePng(picture); }, layer.picture);
      EXPECT_EQ(ReadPng(FromBase64(outcome.values[std::to_string(i) + "." + layer.name])),
                ReadPng(expected));
      return {};
    });
    EXPECT_TRUE(status.ok());
  }
}

class WebPageUse : public WebPage {
 protected:
  void ExpectAllHolds(int width, int height) {
    auto tiles = ReadFile(std::string(MMP_TEST_DATA) + "/golden/natural-100-tiles.mmp", 1 << 20);
    auto patterns = ReadFile(std::string(MMP_TEST_DATA) + "/golden/natural-30-fast.mmp", 1 << 20);
    ASSERT_TRUE(tiles.ok() && patterns.ok());
    EncodeOptions two_tiles;
    two_tiles.preset = Preset::kFast;
    two_tiles.tile_width = two_tiles.tile_height = 16;
    Bytes damaged = MustEncode(Draw(Picture::kTexture, 32, 16, 1).View(), two_tiles);
    damaged.back() ^= 1;
    EncodeOptions signed_samples;
    signed_samples.coder = Coder::kPixels;
    signed_samples.max_error = 0;
    signed_samples.is_signed = true;
    const Image long_image = RandomImage(8, 512, 512);
    const std::vector<std::pair<std::string, PageFile>> files = {
        {"deep", {"deep.mmp", EncodeByPixels(DeepImage(), 0)}},
        {"signed", {"signed.mmp", MustEncode(DeepImage().View(), signed_samples)}},
        {"tiles", {"tiles.mmp", *tiles}},
        {"damaged", {"damaged.mmp", damaged}},
        {"hostile", {"<hostile onclick='x'>&amp;.mmp", {'M', 'M', 'P', 0}}},
        {"long", {"long.mmp", EncodeByPixels(long_image, 0)}},
        {"patterns", {"patterns.mmp", *patterns}},
    };
    JsonWriter json(JsonLayout::kCompact);
    json.BeginObject();
    for (const auto& [key, file] : files) {
      json.Key(key).BeginObject();
      WriteFileFields(file, json);
      json.EndObject();
    }
    EXPECT_GT(Run("web_test.js", json.EndObject().text(), width, height).checks, 50);
  }
};

TEST_F(WebPageUse, OnADesktop) { ExpectAllHolds(1280, 900); }

TEST_F(WebPageUse, OnAPhone) { ExpectAllHolds(360, 740); }

}  // namespace
}  // namespace mmp
