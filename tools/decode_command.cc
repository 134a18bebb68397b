#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/mmp.h"
#include "common/image_io.h"
#include "tools/commands.h"
#include "tools/file_jobs.h"
#include "tools/load.h"
#include "tools/progress_line.h"
#include "tools/terminal.h"

namespace mmp {
namespace {

constexpr char kFooter[] = R"(
IN and OUT may be - for standard input and output. The samples of every tile are checked against the
encoder's checksum. A damaged file gives no output, unless --keep-going is given: the exit code is
then 6, and damaged tiles are listed and left gray.
)";

struct DecodeArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string format;  // empty: by the output's name
  std::string dictionary_file;
  DecodeOptions decode;
};

// Errors: kInvalidArgument.
Result<ImageFormat> FormatOf(const FileJob& job, const std::string& format) {
  if (format == "pgm") return ImageFormat::kPgm;
  if (format == "png" || job.output == "-") return ImageFormat::kPng;
  return ImageFormatOfPath(job.output);
}

void PrintDamage(const FileJob& job, const std::vector<DamagedTile>& tiles) {
  for (const DamagedTile& tile : tiles) {
    PrintWarning(Format("%s: the tile of %dx%d pixels at (%d, %d) is left gray: %s",
                        QuotedInput(job.input).c_str(), tile.width, tile.height, tile.x, tile.y,
                        tile.reason.c_str()));
  }
}

Result<DecodedImage> DecodeFile(const FileJob& job, const std::string& format_name,
                                const DecodeOptions& options) {
  const Result<ImageFormat> format = FormatOf(job, format_name);
  if (!format.ok()) return format.status();
  Result<DecodedImage> decoded = LoadCodedImage(job.input, options);
  if (!decoded.ok()) return decoded;
  MMP_RETURN_IF_ERROR(WriteImage(job.output, decoded->image.View(), *format));
  return decoded;
}

ExitCode DecodeAndPrint(const FileJob& job, const std::string& format, const DecodeOptions& options,
                        std::FILE* stream) {
  const auto start = std::chrono::steady_clock::now();
  const Result<DecodedImage> decoded = DecodeFile(job, format, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!decoded.ok()) return ReportFailure(decoded.status());
  PrintDamage(job, decoded->damaged_tiles);
  PrintLine(stream, Format("%s: %dx%d, %.2f s", OutputName(job.output).c_str(),
                           decoded->image.width(), decoded->image.height(), seconds.count()));
  return decoded->damaged_tiles.empty() ? ExitCode::kSuccess : ExitCode::kIncomplete;
}

ExitCode Run(const DecodeArguments& arguments) {
  const Result<std::vector<FileJob>> jobs =
      PlanFileJobs(arguments.inputs, arguments.output, arguments.format == "pgm" ? ".pgm" : ".png");
  if (!jobs.ok()) return ReportFailure(jobs.status());
  Result<std::vector<uint8_t>> dictionary_file = ReadDictionaryFile(arguments.dictionary_file);
  if (!dictionary_file.ok()) return ReportFailure(dictionary_file.status());
  DecodeOptions base_options = arguments.decode;
  base_options.dictionary_file = *std::move(dictionary_file);
  const int count = static_cast<int>(jobs->size());
  std::FILE* const stream = ReportStream(*jobs);
  ProgressLine progress("decoding", count);
  return RunJobs(count, arguments.decode.threads, [&](int i, int threads) {
    DecodeOptions options = base_options;
    options.threads = threads;
    options.progress = [&progress, i](double done) {
      progress.Update(i, done);
      return true;
    };
    const ExitCode code = DecodeAndPrint((*jobs)[i], arguments.format, options, stream);
    progress.Update(i, 1);
    return code;
  });
}

void AddOptions(CLI::App& app, DecodeArguments& arguments) {
  app.add_option("IN", arguments.inputs, ".mmp files")->required();
  app.add_option("-o,--output", arguments.output,
                 "Output file (.png or .pgm), or folder if it exists or several files are given\n"
                 "(default: the file's name with .png, beside the file)")
      ->type_name("OUT|DIR");
  app.add_option("--format", arguments.format,
                 "png or pgm (default: by the output's name, png for -)")
      ->check(CLI::IsMember({"png", "pgm"}))
      ->type_name("F");
  app.add_option("--threads", arguments.decode.threads, "Threads, 0: one a core")
      ->check(CLI::Range(0, kMaxThreads))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-pixels", arguments.decode.max_pixels, "Refuse larger images")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-work", arguments.decode.max_multiply_adds,
                 "Give up after so many multiply-adds in learning patterns")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--dictionary-file", arguments.dictionary_file,
                 "The file that the image was encoded with, if it was with one")
      ->type_name("FILE");
  app.add_flag("--keep-going", arguments.decode.keep_going,
               "Leave damaged tiles gray in place of failing");
}

}  // namespace

Command AddDecodeCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand("decode", "Decode .mmp files as PNG or PGM images");
  app->footer(kFooter);
  const auto arguments = std::make_shared<DecodeArguments>();
  AddOptions(*app, *arguments);
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
