// The whole program, run as a user would.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "tests/support/subprocess.h"
#include "tools/command_line/exit_code.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr int kSuccess = static_cast<int>(ExitCode::kSuccess);
constexpr int kFailure = static_cast<int>(ExitCode::kFailure);
constexpr int kUsage = static_cast<int>(ExitCode::kUsage);
constexpr int kNotAcceptable = static_cast<int>(ExitCode::kNotAcceptable);
constexpr int kDamaged = static_cast<int>(ExitCode::kDamaged);
constexpr int kNoBackend = static_cast<int>(ExitCode::kNoBackend);
constexpr int kIncomplete = static_cast<int>(ExitCode::kIncomplete);
[[maybe_unused]] constexpr int kOutOfMemory = static_cast<int>(ExitCode::kOutOfMemory);

constexpr char kSmallImage[] = MMP_TEST_IMAGES "/odd-33x31.png";
constexpr char kTinyImage[] = MMP_TEST_IMAGES "/odd-1x1.png";
constexpr char kLargeImage[] = MMP_TEST_IMAGES "/natural.png";

Outcome Mmp(std::vector<std::string> arguments, Streams streams = {}) {
  arguments.insert(arguments.begin(), MMP_PROGRAM);
  return RunProgram(arguments, std::move(streams));
}

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteText(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Image Pixels(const std::string& path) {
  Result<LoadedImage> loaded = ReadImage(path);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? std::move(loaded->image) : Image();
}

// A binary PGM file of the large image's middle.
std::string Crop(int size) {
  const Image image = Pixels(kLargeImage);
  const std::vector<uint8_t> bytes = EncodePgm(
      image.View().Crop((image.width() - size) / 2, (image.height() - size) / 2, size, size));
  return {bytes.begin(), bytes.end()};
}

// A PNG file of 16-bit gray samples.
std::string Png16(int width, int height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_LINEAR_Y;
  const std::vector<uint16_t> samples(static_cast<size_t>(width) * height, 30000);
  std::string bytes(4096, '\0');
  png_alloc_size_t size = bytes.size();
  EXPECT_NE(png_image_write_to_memory(&image, bytes.data(), &size, 0, samples.data(), 0, nullptr),
            0);
  bytes.resize(size);
  return bytes;
}

Json ParseJson(const std::string& text) {
  const std::optional<Json> json = ReadJson(text);
  EXPECT_TRUE(json) << text;
  return json.value_or(Json());
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mmp_cli_test_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string Path(const std::string& name) const { return folder_ / name; }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    return names;
  }

  // Encodes and expects success.
  void Encode(const std::string& input, const std::string& output,
              const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"encode", input, "-o", output};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = Mmp(arguments);
    ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  }

  fs::path folder_;
};

// Expects that the program failed as it should: nothing on stdout, one message on stderr.
void ExpectError(const Outcome& outcome, int exit_code, const std::string& message) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

// Results

TEST_F(Cli, RoundTripWithDefaultNames) {
  fs::copy(kSmallImage, Path("a.png"));
  const Outcome encode = Mmp({"encode", Path("a.png")});
  EXPECT_EQ(encode.exit_code, kSuccess);
  EXPECT_EQ(encode.err, "");
  EXPECT_TRUE(encode.out.starts_with(Path("a.mmp") + ": 33x31, ")) << encode.out;

  fs::remove(Path("a.png"));
  EXPECT_EQ(Mmp({"decode", Path("a.mmp")}).exit_code, kSuccess);
  const Outcome compare = Mmp({"compare", "--json", kSmallImage, Path("a.png")});
  EXPECT_EQ(compare.exit_code, kSuccess);
  const Json difference = ParseJson(compare.out);
  EXPECT_GT(difference["psnr"].number, 30);
  EXPECT_GT(difference["max_difference"].number, 0);
}

TEST_F(Cli, LambdaZeroIsLossless) {
  Encode(kSmallImage, Path("a.mmp"), {"--lambda", "0", "--verify"});
  const Outcome outcome = Mmp({"compare", kSmallImage, Path("a.mmp")});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.out.find("PSNR                inf"), std::string::npos) << outcome.out;
  const Json difference = ParseJson(Mmp({"compare", "--json", kSmallImage, Path("a.mmp")}).out);
  EXPECT_EQ(difference["mse"].number, 0);
  EXPECT_EQ(difference["psnr"].type, Json::Type::kNull);
  EXPECT_EQ(difference["ssim"].number, 1);
  EXPECT_EQ(difference["max_difference"].number, 0);
  EXPECT_TRUE(ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out)["lossless"].truth);
}

TEST_F(Cli, EveryOptionOfEncodeGivesAFileThatDecodes) {
  const std::vector<std::vector<std::string>> cases = {
      {"--preset", "fast"},
      {"--dictionary", "69"},
      {"--prediction-level", "15"},
      {"--prediction-level", "none"},
      {"--modes", "all"},
      {"--modes", "0,1,2,9"},
      {"--modes",
       "vertical,horizontal,mfv,down-left,down-right,vertical-right,horizontal-down,"
       "vertical-left,horizontal-up,lsp"},
      {"--tile", "16x16"},
      {"--order", "auto"},
      {"--order", "raster"},
      {"--order", "wavefront"},
      {"--threads", "2"},
      {"--backend", "cpu"},
      {"--lambda", "65536"},
      {"--exact-lambda", "--preset", "fast"},
      {"--target-size", "0.1KiB"},
      {"--verify", "--stats", "--depth8"},
  };
  WriteText(Path("crop.pgm"), Crop(20));
  for (const std::vector<std::string>& options : cases) {
    SCOPED_TRACE(options.back());
    Encode(Path("crop.pgm"), Path("a.mmp"), options);
    EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.pgm")}).exit_code, kSuccess);
    EXPECT_EQ(Pixels(Path("a.pgm")).width(), 20);
  }
}

TEST_F(Cli, InfoSaysWhatTheFileWasMadeWith) {
  Encode(kSmallImage, Path("a.mmp"),
         {"--dictionary", "300", "--prediction-level", "3", "--modes", "0,lsp", "--tile", "16x16"});
  const Json info = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out);
  EXPECT_EQ(info["width"].number, 33);
  EXPECT_EQ(info["height"].number, 31);
  EXPECT_EQ(info["bytes"].number, static_cast<double>(fs::file_size(Path("a.mmp"))));
  EXPECT_EQ(info["dictionary_size"].number, 300);
  EXPECT_EQ(info["prediction_level"].text, "3");
  EXPECT_EQ(info["modes"].text, "vertical,mfv,lsp");
  EXPECT_EQ(info["tiles"].items.size(), 6u);
  EXPECT_EQ(info["format_version"].number, 6);

  const Outcome text = Mmp({"info", Path("a.mmp")});
  EXPECT_EQ(text.exit_code, kSuccess);
  EXPECT_NE(text.out.find("33x31"), std::string::npos) << text.out;
}

// A comment of a PNG file, to an .mmp file and back, listed and left out.
TEST_F(Cli, MetadataComeBack) {
  const Metadata metadata = {{static_cast<uint8_t>(MetadataKind::kXmp), {'<', 'x', '/', '>'}},
                             Resolution{Resolution::Unit::kMetre, 11811, 1, 11811, 1}.ToChunk()};
  const Image image = Pixels(kSmallImage);
  ASSERT_TRUE(WriteImage(Path("a.png"), image.View(), std::nullopt, {metadata, false}).ok());
  Encode(Path("a.png"), Path("a.mmp"));
  const Json info = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out);
  ASSERT_EQ(info["metadata"].items.size(), 2u);
  EXPECT_EQ(info["metadata"].items[1]["name"].text, "xmp");
  EXPECT_EQ(info["damaged_metadata"].number, 0);
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("pixels an inch"), std::string::npos);
  for (const char* name : {"b.png", "b.tif"}) {
    ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path(name)}).exit_code, kSuccess);
    EXPECT_EQ(ReadImage(Path(name))->metadata.size(), 2u) << name;
  }
  const Outcome pgm = Mmp({"decode", Path("a.mmp"), "-o", Path("b.pgm")});
  EXPECT_EQ(pgm.exit_code, kSuccess);
  EXPECT_NE(pgm.err.find("has no place: resolution, xmp"), std::string::npos) << pgm.err;
  ASSERT_EQ(Mmp({"decode", "--strip", Path("a.mmp"), "-o", Path("c.png")}).exit_code, kSuccess);
  EXPECT_TRUE(ReadImage(Path("c.png"))->metadata.empty());
  Encode(Path("a.png"), Path("c.mmp"), {"--strip"});
  EXPECT_EQ(ParseJson(Mmp({"info", "--json", Path("c.mmp")}).out)["metadata"].items.size(), 0u);

  // Damaged, they are missing, and nothing else is.
  std::vector<uint8_t> file = *ReadFile(Path("a.mmp"), 1 << 20);
  const std::string_view xmp = "<x/>";
  *std::search(file.begin(), file.end(), xmp.begin(), xmp.end()) = '[';
  ASSERT_TRUE(WriteFile(Path("d.mmp"), file).ok());
  const Outcome damaged = Mmp({"decode", Path("d.mmp"), "-o", Path("d.png")});
  EXPECT_EQ(damaged.exit_code, kIncomplete);
  EXPECT_NE(damaged.err.find("the image is whole"), std::string::npos) << damaged.err;
  EXPECT_EQ(Pixels(Path("d.png")), Pixels(Path("b.png")));
  EXPECT_EQ(ReadImage(Path("d.png"))->metadata.size(), 1u);
}

