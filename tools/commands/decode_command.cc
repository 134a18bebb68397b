#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"
#include "common/image_files/metadata/move_metadata.h"
#include "mmp/mmp.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/input_files.h"
#include "tools/command_line/load.h"
#include "tools/command_line/progress_line.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/commands/decode_limits.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr char kDecodeFooter[] = R"(
IN and OUT may be - for standard input and output. Put -- before names that begin with a dash. Of a
folder all .mmp files are taken, but not those of folders in it. The samples of every tile are
checked against the encoder's checksum. A damaged file gives no output, unless --keep-going is
given: the exit code is then 6, damaged tiles are listed and left gray, and bytes behind the last
tile left out. Metadata that are damaged are left out of the output; the exit code is then 6, too.
Signed samples need TIFF. Of a region only the tiles that have pixels of it are read and decoded, so
it takes a part of the time of a tiled file; GeoTIFF says where the region lies, OME-XML is left
out.
)";

struct DecodeArguments {
  std::vector<std::string> inputs;
  bool keep_extension = false;
  bool force = false;
  std::string output;
  std::string format;  // empty: by the output's name
  std::optional<std::string> region;
  std::string dictionary_file;
  bool strip = false;
  DecodeOptions decode;
};

// "X,Y,WxH". Whether that is inside the image only its file says. Errors: kInvalidArgument.
Result<Region> ParseRegion(std::string_view text) {
  const size_t first = std::min(text.find(','), text.size());
  const size_t second = std::min(text.find(',', first + 1), text.size());
  const size_t cross = std::min(text.find('x', second), text.size());
  const auto number = [&](size_t begin, size_t end) {
    return ParseNumber<int>(text.substr(std::min(begin, end), end - std::min(begin, end)));
  };
  const auto x = number(0, first), y = number(first + 1, second);
  const auto width = number(second + 1, cross), height = number(cross + 1, text.size());
  if (x && y && width && height && *x >= 0 && *y >= 0 && *width > 0 && *height > 0)
    return Region{*x, *y, *width, *height};
  return Status(StatusCode::kInvalidArgument, "--region: '" + std::string(text) +
                                                  "' is no column, row and size in pixels, such "
                                                  "as 1024,512,640x480");
}

// Errors: kInvalidArgument.
Result<ImageFormat> FormatOf(const FileJob& job, const std::string& format) {
  if (format == "pgm") return ImageFormat::kPgm;
  if (format == "tiff") return ImageFormat::kTiff;
  if (format == "png" || job.output == "-") return ImageFormat::kPng;
  return ImageFormatOfPath(job.output);
}

void PrintDamage(const FileJob& job, const DecodedImage& decoded) {
  for (const DamagedTile& tile : decoded.damaged_tiles) {
    PrintWarning(Format("%s: the tile of %dx%d pixels at (%d, %d) is left gray: %s",
                        QuotedInput(job.input).c_str(), tile.width, tile.height, tile.x, tile.y,
                        tile.reason.c_str()));
  }
  if (decoded.trailing_bytes > 0)
    PrintWarning(Format("%s: there are bytes behind the last tile (%llu), which are left out",
                        QuotedInput(job.input).c_str(),
                        static_cast<unsigned long long>(decoded.trailing_bytes)));
}

// Says what is missing of the metadata, by damage or as the format has no place for it.
void PrintMetadata(const FileJob& job, const DecodedImage& decoded, ImageFormat format) {
  const std::string name = QuotedInput(job.input);
  if (decoded.damaged_metadata > 0)
    PrintWarning(name + ": metadata are damaged and left out; the image is whole");
  Metadata left_out = decoded.metadata;
  std::erase_if(left_out, [&](const auto& chunk) { return HasPlaceFor(format, chunk.kind); });
  if (!left_out.empty())
    PrintNote(name +
              ": left out metadata for which the image file has no place: " + KindNames(left_out));
}

Result<DecodedImage> DecodeFile(const FileJob& job, const DecodeArguments& arguments,
                                const DecodeOptions& options) {
  const Result<ImageFormat> format = FormatOf(job, arguments.format);
  if (!format.ok()) return format.status();
  Result<DecodedImage> decoded = LoadCodedImage(job.input, options);
  if (!decoded.ok()) return decoded;
  if (arguments.strip) {
    decoded->metadata.clear();
    decoded->damaged_metadata = 0;
  }
  Metadata of_whole;
  if (options.region)
    of_whole = CropMetadata(options.region->x, options.region->y, decoded->metadata);
  const ImageExtras extras = {decoded->metadata, decoded->is_signed};
  const Status written =
      WriteImage(job.output, decoded->image.View(), *format, extras, job.old_file);
  if (!written.ok()) return decoded->is_signed ? About(job.input, written) : written;
  if (!of_whole.empty())
    PrintNote(QuotedInput(job.input) +
              ": left out metadata that are of the whole image: " + KindNames(of_whole));
  PrintMetadata(job, *decoded, *format);
  return decoded;
}

ExitCode DecodeAndPrint(const FileJob& job, const DecodeArguments& arguments,
                        const DecodeOptions& options, std::FILE* stream) {
  const auto start = std::chrono::steady_clock::now();
  const Result<DecodedImage> decoded = DecodeFile(job, arguments, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!decoded.ok()) return ReportFailure(decoded.status());
  PrintDamage(job, *decoded);
  PrintLine(stream, Format("%s: %dx%d, %.2f s", OutputName(job.output).c_str(),
                           decoded->image.width(), decoded->image.height(), seconds.count()));
  const bool is_whole = decoded->damaged_tiles.empty() && decoded->damaged_metadata == 0 &&
                        decoded->trailing_bytes == 0;
  return is_whole ? ExitCode::kSuccess : ExitCode::kIncomplete;
}

