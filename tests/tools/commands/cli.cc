#include "tests/tools/commands/cli.h"

#include <png.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"

namespace mmp {

Outcome Mmp(std::vector<std::string> arguments, Streams streams) {
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

std::string Crop(int size) {
  const Image image = Pixels(kLargeImage);
  const std::vector<uint8_t> bytes = EncodePgm(
      image.View().Crop((image.width() - size) / 2, (image.height() - size) / 2, size, size));
  return {bytes.begin(), bytes.end()};
}

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

Json ParseReport(const std::string& text) {
  const Json reports = ParseJson(text);
  EXPECT_EQ(reports.items.size(), 1u) << text;
  return reports.items.empty() ? Json() : reports.items[0];
}

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.items) texts.push_back(item.text);
  return texts;
}

void ExpectError(const Outcome& outcome, int exit_code, const std::string& message) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("mmp: error: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

void Cli::SetUp() {
  std::string name = testing::TempDir() + "mmp_cli_test_XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
}

void Cli::TearDown() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<std::string> Cli::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_))
    names.push_back(entry.path().filename());
  return names;
}

void Cli::Encode(const std::string& input, const std::string& output,
                 const std::vector<std::string>& options) const {
  std::vector<std::string> arguments = {"encode", input, "-o", output};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = Mmp(arguments);
  ASSERT_EQ(outcome.exit_code, kSuccess) << outcome.err;
}

}  // namespace mmp