TEST_F(Cli, SignedSamplesComeBackAsTiff) {
  const Image image = Pixels(kSmallImage);
  ASSERT_TRUE(WriteImage(Path("a.tif"), image.View(), std::nullopt, {{}, true}).ok());
  Encode(Path("a.tif"), Path("a.mmp"), {"--lambda", "0"});
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("8, signed"), std::string::npos);
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.tif")}).exit_code, kSuccess);
  EXPECT_EQ(*ReadFile(Path("b.tif"), 1 << 20), *ReadFile(Path("a.tif"), 1 << 20));
  const Outcome png = Mmp({"decode", Path("a.mmp"), "-o", Path("b.png")});
  EXPECT_EQ(png.exit_code, kUsage);
  EXPECT_NE(png.err.find("use .tif"), std::string::npos) << png.err;
  EXPECT_FALSE(fs::exists(Path("b.png")));
}

TEST_F(Cli, InfoSaysTheOrder) {
  for (const std::string order : {"raster", "wavefront"}) {
    Encode(kSmallImage, Path(order + ".mmp"), {"--order", order});
    EXPECT_EQ(ParseJson(Mmp({"info", "--json", Path(order + ".mmp")}).out)["order"].text, order);
    const Outcome text = Mmp({"info", Path(order + ".mmp")});
    EXPECT_NE(text.out.find("order                 " + order + "\n"), std::string::npos)
        << text.out;
  }
}

TEST_F(Cli, ATrainedDictionaryIsNeededForDecoding) {
  const std::string dictionary = Path("d.mmd"), file = Path("a.mmp"), picture = Path("a.pgm");
  const Outcome train = Mmp({"train", kSmallImage, "-o", dictionary, "--rounds", "1"});
  ASSERT_EQ(train.exit_code, kSuccess) << train.err;
  Encode(kSmallImage, file, {"--dictionary-file", dictionary, "--verify"});
  const std::vector<std::string> decode = {"decode", file, "-o", picture};
  ExpectError(Mmp(decode), kNotAcceptable, "dictionary");
  const Outcome decoded = Mmp({"decode", file, "-o", picture, "--dictionary-file", dictionary});
  EXPECT_EQ(decoded.exit_code, kSuccess) << decoded.err;
  EXPECT_EQ(Pixels(picture).width(), Pixels(kSmallImage).width());
  ExpectError(Mmp({"inspect", file, "--json"}), kNotAcceptable, "dictionary");
  EXPECT_EQ(Mmp({"inspect", file, "--json", "--dictionary-file", dictionary}).exit_code, kSuccess);
  ExpectError(Mmp({"compare", kSmallImage, file}), kNotAcceptable, "dictionary");
  EXPECT_NE(Mmp({"compare", picture, file, "--dictionary-file", dictionary}).out.find("inf dB"),
            std::string::npos);
  ExpectError(Mmp({"encode", kSmallImage, "-o", file, "--dictionary-file", kSmallImage}),
              kNotAcceptable, "not a dictionary file");
}

TEST_F(Cli, InspectDrawsAFolderOfPictures) {
  ASSERT_EQ(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--tile", "16x32"}).exit_code,
            kSuccess);
  const Outcome outcome = Mmp({"inspect", Path("a.mmp"), "-o", Path("deep/look")});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(outcome.out, Path("deep/look/index.html") + "\n");
  for (const char* name : {"decoded", "prediction", "residual", "segmentation", "modes", "bits",
                           "dictionary-0", "dictionary-1", "dictionary-2"}) {
    EXPECT_GT(Pixels(Path("deep/look/") + name + ".png").width(), 0) << name;
  }
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.png")}).exit_code, kSuccess);
  EXPECT_EQ(Pixels(Path("deep/look/decoded.png")), Pixels(Path("a.png")));
  EXPECT_NE(ReadText(Path("deep/look/index.html")).find("</html>"), std::string::npos);
}

TEST_F(Cli, InspectDrawsTheFilter) {
  ASSERT_EQ(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--preset", "best"}).exit_code,
            kSuccess);
  ASSERT_EQ(Mmp({"inspect", Path("a.mmp"), "-o", Path("look")}).exit_code, kSuccess);
  const std::string page = ReadText(Path("look/index.html"));
  for (const char* name : {"unfiltered.png", "filter.png"}) {
    EXPECT_EQ(Pixels(Path("look/") + name).width(), Pixels(kSmallImage).width()) << name;
    EXPECT_NE(page.find(name), std::string::npos) << name;
  }
}

TEST_F(Cli, InspectPrintsTheSyntax) {
  ASSERT_EQ(Mmp({"encode", kTinyImage, "-o", Path("a.mmp"), "--coder", "patterns"}).exit_code,
            kSuccess);
  const Outcome outcome = Mmp({"inspect", "-", "--json"}, {.input = ReadText(Path("a.mmp"))});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const std::optional<Json> json = ReadJson(outcome.out);
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["tiles"].items[0]["macroblocks"].items.size(), 1u);
}

TEST_F(Cli, InspectFailsWithAReason) {
  EXPECT_EQ(Mmp({"inspect", Path("absent.mmp"), "--json"}).exit_code, kFailure);
  WriteText(Path("bad.mmp"), "MMP");
  EXPECT_EQ(Mmp({"inspect", Path("bad.mmp"), "-o", Path("look")}).exit_code, kDamaged);
  EXPECT_FALSE(fs::exists(Path("look")));
  ASSERT_EQ(Mmp({"encode", kTinyImage, "-o", Path("a.mmp"), "--coder", "patterns"}).exit_code,
            kSuccess);
  EXPECT_EQ(Mmp({"inspect", Path("a.mmp")}).exit_code, kUsage);
  const Outcome outcome = Mmp({"inspect", Path("a.mmp"), "-o", Path("a.mmp")});
  EXPECT_EQ(outcome.exit_code, kFailure);
  EXPECT_NE(outcome.err.find("cannot make the folder"), std::string::npos) << outcome.err;
}

TEST_F(Cli, StandardInputAndOutput) {
  const std::string pgm = Crop(24);
  const Outcome encode = Mmp({"encode", "-", "--lambda", "0"}, {.input = pgm});
  ASSERT_EQ(encode.exit_code, kSuccess) << encode.err;
  EXPECT_TRUE(encode.err.starts_with("standard output: 24x24, ")) << encode.err;
  const Outcome decode = Mmp({"decode", "-", "--format", "pgm"}, {.input = encode.out});
  EXPECT_EQ(decode.exit_code, kSuccess) << decode.err;
  EXPECT_TRUE(decode.out == pgm);
  EXPECT_TRUE(Mmp({"decode", "-"}, {.input = encode.out}).out.starts_with("\x89PNG"));
  EXPECT_NE(Mmp({"info", "-"}, {.input = encode.out}).out.find("24x24"), std::string::npos);
  WriteText(Path("a.pgm"), pgm);
  EXPECT_EQ(
      ParseJson(Mmp({"compare", "-", Path("a.pgm"), "--json"}, {.input = encode.out}).out)["mse"]
          .number,
      0);
}