// The name without .mmp if that is one of an image of the format, as encode --keep-extension makes
// them; else with the format's extension.
std::string DecodedName(const std::string& input, const std::string& format, bool keep_extension) {
  const std::string extension = format == "pgm" ? ".pgm" : format == "tiff" ? ".tif" : ".png";
  if (keep_extension) return input + extension;
  const std::filesystem::path path(input);
  if (path.extension() != ".mmp") return std::filesystem::path(path).replace_extension(extension);
  const std::string stem = path.stem();
  const std::string inner = path.stem().extension();
  const bool is_image =
      inner == extension || (format == "tiff" && inner == ".tiff") ||
      (format.empty() && (inner == ".pgm" || inner == ".tif" || inner == ".tiff"));
  return is_image ? stem : stem + extension;
}

OutputNames NamesFor(const DecodeArguments& arguments) {
  const auto name = [format = arguments.format](const std::string& input, bool keep_extension) {
    return DecodedName(input, format, keep_extension);
  };
  return {.name = name,
          .keep_extension = arguments.keep_extension,
          .force = arguments.force,
          .extensions = {".png", ".pgm", ".tif", ".tiff"},
          .same_name = "is called like an image, not like an .mmp file; did you mean mmp encode?",
          .kept = {arguments.dictionary_file}};
}

ExitCode Run(const DecodeArguments& arguments) {
  const Result<InputFiles> inputs = ListInputs(arguments.inputs, CodedFiles());
  if (!inputs.ok()) return ReportFailure(inputs.status());
  const Result<std::vector<FileJob>> jobs =
      PlanFileJobs(*inputs, arguments.output, NamesFor(arguments));
  if (!jobs.ok()) return ReportFailure(jobs.status());
  Result<std::vector<uint8_t>> dictionary_file = ReadDictionaryFile(arguments.dictionary_file);
  if (!dictionary_file.ok()) return ReportFailure(dictionary_file.status());
  DecodeOptions base_options = arguments.decode;
  if (arguments.region) {
    const Result<Region> region = ParseRegion(*arguments.region);
    if (!region.ok()) return ReportFailure(region.status());
    base_options.region = *region;
  }
  base_options.dictionary_file = *std::move(dictionary_file);
  const int count = static_cast<int>(jobs->size());
  std::FILE* const stream = ReportStream(*jobs);
  ProgressLine progress("decoding", count);
  const auto decode = [&](int i, int threads) {
    DecodeOptions options = base_options;
    options.threads = threads;
    options.progress = [&progress, i](double done) {
      progress.Update(i, done);
      return true;
    };
    const ExitCode code = DecodeAndPrint((*jobs)[i], arguments, options, stream);
    progress.Update(i, 1);
    return code;
  };
  const std::vector<ExitCode> codes = RunJobs(count, arguments.decode.threads, decode);
  PrintBatchOutcome(*jobs, codes, stream);
  return FirstFailure(codes);
}

void AddOptions(CLI::App& app, DecodeArguments& arguments) {
  app.add_option("IN", arguments.inputs, ".mmp files, or folders of them")->required();
  app.add_option(
         "-o,--output", arguments.output,
         "Output file (.png, .pgm or .tif), or folder if it exists or several files are given\n"
         "(default: the file's name with .png, beside the file; a.png.mmp: a.png)")
      ->check(NotEmpty())
      ->type_name("OUT|DIR");
  app.add_flag("--keep-extension", arguments.keep_extension,
               "Keep the file's extension in names: a.mmp becomes a.mmp.png");
  app.add_flag("--force", arguments.force,
               "Replace existing files (refused without, but for a file that -o names)");
  app.add_option("--format", arguments.format,
                 "png, pgm or tiff (default: by the output's name, png for -)")
      ->check(CLI::IsMember({"png", "pgm", "tiff"}))
      ->type_name("F");
  app.add_flag("--strip", arguments.strip, "Write no metadata");
  app.add_option("--region", arguments.region,
                 "Decode W x H pixels from column X and row Y on, and read no more than they need")
      ->type_name("X,Y,WxH");
  app.add_flag("--preview", arguments.decode.preview,
               "Decode the preview, an eighth as wide and high, of a file that has one")
      ->excludes("--region");
  app.add_option("--threads", arguments.decode.threads, "Threads, 0: one a core")
      ->check(CLI::Range(0, kMaxThreads))
      ->capture_default_str()
      ->type_name("N");
  AddDecodeLimits(app, arguments.decode);
  app.add_option("--dictionary-file", arguments.dictionary_file,
                 "The file that the image was encoded with, if it was with one")
      ->type_name("FILE");
  app.add_flag("--keep-going", arguments.decode.keep_going,
               "Leave damaged tiles gray in place of failing");
}

}  // namespace

Command AddDecodeCommand(CLI::App& program) {
  CLI::App* const app =
      program.add_subcommand("decode", "Decode .mmp files as PNG, PGM or TIFF images");
  app->footer(kDecodeFooter);
  const auto arguments = std::make_shared<DecodeArguments>();
  AddOptions(*app, *arguments);
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
