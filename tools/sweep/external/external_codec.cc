#include "tools/sweep/external/external_codec.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>

#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "tools/command_line/terminal.h"
#include "tools/sweep/external/process.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr double kVersionSeconds = 10;
// A program may take this long: many times what the slowest needs.
constexpr double kSecondsToStart = 60;
constexpr double kSecondsPerPixel = 1e-3;

std::vector<std::string_view> Commands(const ExternalCodec& codec) {
  std::vector<std::string_view> commands = {codec.encode, codec.finish, codec.decode};
  std::erase(commands, "");
  return commands;
}

// A command's words, with values in place of the names in braces.
Arguments Fill(std::string_view command, const std::map<std::string, std::string>& values) {
  Arguments arguments;
  for (std::string_view word : SplitAt(command, ' ')) {
    std::string filled(word);
    for (const auto& [name, value] : values) {
      const size_t at = filled.find(name);
      if (at != std::string::npos) filled.replace(at, name.size(), value);
    }
    arguments.push_back(std::move(filled));
  }
  return arguments;
}

std::vector<uint8_t> Y4m(const ImageView& picture) {
  const std::string header =
      Format("YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono\nFRAME\n", picture.width, picture.height);
  std::vector<uint8_t> bytes(header.begin(), header.end());
  for (int y = 0; y < picture.height; ++y)
    bytes.insert(bytes.end(), picture.Row(y), picture.Row(y) + picture.width);
  return bytes;
}

std::vector<uint8_t> Yuv420(const ImageView& picture) {
  std::vector<uint8_t> bytes;
  for (int y = 0; y < picture.height; ++y)
    bytes.insert(bytes.end(), picture.Row(y), picture.Row(y) + picture.width);
  const size_t chroma =
      2 * static_cast<size_t>((picture.width + 1) / 2) * ((picture.height + 1) / 2);
  bytes.insert(bytes.end(), chroma, 128);
  return bytes;
}

Status WritePicture(const ImageView& picture, PictureFile kind, const std::string& folder) {
  switch (kind) {
    case PictureFile::kPgm:
      return WriteFile(folder + "/picture.pgm", EncodePgm(picture));
    case PictureFile::kPng:
      return WriteFile(folder + "/picture.png", EncodePng(picture));
    case PictureFile::kY4m:
      return WriteFile(folder + "/picture.y4m", Y4m(picture));
    case PictureFile::kYuv420:
      return WriteFile(folder + "/picture.yuv", Yuv420(picture));
  }
  return {};
}

// The last line that says something.
std::string LastLine(const std::string& output) {
  std::string last;
  for (const std::string_view line : SplitAt(output, '\n')) {
    const std::string_view shown = line.substr(line.rfind('\r') + 1);
    if (shown.find_first_not_of(" \t") != std::string_view::npos) last = shown;
  }
  return last;
}

// Runs a command that must succeed, adds its time to `seconds`.
Status RunStep(const Arguments& arguments, const std::string& folder, double limit_seconds,
               const std::function<bool()>& stop, double& seconds) {
  const Result<ProcessResult> result = RunProcess(arguments, folder, limit_seconds, stop);
  if (!result.ok()) return result.status();
  seconds += result->seconds;
  if (result->exit_code == 0) return {};
  const std::string reason = LastLine(result->output);
  return {StatusCode::kUnsupported,
          Format("%s failed with exit code %d", arguments[0].c_str(), result->exit_code) +
              (reason.empty() ? "" : ": " + reason)};
}

Result<Image> ReadDecoded(const std::string& path, int width, int height) {
  const size_t pixels = static_cast<size_t>(width) * height;
  if (path.ends_with(".pgm")) {
    Result<LoadedImage> loaded = ReadImage(path);
    if (!loaded.ok()) return loaded.status();
    if (loaded->image.width() != width || loaded->image.height() != height)
      return Status(StatusCode::kCorrupt,
                    Format("decoded as %dx%d", loaded->image.width(), loaded->image.height()));
    return std::move(loaded->image);
  }
  const Result<std::vector<uint8_t>> bytes = ReadFile(path, 4 * pixels + 4096);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() < pixels) {
    return Status(StatusCode::kCorrupt,
                  Format("decoded to %zu bytes in place of %zu", bytes->size(), pixels));
  }
  Image image(width, height);
  std::copy_n(bytes->begin(), pixels, image.pixels().begin());
  return image;
}

}  // namespace