TEST_F(Cli, SeveralFilesGoToAFolder) {
  const std::vector<std::string> names = {"odd-33x31", "odd-17x1", "odd-1x1", "odd-65x3"};
  std::vector<std::string> encode = {"encode", "-o", Path("new/coded"), "--lambda", "0"};
  std::vector<std::string> decode = {"decode", "-o", Path("decoded"), "--threads", "2"};
  for (const std::string& name : names) {
    encode.push_back(MMP_TEST_IMAGES "/" + name + ".png");
    decode.push_back(Path("new/coded/" + name + ".mmp"));
  }
  EXPECT_EQ(Mmp(encode).exit_code, kSuccess);
  EXPECT_EQ(Mmp(decode).exit_code, kSuccess);
  for (const std::string& name : names) {
    EXPECT_EQ(Pixels(Path("decoded/" + name + ".png")),
              Pixels(MMP_TEST_IMAGES "/" + name + ".png"));
  }
}

TEST_F(Cli, OneFailureDoesNotStopTheOthers) {
  WriteText(Path("text.png"), "This is not a picture.");
  const Outcome outcome = Mmp({"encode", "-o", Path("out"), kTinyImage, Path("text.png"),
                               Path("missing.png"), kSmallImage});
  EXPECT_EQ(outcome.exit_code, kNotAcceptable);
  EXPECT_NE(outcome.err.find("text.png"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("missing.png"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("out/odd-1x1.mmp")));
  EXPECT_TRUE(fs::exists(Path("out/odd-33x31.mmp")));
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 2);
}

// Several files make the same bytes as each alone; a report each, in the order of the inputs.
TEST_F(Cli, ABatchIsItsFilesOneByOne) {
  const std::vector<std::string> names = {"odd-33x31", "text", "odd-17x1", "odd-65x3"};
  WriteText(Path("text.png"), "This is not a picture.");
  std::vector<std::string> batch = {"encode",   "-o",        Path("out"), "--tile",  "16x16",
                                    "--verify", "--threads", "2",         "--stats", "--json"};
  for (const std::string& name : names)
    batch.push_back(name == "text" ? Path("text.png") : MMP_TEST_IMAGES "/" + name + ".png");
  const Outcome outcome = Mmp(batch);
  EXPECT_EQ(outcome.exit_code, kNotAcceptable);
  const Json reports = ParseJson(outcome.out);
  ASSERT_EQ(reports.items.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const Json& report = reports.items[i];
    SCOPED_TRACE(names[i]);
    EXPECT_NE(report["input"].text.find(names[i]), std::string::npos) << outcome.out;
    if (names[i] == "text") {
      EXPECT_NE(report["error"].text.find("text.png"), std::string::npos) << outcome.out;
      continue;
    }
    Encode(MMP_TEST_IMAGES "/" + names[i] + ".png", Path("alone.mmp"), {"--tile", "16x16"});
    const std::string file = ReadText(Path("out/" + names[i] + ".mmp"));
    EXPECT_TRUE(file == ReadText(Path("alone.mmp")));
    EXPECT_EQ(report["bytes"].number, static_cast<double>(file.size()));
    EXPECT_GT(report["stats"]["seconds"].number, 0);
    EXPECT_GT(report["stats"]["thread_seconds"]["matching"].number, 0);
  }
}

TEST_F(Cli, ABatchPrintsAReportForEachFile) {
  const Outcome outcome = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("out"), "--stats"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  for (const char* part : {"odd-1x1.mmp: 1x1, ", "odd-33x31.mmp: 33x31, "})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
  const size_t first = outcome.out.find("partitions");
  EXPECT_NE(outcome.out.find("partitions", first + 1), std::string::npos) << outcome.out;
}

TEST_F(Cli, TargetsOfSeveralFiles) {
  WriteText(Path("a.pgm"), Crop(16));
  WriteText(Path("b.pgm"), Crop(24));
  const Outcome outcome = Mmp({"encode", Path("a.pgm"), Path("b.pgm"), Path("missing.pgm"), "-o",
                               Path("out"), "--target-psnr", "32", "--json"});
  EXPECT_EQ(outcome.exit_code, kFailure);
  const Json reports = ParseJson(outcome.out);
  ASSERT_EQ(reports.items.size(), 3u);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(reports.items[i]["target_met"].truth) << outcome.out;
  EXPECT_NE(reports.items[2]["error"].text, "");
}

// Until the first file is written, nobody gives the second input, a pipe, its image.
TEST_F(Cli, ImagesOfABatchAreReadWhenTheirTurnComes) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  Subprocess encode({MMP_PROGRAM, "encode", kSmallImage, Path("pipe"), "-o", Path("out"),
                     "--threads", "1", "--backend", "cpu"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!fs::exists(Path("out/odd-33x31.mmp")) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(fs::exists(Path("out/odd-33x31.mmp")));
  std::ofstream(Path("pipe"), std::ios::binary) << Crop(24);
  const Outcome outcome = encode.Wait();
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("out/pipe.mmp")));
}

TEST_F(Cli, TargetPsnrIsMetClosely) {
  WriteText(Path("a.pgm"), Crop(80));
  const Outcome outcome =
      Mmp({"encode", Path("a.pgm"), "--preset", "fast", "--target-psnr", "36", "--json"});
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Json report = ParseJson(outcome.out);
  EXPECT_TRUE(report["target_met"].truth);
  EXPECT_GE(report["psnr"].number, 36);
  EXPECT_LE(report["psnr"].number, 36.25);
  EXPECT_GE(report["trials"].items.size(), 1u);
  EXPECT_LE(report["trials"].items.size(), 32u);  // on so small an image chance decides
  const Json difference = ParseJson(Mmp({"compare", "--json", Path("a.pgm"), Path("a.mmp")}).out);
  EXPECT_NEAR(difference["psnr"].number, report["psnr"].number, 1e-9);
}

TEST_F(Cli, TargetRateIsMetClosely) {
  WriteText(Path("a.pgm"), Crop(40));
  ASSERT_EQ(Mmp({"encode", Path("a.pgm"), "--preset", "fast", "--target-bpp", "1"}).exit_code,
            kSuccess);
  const double limit = 40.0 * 40 / 8;  // bytes
  EXPECT_LE(static_cast<double>(fs::file_size(Path("a.mmp"))), limit);
  EXPECT_GE(static_cast<double>(fs::file_size(Path("a.mmp"))), 0.95 * limit);
}

TEST_F(Cli, ASizeAboveTheLosslessOneIsMetLosslessly) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--target-size", "1MB", "--verify"});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.out.find("lossless"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("note: "), std::string::npos) << outcome.err;
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.png")}).exit_code, kSuccess);
  EXPECT_EQ(Pixels(Path("a.png")), Pixels(kSmallImage));
}

TEST_F(Cli, TextIsCodedLosslesslyUnlessLambdaIsExact) {
  const std::string text = MMP_TEST_IMAGES "/text.png";
  const auto encode = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"encode", text, "-o", Path("a.mmp"), "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ParseJson(Mmp(arguments).out);
  };
  const Json free = encode({"--preset", "fast", "--lambda", "0.25"});
  const Json exact = encode({"--preset", "fast", "--lambda", "0.25", "--exact-lambda"});
  EXPECT_EQ(free["lambda"].number, 0);
  EXPECT_GE(free["stats"]["tries"].number, 3);  // lossless by either coder
  EXPECT_EQ(exact["lambda"].number, 0.25);
  EXPECT_LE(free["bytes"].number, exact["bytes"].number);
}

TEST_F(Cli, TargetOutOfReachGivesTheClosestAndACode) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--target-bpp", "0.001"});
  EXPECT_EQ(outcome.exit_code, kIncomplete);
  EXPECT_TRUE(outcome.err.starts_with("mmp: warning: ")) << outcome.err;
  EXPECT_EQ(Mmp({"info", Path("a.mmp")}).exit_code, kSuccess);
}

TEST_F(Cli, StatisticsAddUp) {
  const Outcome outcome = Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--json"});
  const Json report = ParseJson(outcome.out);
  const Json& stats = report["stats"];
  EXPECT_EQ(stats["macroblocks"].number, 6);
  EXPECT_EQ(stats["mode_uses"].items.size(), static_cast<size_t>(kModes));
  EXPECT_EQ(stats["leaves_by_level"].items.size(), 25u);
  double bits = 0;
  for (const auto& [name, value] : stats["bits"].fields) bits += value.number;
  EXPECT_NEAR(bits, 8 * report["bytes"].number, 0.02 * 8 * report["bytes"].number + 32);

  const Outcome text = Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--stats"});
  for (const char* part : {"horizontal-down", "16x16", "partitions", "wall clock"}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  }
}

TEST_F(Cli, JsonIsValidWhateverTheFileIsCalled) {
  const std::string name = Path("a \"quoted\" \\ \xff name \xc3\xa9\n.png");
  fs::copy(kSmallImage, name);
  const Outcome one = Mmp({"encode", name, "--json"});
  EXPECT_EQ(ParseJson(one.out)["width"].number, 33);
  const Outcome several = Mmp({"encode", name, Path("missing.png"), "-o", Path("out"), "--json"});
  const Json reports = ParseJson(several.out);
  ASSERT_EQ(reports.items.size(), 2u);
  EXPECT_EQ(reports.items[0]["height"].number, 31);
  EXPECT_NE(reports.items[1]["error"].text, "");
}

// Bad command lines

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(Mmp({"--version"}).out.substr(0, 4), "mmp ");
  for (const char* command : {"encode", "decode", "info", "compare"}) {
    const Outcome outcome = Mmp({command, "--help"});
    EXPECT_EQ(outcome.exit_code, kSuccess);
    EXPECT_NE(outcome.out.find(command), std::string::npos);
    EXPECT_EQ(outcome.out.find("Exit codes"), std::string::npos);
  }
  const Outcome help = Mmp({"--help"});
  EXPECT_EQ(help.exit_code, kSuccess);
  EXPECT_NE(help.out.find("Exit codes"), std::string::npos);
}

TEST_F(Cli, OddOptionsAreUsageErrors) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"enhance", kSmallImage},
      {"encode"},
      {"encode", kSmallImage, "--bogus"},
      {"encode", kSmallImage, "--lambda", "-1"},
      {"encode", kSmallImage, "--lambda", "nan"},
      {"encode", kSmallImage, "--lambda", "ten"},
      {"encode", kSmallImage, "--lambda", "65537"},
      {"encode", kSmallImage, "--lambda", "10", "--target-psnr", "40"},
      {"encode", kSmallImage, "--target-bpp", "1", "--target-psnr", "40"},
      {"encode", kSmallImage, "--target-psnr", "inf"},
      {"encode", kSmallImage, "--target-size", "20x"},
      {"encode", kSmallImage, "--target-size", "0"},
      {"encode", kSmallImage, "--target-size", "1k", "--lambda", "10"},
      {"encode", kSmallImage, "--target-size", "1k", "--target-bpp", "1"},
      {"encode", kSmallImage, "--target-size", "1k", "--target-psnr", "40"},
      {"encode", kSmallImage, "--preset", "fastest"},
      {"encode", kSmallImage, "--tools", "hammer"},
      {"encode", kSmallImage, "--tools", "wiener,"},
      {"encode", kSmallImage, "--dictionary", "68"},
      {"encode", kSmallImage, "--dictionary", "99999999999"},
      {"encode", kSmallImage, "--prediction-level", "25"},
      {"encode", kSmallImage, "--prediction-level", "some"},
      {"encode", kSmallImage, "--modes", "0,31"},
      {"encode", kSmallImage, "--modes", "vertical,,lsp"},
      {"encode", kSmallImage, "--tile", "16"},
      {"encode", kSmallImage, "--tile", "16x17"},
      {"encode", kSmallImage, "--tile", "0x0"},
      {"encode", kSmallImage, "--threads", "-1"},
      {"encode", kSmallImage, "--backend", "gpu"},
      {"encode", kSmallImage, "--order", "diagonal"},
      {"encode", kSmallImage, kLargeImage},
      {"encode", kSmallImage, "-", "-o", folder_},
      {"encode", "-", "-o", folder_},
      {"decode", kSmallImage, "-o", Path("a.bmp")},
      {"decode", kSmallImage, "--format", "bmp"},
      {"decode", kSmallImage, "--max-pixels", "-5"},
      {"info", kSmallImage, kSmallImage},
      {"compare", kSmallImage},
  };
  for (const std::vector<std::string>& arguments : cases) {
    std::string line = "mmp";
    for (const std::string& argument : arguments) line += " " + argument;
    SCOPED_TRACE(line);
    ExpectError(Mmp(arguments), kUsage, "");
  }
  EXPECT_TRUE(Names().empty());
}

// Backends, on a machine whose devices are hidden

class CliWithoutDevice : public Cli {
 protected:
  CliWithoutDevice() { setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  ~CliWithoutDevice() override { unsetenv("CUDA_VISIBLE_DEVICES"); }
};

TEST_F(CliWithoutDevice, Devices) {
  const Outcome text = Mmp({"devices"});
  EXPECT_EQ(text.exit_code, kSuccess) << text.err;
  EXPECT_TRUE(text.out.starts_with("none: ")) << text.out;
  const Outcome outcome = Mmp({"devices", "--json"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Json json = ParseJson(outcome.out);
  EXPECT_EQ(json["devices"].items.size(), 0u);
  EXPECT_NE(json["problem"].text, "");
}

TEST_F(CliWithoutDevice, CudaAskedFor) {
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--backend", "cuda"}), kNoBackend,
              "the CPU can be used instead");
  EXPECT_TRUE(Names().empty());
}

// Each error names its file.
TEST_F(CliWithoutDevice, CudaAskedForByABatch) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("out"), "--backend", "cuda", "--json"});
  EXPECT_EQ(outcome.exit_code, kNoBackend);
  const Json reports = ParseJson(outcome.out);
  ASSERT_EQ(reports.items.size(), 2u);
  EXPECT_TRUE(reports.items[0]["error"].text.starts_with("'" + std::string(kSmallImage) + "': "));
  EXPECT_TRUE(reports.items[1]["error"].text.starts_with("'" + std::string(kTinyImage) + "': "));
  EXPECT_TRUE(fs::is_empty(Path("out")));
}

TEST_F(CliWithoutDevice, AutomaticBackendSaysWhyNotCuda) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--backend", "auto", "--json"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const Json stats = ParseJson(outcome.out)["stats"];
  EXPECT_EQ(stats["backend"].text, "cpu");
  EXPECT_NE(stats["backend_note"].text.find("CUDA"), std::string::npos) << outcome.out;
  const Outcome with_stats = Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--stats"});
  EXPECT_NE(with_stats.out.find("cpu (" + stats["backend_note"].text + ")"), std::string::npos)
      << with_stats.out;
}

TEST_F(Cli, TwoInputsForOneOutputAreRefusedUpFront) {
  fs::create_directories(Path("1"));
  fs::create_directories(Path("2"));
  fs::copy(kSmallImage, Path("1/a.png"));
  fs::copy(kSmallImage, Path("2/a.png"));
  ExpectError(Mmp({"encode", Path("1/a.png"), Path("2/a.png"), "-o", Path("out")}), kUsage, "both");
  EXPECT_FALSE(fs::exists(Path("out")));
}

// All of them at once, and a way out that works.
TEST_F(Cli, ImagesWithOneNameKeepTheirExtensions) {
  for (const char* name : {"a.png", "b.png", "c.png"}) fs::copy(kSmallImage, Path(name));
  for (const char* name : {"a.pgm", "b.pgm", "b.PGM"}) WriteText(Path(name), Crop(16));
  std::vector<std::string> encode = {"encode", "-o", Path("out")};
  for (const char* name : {"a.png", "b.png", "c.png", "a.pgm", "b.pgm", "b.PGM"})
    encode.push_back(Path(name));
  const Outcome refused = Mmp(encode);
  EXPECT_EQ(refused.exit_code, kUsage);
  for (const std::string& part :
       {std::string("--keep-extension"), std::string("a.png.mmp"),
        "'" + Path("a.png") + "' and '" + Path("a.pgm") + "' would both become",
        "'" + Path("b.png") + "', '" + Path("b.pgm") + "' and '" + Path("b.PGM") + "' would all"})
    EXPECT_NE(refused.err.find(part), std::string::npos) << part << "\n" << refused.err;
  EXPECT_EQ(refused.err.find("c.png"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(Path("out")));

  encode.push_back("--keep-extension");
  EXPECT_EQ(Mmp(encode).exit_code, kSuccess);
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 6);
  EXPECT_TRUE(fs::exists(Path("out/a.png.mmp")));

  // The names that they come back with differ, too.
  ASSERT_EQ(Mmp({"decode", Path("out"), "-o", Path("back")}).exit_code, kSuccess);
  for (const char* name : {"a.png", "b.png", "c.png", "a.pgm", "b.pgm", "b.PGM.png"})
    EXPECT_TRUE(fs::exists(Path("back/") + name)) << name;
  EXPECT_TRUE(ReadText(Path("back/a.pgm")).starts_with("P5"));
  ASSERT_EQ(Mmp({"decode", Path("out/a.pgm.mmp"), "--format", "png"}).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("out/a.pgm.png")));

  // But these do not.
  fs::copy(Path("out/a.png.mmp"), Path("out/a.mmp"));
  std::vector<std::string> decode = {"decode", Path("out/a.mmp"), Path("out/a.png.mmp"), "-o",
                                     Path("both")};
  ExpectError(Mmp(decode), kUsage, "--keep-extension gives each its own");
  decode.push_back("--keep-extension");
  EXPECT_EQ(Mmp(decode).exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("both/a.mmp.png")));
  EXPECT_TRUE(fs::exists(Path("both/a.png.mmp.png")));
}