Result<const ExternalCodec*> FindExternalCodec(std::string_view name) {
  std::string names;
  for (const ExternalCodec& codec : ExternalCodecs()) {
    if (codec.name == name) return &codec;
    names += (names.empty() ? "" : ",") + std::string(codec.name);
  }
  return Status(StatusCode::kInvalidArgument,
                "'" + std::string(name) + "' is not a codec to compare with; there are " + names);
}

Status CheckInstalled(const ExternalCodec& codec) {
  for (const std::string_view command : Commands(codec)) {
    const std::string program(SplitAt(command, ' ')[0]);
    if (!FindProgram(program).empty()) continue;
    return {StatusCode::kUnavailable, std::string(codec.name) + ": " + program +
                                          " is not installed; on Debian: apt-get install " +
                                          std::string(codec.debian_packages)};
  }
  return {};
}

std::string VersionOf(const ExternalCodec& codec) {
  const Arguments command = Fill(codec.version_command, {});
  const Result<ProcessResult> result = RunProcess(command, ".", kVersionSeconds);
  if (!result.ok()) return command[0];
  // The first word that starts like 1.2, perhaps after a v.
  std::string output = result->output;
  std::replace(output.begin(), output.end(), '\n', ' ');
  for (std::string_view word : SplitAt(output, ' ')) {
    if (word.starts_with('v')) word.remove_prefix(1);
    const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    if (digits == 0 || digits + 1 >= word.size() || word[digits] != '.') continue;
    if (std::isdigit(static_cast<unsigned char>(word[digits + 1])) == 0) continue;
    if (word.ends_with('.')) word.remove_suffix(1);
    return command[0] + " " + std::string(word);
  }
  return command[0];
}

std::string DescribeCommands(const ExternalCodec& codec) {
  std::string text;
  for (const std::string_view command : Commands(codec)) {
    if (!text.empty()) text += " && ";
    text += command;
  }
  return text;
}

Result<ExternalCoding> RunExternalCodec(const ExternalCodec& codec, const ImageView& picture,
                                        double quality, const std::string& folder,
                                        const std::function<bool()>& stop) {
  MMP_RETURN_IF_ERROR(WritePicture(picture, codec.input, folder));
  const std::map<std::string, std::string> values = {
      {"{quality}", NumberText(quality)},
      {"{ratio}", NumberText(8 / quality)},
      {"{width}", std::to_string(picture.width)},
      {"{height}", std::to_string(picture.height)},
  };
  const double limit = kSecondsToStart + kSecondsPerPixel * picture.width * picture.height;
  ExternalCoding coding;
  const auto run = [&](std::string_view command, double& seconds) {
    return command.empty() ? Status()
                           : RunStep(Fill(command, values), folder, limit, stop, seconds);
  };
  double uncounted = 0;
  MMP_RETURN_IF_ERROR(run(codec.encode, coding.encode_seconds));
  MMP_RETURN_IF_ERROR(run(codec.finish, uncounted));
  MMP_RETURN_IF_ERROR(run(codec.decode, coding.decode_seconds));
  coding.command = ShellText(Fill(codec.encode, values));
  if (!codec.finish.empty()) coding.command += " && " + ShellText(Fill(codec.finish, values));
  Result<std::vector<uint8_t>> bytes =
      ReadFile(folder + "/" + std::string(codec.coded_file), uint64_t{1} << 32);
  if (!bytes.ok()) return bytes.status();
  coding.bytes = *std::move(bytes);
  Result<Image> decoded =
      ReadDecoded(folder + "/" + std::string(codec.decoded_file), picture.width, picture.height);
  if (!decoded.ok()) return decoded.status();
  coding.decoded = *std::move(decoded);
  return coding;
}

}  // namespace mmp