// Existing files

TEST_F(Cli, DecodingDoesNotReplaceTheOriginal) {
  fs::copy(kSmallImage, Path("a.png"));
  ASSERT_EQ(Mmp({"encode", Path("a.png"), "--lambda", "300"}).exit_code, kSuccess);
  ExpectError(Mmp({"decode", Path("a.mmp")}), kUsage,
              "'" + Path("a.png") + "' exists already; --force replaces it");
  EXPECT_TRUE(ReadText(Path("a.png")) == ReadText(kSmallImage));
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "--force"}).exit_code, kSuccess);
  EXPECT_FALSE(ReadText(Path("a.png")) == ReadText(kSmallImage));
  // A name that was given is meant.
  fs::copy(kSmallImage, Path("b.png"));
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.png")}).exit_code, kSuccess);
  EXPECT_TRUE(ReadText(Path("b.png")) == ReadText(Path("a.png")));
}

TEST_F(Cli, EncodingReplacesOnlyWhatIsNamed) {
  fs::copy(kSmallImage, Path("a.png"));
  WriteText(Path("a.mmp"), "older");
  ExpectError(Mmp({"encode", Path("a.png")}), kUsage, "--force replaces it");
  ExpectError(Mmp({"encode", Path("a.png"), "-o", folder_}), kUsage, "--force replaces it");
  EXPECT_EQ(ReadText(Path("a.mmp")), "older");
  EXPECT_EQ(Mmp({"encode", Path("a.png"), "--force"}).exit_code, kSuccess);
  EXPECT_NE(ReadText(Path("a.mmp")), "older");
  WriteText(Path("a.mmp"), "older");
  EXPECT_EQ(Mmp({"encode", Path("a.png"), "-o", Path("a.mmp")}).exit_code, kSuccess);
  EXPECT_NE(ReadText(Path("a.mmp")), "older");
}

TEST_F(Cli, ABatchNamesAllThatIsThereAlready) {
  const std::vector<std::string> batch = {"encode", kSmallImage, kTinyImage, "-o", Path("out")};
  EXPECT_EQ(Mmp(batch).exit_code, kSuccess);
  WriteText(Path("out/odd-1x1.mmp"), "older");
  const Outcome again = Mmp(batch);
  EXPECT_EQ(again.exit_code, kUsage);
  for (const char* part :
       {"2 files exist already; --force replaces them", "odd-1x1.mmp'", "odd-33x31.mmp'"})
    EXPECT_NE(again.err.find(part), std::string::npos) << again.err;
  EXPECT_EQ(ReadText(Path("out/odd-1x1.mmp")), "older");
  std::vector<std::string> force = batch;
  force.push_back("--force");
  EXPECT_EQ(Mmp(force).exit_code, kSuccess);
  EXPECT_NE(ReadText(Path("out/odd-1x1.mmp")), "older");
}

TEST_F(Cli, TheInputIsNotReplacedByForce) {
  fs::copy(kSmallImage, Path("a.png"));
  ExpectError(Mmp({"encode", Path("a.png"), "--force", "-o", Path("a.png")}), kUsage, "replace");
  EXPECT_TRUE(ReadText(Path("a.png")) == ReadText(kSmallImage));
}

// Several files, and folders

TEST_F(Cli, ABatchEndsWithWhatWasWritten) {
  WriteText(Path("text.png"), "This is not a picture.");
  const Outcome good = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("out")});
  EXPECT_TRUE(good.out.ends_with("\n2 written\n")) << good.out;
  EXPECT_EQ(good.err, "");
  const Outcome bad = Mmp({"encode", kTinyImage, Path("text.png"), kSmallImage, Path("missing.png"),
                           "-o", Path("some"), "--json"});
  EXPECT_TRUE(bad.err.ends_with("\nmmp: error: 2 written, 2 failed: '" + Path("text.png") + "', '" +
                                Path("missing.png") + "'\n"))
      << bad.err;
  EXPECT_EQ(ParseJson(bad.out).items.size(), 4u);
  const Outcome json = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("json"), "--json"});
  EXPECT_EQ(ParseJson(json.out).items.size(), 2u);
  EXPECT_EQ(json.err, "");
  const Outcome one = Mmp({"encode", kTinyImage, "-o", Path("one.mmp")});
  EXPECT_EQ(one.out.find("written"), std::string::npos) << one.out;

  WriteText(Path("out/bad.mmp"), "MMP");
  const Outcome decode = Mmp({"decode", Path("out"), "-o", Path("decoded")});
  EXPECT_EQ(decode.exit_code, kDamaged);
  EXPECT_TRUE(
      decode.err.ends_with("\nmmp: error: 2 written, 1 failed: '" + Path("out/bad.mmp") + "'\n"))
      << decode.err;
  const Outcome off = Mmp({"encode", kTinyImage, kSmallImage, "-o", Path("off"), "--preset", "fast",
                           "--target-bpp", "0.001"});
  EXPECT_EQ(off.exit_code, kIncomplete);
  EXPECT_NE(off.err.find("mmp: warning: 2 written (not as wanted: '"), std::string::npos)
      << off.err;
}

TEST_F(Cli, AFolderIsItsImages) {
  fs::create_directories(Path("scans/deeper"));
  fs::copy(kSmallImage, Path("scans/b.PNG"));
  WriteText(Path("scans/a.pgm"), Crop(16));
  WriteText(Path("scans/d.TIF"), Crop(16));
  WriteText(Path("scans/.hidden.pgm"), Crop(16));
  WriteText(Path("scans/notes.txt"), "Two scans.");
  WriteText(Path("scans/deeper/c.pgm"), Crop(16));
  ExpectError(Mmp({"encode", Path("scans/deeper")}), kUsage, "name it with -o");
  const Outcome outcome = Mmp({"encode", Path("scans"), kTinyImage, "-o", Path("out")});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_EQ(outcome.err, "mmp: note: '" + Path("scans") +
                             "': left out what are no images: 'deeper', 'notes.txt'\n");
  EXPECT_TRUE(outcome.out.ends_with("\n4 written\n")) << outcome.out;
  for (const char* name : {"a.mmp", "b.mmp", "d.mmp", "odd-1x1.mmp"})
    EXPECT_TRUE(fs::exists(Path("out/") + name)) << name;

  EXPECT_EQ(Mmp({"decode", Path("out/"), "-o", Path("back")}).exit_code, kSuccess);
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("back")), {}), 4);
  ExpectError(Mmp({"decode", Path("scans/deeper"), "-o", Path("x")}), kUsage, "no .mmp files");
  EXPECT_EQ(Mmp({"train", Path("scans/deeper"), "-o", Path("d.mmd"), "--rounds", "1"}).exit_code,
            kSuccess);
}

TEST_F(Cli, SeveralFilesDoNotGoToOne) {
  WriteText(Path("a.mmp"), "older");
  ExpectError(Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("a.mmp")}), kUsage,
              "'" + Path("a.mmp") + "' is a file; several files need a folder");
  EXPECT_EQ(ReadText(Path("a.mmp")), "older");
  ExpectError(Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("b.mmp")}), kUsage,
              "'" + Path("b.mmp") + "/' makes a folder of that name");
  EXPECT_EQ(Names().size(), 1u);
  EXPECT_EQ(Mmp({"encode", kSmallImage, kTinyImage, "-o", Path("b.mmp/")}).exit_code, kSuccess);
  EXPECT_TRUE(fs::is_directory(Path("b.mmp")));
}

// Runs a shell command in a folder, "mmp" being the program.
Outcome InShell(const std::string& folder, const std::string& command) {
  return RunProgram(
      {"/bin/sh", "-c", "mmp=$1; cd \"$2\" && " + command, "sh", MMP_PROGRAM, folder});
}

// As * may give them.
TEST_F(Cli, NamesThatBeginWithADash) {
  for (const char* name : {"-o.png", "-x.png", "a.png"}) fs::copy(kSmallImage, Path(name));
  fs::create_directory(Path("out"));
  ExpectError(InShell(folder_, "\"$mmp\" encode * -o out"), kUsage, "put -- before");
  ExpectError(InShell(folder_, "\"$mmp\" encode a.png -x.png -o out"), kUsage, "'-x.png'");
  EXPECT_TRUE(fs::is_empty(Path("out")));
  const Outcome outcome = InShell(folder_, "\"$mmp\" encode -o out -- *.png");
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("out/-o.mmp")));
  EXPECT_EQ(InShell(folder_, "\"$mmp\" encode ./-x.png").exit_code, kSuccess);
  EXPECT_TRUE(fs::exists(Path("-x.mmp")));
  // What follows an option is its value, file or not.
  EXPECT_EQ(InShell(folder_, "\"$mmp\" encode a.png -o -x.mmp").exit_code, kSuccess);
  WriteText(Path("--lambda=0"), "");
  EXPECT_EQ(InShell(folder_, "\"$mmp\" encode a.png --lambda=0").exit_code, kSuccess);
}

TEST_F(Cli, TheInputIsNotReplaced) {
  fs::copy(kSmallImage, Path("a.png"));
  fs::create_symlink("a.png", Path("b.mmp"));
  const std::string before = ReadText(Path("a.png"));
  ExpectError(Mmp({"encode", Path("a.png"), "-o", Path("a.png")}), kUsage, "replace");
  ExpectError(Mmp({"encode", Path("a.png"), "-o", Path("b.mmp")}), kUsage, "replace");
  ExpectError(Mmp({"decode", Path("b.mmp"), "-o", Path("./a.png")}), kUsage, "replace");
  EXPECT_TRUE(ReadText(Path("a.png")) == before);
}

// Bad inputs

TEST_F(Cli, UnreadableInputs) {
  fs::create_symlink("nowhere", Path("dangling.png"));
  for (const std::string& input : {Path("missing.png"), Path("dangling.png")}) {
    SCOPED_TRACE(input);
    ExpectError(Mmp({"encode", input, "-o", Path("out")}), kFailure, input);
    ExpectError(Mmp({"decode", input, "-o", Path("out.png")}), kFailure, input);
    ExpectError(Mmp({"info", input}), kFailure, input);
    ExpectError(Mmp({"compare", kSmallImage, input}), kFailure, input);
  }
  ExpectError(Mmp({"info", folder_}), kFailure, "Is a directory; name the files in it");
  ExpectError(Mmp({"compare", kSmallImage, folder_}), kFailure, "name the files in it");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, OrientationOfInputsIsApplied) {
  WriteText(Path("a.pgm"), "P5 2 1 255\nAB");
  const Image image = Pixels(Path("a.pgm"));
  const std::vector<uint8_t> bytes = EncodePng(image.View());
  std::string png(bytes.begin(), bytes.end());
  // An eXIf chunk: a directory of one entry, to be turned right by 90 degrees.
  const std::string exif(
      "\0\0\0\x1A"
      "eXIfMM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
      "\0\0\0\0\xD6\x67\x4B\x69",
      38);
  png.insert(33, exif);  // behind the header
  WriteText(Path("a.png"), png);
  const Outcome outcome = Mmp({"encode", Path("a.png"), "--lambda", "0"});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_EQ(outcome.err, "mmp: note: '" + Path("a.png") +
                             "': turned right by 90 degrees (Exif orientation 6)\n");
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.pgm")}).exit_code, kSuccess);
  EXPECT_EQ(ReadText(Path("b.pgm")), "P5\n1 2\n255\nAB");
}

TEST_F(Cli, InputsThatAreNoImages) {
  WriteText(Path("text.png"), "This is not a picture.");
  ExpectError(Mmp({"encode", Path("text.png"), "-o", Path("a.mmp")}), kNotAcceptable, "text.png");
  ExpectError(Mmp({"compare", kSmallImage, Path("text.png")}), kNotAcceptable, "text.png");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, TruncatedPng) {
  const std::string png = ReadText(kSmallImage);
  WriteText(Path("cut.png"), png.substr(0, png.size() / 2));
  ExpectError(Mmp({"encode", Path("cut.png")}), kDamaged, "cut.png");
  ExpectError(Mmp({"encode", "-"}, {.input = png.substr(0, png.size() / 2)}), kDamaged,
              "standard input");
  ExpectError(Mmp({"encode", "-"}, {.input = ""}), kDamaged, "standard input");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, SixteenBitsAreKeptUnlessScaled) {
  WriteText(Path("a.png"), Png16(5, 4));
  const Outcome lossless = Mmp({"encode", Path("a.png"), "--lambda", "0", "--verify"});
  EXPECT_EQ(lossless.exit_code, kSuccess) << lossless.err;
  EXPECT_NE(lossless.out.find("5x4 of 16 bits"), std::string::npos) << lossless.out;
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.pgm")}).exit_code, kSuccess);
  EXPECT_TRUE(ReadText(Path("b.pgm")).starts_with("P5\n5 4\n65535\n"));
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("depth                 16"), std::string::npos);
  const Outcome outcome = Mmp({"encode", Path("a.png"), "--depth8", "--force"});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.err.find("scaled samples from 16 to 8 bits"), std::string::npos) << outcome.err;
}

TEST_F(Cli, TheErrorIsBounded) {
  const Outcome outcome =
      Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--max-error", "3", "--verify", "--stats"});
  EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_NE(outcome.out.find("error at most 3"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("largest error       3"), std::string::npos) << outcome.out;
  const std::string info = Mmp({"info", Path("a.mmp")}).out;
  EXPECT_NE(info.find("coder                 pixels"), std::string::npos) << info;
  EXPECT_NE(info.find("largest error         3"), std::string::npos) << info;
  const Outcome compared = Mmp({"compare", kSmallImage, Path("a.mmp")});
  EXPECT_NE(compared.out.find("maximum difference  3"), std::string::npos) << compared.out;
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("b.mmp"), "--max-error", "256"}), kUsage,
              "255");
  EXPECT_EQ(Mmp({"encode", kSmallImage, "-o", Path("b.mmp"), "--max-error", "1", "--lambda", "2"})
                .exit_code,
            kUsage);
}

// Targets between what 8 bits can say and lossless files, by either coder.
TEST_F(Cli, TargetsOfDeepImages) {
  std::string pgm = "P5\n64 64\n4095\n";
  for (int i = 0; i < 64 * 64; ++i) {
    const int sample = 1000 + 17 * (i % 64) + 9 * (i / 64) + (i * i * 31) % 61;
    pgm += {static_cast<char>(sample >> 8), static_cast<char>(sample & 255)};
  }
  WriteText(Path("a.pgm"), pgm);
  for (const double psnr : {45.0, 60.0, 66.0}) {
    const Outcome outcome = Mmp({"encode", Path("a.pgm"), "-o", Path("a.mmp"), "--preset", "fast",
                                 "--target-psnr", std::to_string(psnr), "--json"});
    ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const Json json = ParseJson(outcome.out);
    EXPECT_FALSE(json["lossless"].truth) << psnr;
    EXPECT_GE(json["psnr"].number, psnr);
    EXPECT_LE(json["psnr"].number, psnr + 3);
  }
}

TEST_F(Cli, InspectNeedsPatterns) {
  ASSERT_EQ(Mmp({"encode", kSmallImage, "-o", Path("a.mmp"), "--lambda", "0"}).exit_code, kSuccess);
  ExpectError(Mmp({"inspect", Path("a.mmp"), "-o", Path("look")}), kNotAcceptable, "pixel coder");
}

TEST_F(Cli, ImagesOverTheLimit) {
  Encode(kSmallImage, Path("a.mmp"));
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("b.mmp"), "--max-pixels", "1022"}),
              kNotAcceptable, "1022; --max-pixels allows more");
  const std::vector<std::vector<std::string>> commands = {
      {"decode", Path("a.mmp")},
      {"compare", kTinyImage, Path("a.mmp")},
      {"compare", kTinyImage, kSmallImage},
      {"inspect", Path("a.mmp"), "--json"},
      {"train", kSmallImage, "-o", Path("d.mmd")}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0]);
    command.insert(command.end(), {"--max-pixels", "1022"});
    const Outcome outcome = Mmp(command);
    ExpectError(outcome, kNotAcceptable, "1022; ");
    EXPECT_NE(outcome.err.find("--max-pixels"), std::string::npos) << outcome.err;
  }
  ExpectError(Mmp({"decode", Path("a.mmp"), "--max-work", "1"}), kNotAcceptable, "--max-work");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--max-memory", "1"}), kNotAcceptable, "--max-memory");
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "--max-pixels", "1023"}).exit_code, kSuccess);
}

// A dictionary larger than those of the presets can need more than decoders allow by default; the
// encoder says so, and by what option.
TEST_F(Cli, FilesThatNeedMoreWorkThanDecodersAllow) {
  std::string pgm = "P5 96 96 255 ";
  std::minstd_rand random;
  for (int i = 0; i < 96 * 96; ++i) pgm += static_cast<char>(random() >> 8);
  WriteText(Path("noise.pgm"), pgm);
  const Outcome outcome =
      Mmp({"encode", Path("noise.pgm"), "-o", Path("a.mmp"), "--lambda", "0", "--dictionary",
           "65536", "--preset", "fast", "--modes", "2", "--prediction-level", "none", "--verify"});
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  const size_t at = outcome.err.find("--max-work ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  ExpectError(Mmp({"decode", Path("a.mmp")}), kNotAcceptable, "--max-work");
  const std::string work = outcome.err.substr(at + 11, outcome.err.find('\n', at) - at - 11);
  EXPECT_EQ(Mmp({"decode", Path("a.mmp"), "--max-work", work}).exit_code, kSuccess);
}

TEST_F(Cli, DamagedFilesGiveNoOutput) {
  // No small file, of which `info` cannot tell.
  Encode(kSmallImage, Path("a.mmp"), {"--dictionary", "1000"});
  const std::string whole = ReadText(Path("a.mmp"));
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  for (const std::string& bytes :
       {flipped, whole.substr(0, whole.size() - 1), whole + "x", whole.substr(0, 5)}) {
    WriteText(Path("b.mmp"), bytes);
    ExpectError(Mmp({"decode", Path("b.mmp")}), kDamaged, "b.mmp");
    ExpectError(Mmp({"info", Path("b.mmp")}), kDamaged, "b.mmp");
    ExpectError(Mmp({"compare", kSmallImage, Path("b.mmp")}), kDamaged, "b.mmp");
  }
  EXPECT_EQ(Names().size(), 2u);
}

TEST_F(Cli, KeepGoingSavesTheOtherTiles) {
  Encode(kSmallImage, Path("a.mmp"), {"--tile", "16x16"});
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("whole.png")}).exit_code, kSuccess);
  const Json tile = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out)["tiles"].items.at(4);
  std::string bytes = ReadText(Path("a.mmp"));
  bytes[static_cast<size_t>(tile["offset"].number + tile["bytes"].number / 2)] ^= 0x10;
  WriteText(Path("b.mmp"), bytes);

  ExpectError(Mmp({"decode", Path("b.mmp")}), kDamaged, "b.mmp");
  EXPECT_FALSE(fs::exists(Path("b.png")));
  const Outcome outcome = Mmp({"decode", "--keep-going", Path("b.mmp")});
  EXPECT_EQ(outcome.exit_code, kIncomplete);
  EXPECT_NE(outcome.err.find("16x15 pixels at (16, 16)"), std::string::npos) << outcome.err;

  Image expected = Pixels(Path("whole.png"));
  for (int y = 16; y < 31; ++y) {
    for (int x = 16; x < 32; ++x) expected.Row(y)[x] = 128;
  }
  EXPECT_EQ(Pixels(Path("b.png")), expected);
}

TEST_F(Cli, RegionsAreReadWithoutTheRest) {
  Encode(kSmallImage, Path("a.mmp"), {"--tile", "16x16"});
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("whole.png")}).exit_code, kSuccess);
  const Image whole = Pixels(Path("whole.png"));
  const std::string bytes = ReadText(Path("a.mmp"));
  WriteText(Path("b.mmp"), bytes.substr(0, bytes.size() - 1));
  const std::vector<std::string> part = {"--region", "3,9,20x6", "-o", Path("part.pgm"), "--force"};
  const auto expect_part = [&](std::vector<std::string> command, const Streams& streams) {
    fs::remove(Path("part.pgm"));
    command.insert(command.begin(), "decode");
    command.insert(command.end(), part.begin(), part.end());
    const Outcome outcome = Mmp(command, streams);
    EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const std::vector<uint8_t> pgm = EncodePgm(whole.View().Crop(3, 9, 20, 6));
    EXPECT_EQ(ReadText(Path("part.pgm")), std::string(pgm.begin(), pgm.end()));
  };
  expect_part({Path("a.mmp")}, {});
  expect_part({Path("b.mmp")}, {});  // which ends too early
  expect_part({"-"}, {.input = bytes});

  ExpectError(Mmp({"decode", Path("b.mmp"), "--region", "0,0,33x31"}), kDamaged, "b.mmp");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--region", "14,0,20x5"}), kUsage,
              "not inside the image, which has 33x31");
  ExpectError(Mmp({"decode", Path("none.mmp"), "--region", "0,0,1x1"}), kFailure, "none.mmp");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--region", "0,0,9x9", "--max-pixels", "255"}),
              kNotAcceptable, "a larger --max-pixels");
  for (const char* wrong :
       {"", "1", "1,2", "1,2,3", "1,2,3x", "1,2x3", "1,2,3x4x5", "1,2,3x4,5", "-1,2,3x4",
        "1,-2,3x4", "1,2,0x4", "1,2,3x0", "a,2,3x4", "1,2,3x4 ", "1;2;3x4", "1,2,99999999999x4"}) {
    ExpectError(Mmp({"decode", Path("a.mmp"), "--region", wrong}), kUsage, "--region");
  }
}

// Nor does it take a time or a memory of its size.
TEST_F(Cli, InfoReadsALargeFileWithoutItsTiles) {
  Encode(kSmallImage, Path("a.mmp"), {"--dictionary", "100"});
  const std::string checked = Mmp({"info", Path("a.mmp")}).out;
  EXPECT_EQ(Mmp({"info", "--no-check", Path("a.mmp")}).out, checked);
  EXPECT_EQ(Mmp({"info", "--no-check", "-"}, {.input = ReadText(Path("a.mmp"))}).out, checked);

  fs::resize_file(Path("a.mmp"), uint64_t{1} << 33);  // its one tile is as long as what is there
  const Outcome outcome = Mmp({"info", "--json", "--no-check", Path("a.mmp")});
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
  EXPECT_EQ(ParseJson(outcome.out)["bytes"].number, 8589934592.0);

  fs::resize_file(Path("a.mmp"), 20);
  for (const char* option : {"--no-check", "--json"})
    ExpectError(Mmp({"info", option, Path("a.mmp")}), kDamaged, "a.mmp");
  ExpectError(Mmp({"info", Path("none.mmp")}), kFailure, "none.mmp");
}

TEST_F(Cli, PreviewsAreSmallPictures) {
  Encode(kSmallImage, Path("a.mmp"), {"--preview"});
  Encode(kSmallImage, Path("without.mmp"));
  EXPECT_GT(ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out)["preview_bytes"].number, 0);
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("\npreview "), std::string::npos);
  const std::string bytes = ReadText(Path("a.mmp"));
  WriteText(Path("cut.mmp"), bytes.substr(0, bytes.size() - 1));
  for (const char* name : {"a.mmp", "cut.mmp"}) {
    const Outcome outcome =
        Mmp({"decode", Path(name), "--preview", "-o", Path("small.png"), "--force"});
    EXPECT_EQ(outcome.exit_code, kSuccess) << outcome.err;
    const Image small = Pixels(Path("small.png"));
    EXPECT_EQ(small.width(), 5);
    EXPECT_EQ(small.height(), 4);
  }
  ExpectError(Mmp({"decode", Path("without.mmp"), "--preview"}), kNotAcceptable, "no preview");
  ExpectError(Mmp({"decode", Path("a.mmp"), "--preview", "--region", "0,0,1x1"}), kUsage,
              "--preview");
}

TEST_F(Cli, ComparedImagesMustHaveOneSize) {
  ExpectError(Mmp({"compare", kSmallImage, kTinyImage}), kNotAcceptable, "1x1");
}

// Gray of 12 bits, in two shades off by 3.
TEST_F(Cli, ComparesSamplesAsTheyAre) {
  Image image = Image::OfDepth(12, 20, 16), other = image;
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 20; ++x) {
      image.SetSample(y, x, 100 * x + y);
      other.SetSample(y, x, 100 * x + y + 3);
    }
  }
  ASSERT_TRUE(WriteImage(Path("a.pgm"), image.View()).ok());
  ASSERT_TRUE(WriteImage(Path("b.png"), other.View()).ok());
  const Json difference = ParseJson(Mmp({"compare", "--json", Path("a.pgm"), Path("b.png")}).out);
  EXPECT_EQ(difference["depth"].number, 12);
  EXPECT_EQ(difference["mse"].number, 9);
  EXPECT_EQ(difference["max_difference"].number, 3);
  EXPECT_NEAR(difference["psnr"].number, 62.7027, 1e-4);  // 20 log10(4095 / 3)

  Encode(Path("a.pgm"), Path("a.mmp"), {"--lambda", "0"});
  EXPECT_NE(Mmp({"compare", Path("a.pgm"), Path("a.mmp")}).out.find("inf dB"), std::string::npos);
}

TEST_F(Cli, ComparedImagesMustHaveOneDepth) {
  ASSERT_TRUE(WriteImage(Path("deep.png"), Image::OfDepth(16, 33, 31).View()).ok());
  ExpectError(Mmp({"compare", kSmallImage, Path("deep.png")}), kNotAcceptable,
              "of 8 bits but '" + Path("deep.png") +
                  "' of 16; only images of one depth can be "
                  "compared (--depth8");
  EXPECT_EQ(Mmp({"compare", kSmallImage, Path("deep.png"), "--depth8"}).exit_code, kSuccess);
  Encode(Path("deep.png"), Path("scaled.mmp"), {"--depth8"});
  EXPECT_EQ(Mmp({"compare", Path("deep.png"), Path("scaled.mmp"), "--depth8"}).exit_code, kSuccess);
  Encode(Path("deep.png"), Path("deep.mmp"));
  ExpectError(Mmp({"compare", kSmallImage, Path("deep.mmp")}), kNotAcceptable, "of 16;");
  ExpectError(Mmp({"compare", kSmallImage, Path("deep.mmp"), "--depth8"}), kNotAcceptable,
              "its samples have 16 bits");
}

// Bad outputs

TEST_F(Cli, FullDisk) {
  Encode(kSmallImage, Path("a.mmp"));
  ExpectError(Mmp({"encode", kSmallImage, "-o", "/dev/full"}), kFailure, "/dev/full");
  ExpectError(Mmp({"encode", kSmallImage, "-o", "-"}, {.stdout_path = "/dev/full"}), kFailure,
              "standard output");
  ExpectError(Mmp({"decode", Path("a.mmp"), "-o", "-"}, {.stdout_path = "/dev/full"}), kFailure,
              "standard output");
  ExpectError(Mmp({"info", Path("a.mmp")}, {.stdout_path = "/dev/full"}), kFailure,
              "standard output");
  ExpectError(Mmp({"--help"}, {.stdout_path = "/dev/full"}), kFailure, "standard output");
}

TEST_F(Cli, UnwritableOutput) {
  fs::copy(kSmallImage, Path("file"));
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("file/a.mmp")}), kFailure, "file/a.mmp");
  ExpectError(Mmp({"encode", kSmallImage, "-o", Path("missing/a.mmp")}), kFailure, "missing/a.mmp");
  ExpectError(Mmp({"encode", kSmallImage, kLargeImage, "-o", Path("file")}), kUsage,
              "'" + Path("file") + "' is a file; several files need a folder");
  ExpectError(Mmp({"encode", kSmallImage, kLargeImage, "-o", Path("file/sub")}), kFailure,
              "file/sub");
  EXPECT_TRUE(ReadText(Path("file")) == ReadText(kSmallImage));
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, FailureLeavesAnOlderOutputAsItWas) {
  WriteText(Path("a.mmp"), "older");
  WriteText(Path("cut.png"), ReadText(kSmallImage).substr(0, 50));
  EXPECT_EQ(Mmp({"encode", Path("cut.png"), "-o", Path("a.mmp")}).exit_code, kDamaged);
  EXPECT_EQ(ReadText(Path("a.mmp")), "older");
  Encode(kSmallImage, Path("a.mmp"));
  EXPECT_GT(fs::file_size(Path("a.mmp")), 5u);
  EXPECT_EQ(Names().size(), 2u);
}

#ifndef MMP_SANITIZED  // sanitizers take all addresses

// Runs the program with so many KiB of address space.
Outcome MmpWithin(int kib, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {
      "/bin/sh",           "-c",       "ulimit -v $1 && shift && exec \"$@\"", "sh",
      std::to_string(kib), MMP_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return RunProgram(command);
}

TEST_F(Cli, OutOfMemoryHasACodeOfItsOwn) {
  // A file of 256 MB, which takes no room on the disk.
  WriteText(Path("large.pgm"), "P5 16000 16000 255\n");
  fs::resize_file(Path("large.pgm"), fs::file_size(Path("large.pgm")) + 16000 * 16000);
  ExpectError(MmpWithin(250'000, {"encode", Path("large.pgm")}), kOutOfMemory, "not enough memory");
  EXPECT_EQ(Names().size(), 1u);
  EXPECT_NE(Mmp({"--help"}).out.find("\n  7  there is not enough memory"), std::string::npos);
}

// Wherever it happens, no signal ends the program, and no temporary file stays.
TEST_F(Cli, OutOfMemoryAnywhere) {
  WriteText(Path("a.pgm"), Crop(64));
  Encode(Path("a.pgm"), Path("a.mmp"), {"--tile", "16x16", "--preset", "fast"});
  const std::vector<std::vector<std::string>> commands = {
      {"encode", Path("a.pgm"), "-o", Path("b.mmp"), "--preset", "fast", "--tile", "16x16",
       "--threads", "4", "--backend", "cpu"},
      {"decode", Path("a.mmp"), "-o", Path("b.png"), "--threads", "4"}};
  int failures = 0;
  for (const std::vector<std::string>& command : commands) {
    for (int kib = 24'000; kib < 400'000; kib += kib / 4) {
      SCOPED_TRACE(command[0] + " within " + std::to_string(kib));
      const Outcome outcome = MmpWithin(kib, command);
      // 127: not even the libraries could be loaded.
      EXPECT_TRUE(outcome.exit_code == kSuccess || outcome.exit_code == kOutOfMemory ||
                  outcome.exit_code == 127)
          << outcome.exit_code << ", signal " << outcome.signal << ": " << outcome.err;
      if (outcome.exit_code == kOutOfMemory) {
        ++failures;
        EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
      }
      for (const std::string& name : Names()) EXPECT_FALSE(name.starts_with('.')) << name;
    }
  }
  EXPECT_GT(failures, 0);
}

#endif

TEST_F(Cli, TerminationLeavesNothingBehind) {
  Subprocess encode({MMP_PROGRAM, "encode", kLargeImage, "-o", Path("a.mmp"), "--lambda", "0",
                     "--threads", "1", "--backend", "cpu"});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Names().empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // into the search
  encode.Kill(SIGTERM);
  const Outcome outcome = encode.Wait();
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(Names().empty());
}

// Makes a pipe, encodes what comes out of it, and lets that be an image, but only when a progress
// line is due.
Outcome EncodeSlowInput(const std::string& pipe, const std::string& output, Streams streams) {
  EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Subprocess encode({MMP_PROGRAM, "encode", pipe, "-o", output}, std::move(streams));
  std::ofstream image(pipe, std::ios::binary);  // waits for the program to read
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  image << Crop(24);
  image.close();
  return encode.Wait();
}

TEST_F(Cli, NoProgressLineInAPipe) {
  const Outcome outcome = EncodeSlowInput(Path("pipe"), Path("a.mmp"), {});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find_first_of("\r\033"), std::string::npos) << outcome.out;
}

TEST_F(Cli, ProgressLineOnATerminalIsCleared) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    GTEST_SKIP() << "no pseudo-terminals here";
  }
  const int held =
      open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);  // keeps what was written
  const Outcome outcome =
      EncodeSlowInput(Path("pipe"), Path("a.mmp"), {.stderr_path = ptsname(terminal)});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  std::string shown;
  for (char c; read(terminal, &c, 1) == 1;) shown += c;
  close(held);
  close(terminal);
  EXPECT_TRUE(shown.starts_with("\r\033[Kencoding ")) << shown;
  EXPECT_TRUE(shown.ends_with("\r\033[K")) << shown;
}

}  // namespace
}  // namespace mmp
