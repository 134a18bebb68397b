#include "tools/encode/encode_options.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "tools/command_line/command_line.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/load.h"
#include "tools/command_line/name_lists.h"
#include "tools/command_line/terminal.h"
#include "tools/text/byte_size.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

// Unlike CLI::Range, refuses "nan".
CLI::Validator Within(double low, double high) {
  const std::string range = Format("%g to %g", low, high);
  const auto check = [=](const std::string& text) -> std::string {
    const std::optional<double> number = ParseNumber<double>(text);
    if (number && *number >= low && *number <= high) return "";
    return "'" + text + "' is not a number from " + range;
  };
  return CLI::Validator(check, range, "");
}

std::string CheckSize(const std::string& text) {
  return ParseSize(text) ? ""
                         : "'" + text + "' is not a size in bytes, such as 20000, 20k or 20KiB";
}

Status ParseTile(std::string_view text, EncodeOptions& options) {
  const size_t x = std::min(text.find('x'), text.size());
  const std::optional<int> width = ParseNumber<int>(text.substr(0, x));
  const std::optional<int> height = ParseNumber<int>(text.substr(std::min(x + 1, text.size())));
  const auto is_side = [](std::optional<int> side) { return side && *side > 0 && *side % 16 == 0; };
  if (!is_side(width) || !is_side(height)) {
    return Status(
        StatusCode::kInvalidArgument,
        "--tile: '" + std::string(text) + "' is not a size in multiples of 16, such as 512x512");
  }
  options.tile_width = *width;
  options.tile_height = *height;
  return Status();
}

Status ParsePredictionLevel(const std::string& text, EncodeOptions& options) {
  options.prediction_level = text == "none" ? kNoPredictionSplit : ParseNumber<int>(text);
  if (text != "none" && !(options.prediction_level >= 0 && options.prediction_level < kLevels)) {
    return Status(StatusCode::kInvalidArgument,
                  "--prediction-level: '" + text + "' is neither a number from 0 to 24 nor none");
  }
  return Status();
}

}  // namespace

void AddEncodeOptions(CLI::App& app, EncodeArguments& arguments) {
  EncodeOptions& encode = arguments.request.encode;
  app.add_option("IN", arguments.inputs, "Images, or folders of images")->required();
  app.add_option("-o,--output", arguments.output,
                 "Output file, or folder if it exists or several images are given\n"
                 "(default: the image's name with .mmp, beside the image)")
      ->check(NotEmpty())
      ->type_name("OUT|DIR");
  app.add_flag("--keep-extension", arguments.keep_extension,
               "Keep the image's extension in names: a.png becomes a.png.mmp");
  app.add_flag("--force", arguments.force,
               "Replace existing files (refused without, but for a file that -o names)");
  CLI::Option* const lambda =
      app.add_option("--lambda", encode.lambda,
                     "Weight of rate against squared error: larger is smaller, 0 is lossless")
          ->check(Within(0, kMaxLambda))
          ->capture_default_str()
          ->type_name("L");
  CLI::Option* const max_error =
      app.add_option("--max-error", encode.max_error,
                     "No sample may be off by more than this; 0 is lossless")
          ->check(CLI::Range(0, kMaxError))
          ->excludes(lambda)
          ->type_name("N");
  CLI::Option* const psnr =
      app.add_option("--target-psnr", arguments.target_psnr,
                     "Search for the lambda that gives at least this PSNR in dB")
          ->check(Within(1, 140))
          ->excludes(lambda)
          ->excludes(max_error)
          ->type_name("DB");
  CLI::Option* const bpp =
      app.add_option("--target-bpp", arguments.target_bpp,
                     "Search for the lambda that gives at most this many bits per pixel")
          ->check(Within(0.001, 16))
          ->excludes(lambda)
          ->excludes(max_error)
          ->excludes(psnr)
          ->type_name("B");
  app.add_option("--target-size", arguments.target_size,
                 "Search for the lambda that gives a file of at most this many bytes:\n"
                 "20000, 20k, 20kB, 1.5M (powers of 1000), 20KiB, 20Ki (powers of 1024)")
      ->check(CLI::Validator(CheckSize, "", ""))
      ->excludes(lambda)
      ->excludes(max_error)
      ->excludes(psnr)
      ->excludes(bpp)
      ->type_name("SIZE");
  app.add_flag("--exact-lambda", encode.exact_lambda,
               "Keep to lambda; without, an image of few gray levels is also tried\n"
               "losslessly, and what costs less is kept (presets but thesis)");
  CLI::Option* const preset =
      app.add_option("--preset", arguments.preset,
                     "best: all tools; fast, quick: the same, fewer candidates;\n"
                     "thesis: the reference configuration")
          ->check(CLI::IsMember(PresetNames()))
          ->capture_default_str()
          ->type_name("P");
  app.add_option(
         "--effort", encode.effort,
         "How much is tried, in place of presets quick (2), fast (5) and best (9): 1 is the\n"
         "fastest, 9 makes the smallest files; a step takes about 1.5 times as long as the\n"
         "one before")
      ->check(CLI::Range(kLeastEffort, kMostEffort))
      ->excludes(preset)
      ->type_name("N");
  app.add_option("--coder", arguments.coder,
                 "patterns; pixels: one after the other, for lossless files and errors bounded;\n"
                 "auto: whichever makes the better file")
      ->check(CLI::IsMember({"auto", "patterns", "pixels"}))
      ->capture_default_str()
      ->type_name("C");
  app.add_option("--dictionary-size", encode.dictionary_size, "Most patterns a level")
      ->check(Within(kMinDictionarySize, kMaxDictionarySize))
      ->type_name("N");
  app.add_option("--prediction-level", arguments.prediction_level,
                 "Smallest level predicted, 0 to 24, or none: macroblocks are predicted whole")
      ->type_name("P");
  app.add_option("--modes", arguments.modes,
                 "Prediction modes to use: all, or numbers or names with commas between, of\n" +
                     ModesText(kAllModes) + " (0 to 30); 2 is always used")
      ->type_name("LIST");
  app.add_option("--tools", arguments.tools,
                 "Coding tools to use: all, none, or numbers or names with commas between, of\n" +
                     ToolsText(kAllTools))
      ->type_name("LIST");
  app.add_option("--dictionary-file", arguments.dictionary_file,
                 "Start with the patterns of this file of mmp train; decoding needs it, too")
      ->type_name("FILE");
  app.add_flag("--preview", encode.preview,
               "Add a small picture, an eighth as wide and high, which decodes at once");
  app.add_option("--tile", arguments.tile,
                 "Size of the tiles, coded independently; multiples of 16\n"
                 "(default: one tile up to 2^20 pixels, equal ones of at most 1024x1024 above)")
      ->type_name("WxH");
  app.add_option("--order", arguments.order,
                 "Of a tile's macroblocks: wavefront (many at a time) or raster; auto: wavefront,\n"
                 "but for drawings, print and preset thesis")
      ->check(CLI::IsMember({"auto", "raster", "wavefront"}))
      ->capture_default_str()
      ->type_name("O");
  app.add_option("--threads", encode.threads, "Threads, 0: one a core")
      ->check(CLI::Range(0, kMaxThreads))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--backend", arguments.backend, "auto: CUDA where there is a device, else CPU")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->type_name("B");
  app.add_option("--max-pixels", arguments.request.read.max_pixels, "Refuse larger images")
      ->check(WholeNumber())
      ->capture_default_str()
      ->type_name("N");
  app.add_flag("--depth8", arguments.request.read.depth8,
               "Scale samples of fewer or more than 8 bits to 8 bits");
  app.add_flag("--strip", arguments.request.strip,
               "Leave out color profile, Exif, XMP, resolution, comments, GeoTIFF and OME-XML,\n"
               "which files else keep");
  app.add_flag(
      "--verify", arguments.request.verify,
      "Check the result before it is written: its checksums and, where the error is bounded,\n"
      "every sample");
  app.add_flag("--stats", arguments.stats, "Report what the encoder did");
  app.add_flag("--json", arguments.json,
               "Report everything as JSON in place of the summary, a list with an object for each\n"
               "image, or its error; with --stats also the time of the stages");
}

Result<EncodeRequest> MakeRequest(const EncodeArguments& arguments) {
  EncodeRequest request = arguments.request;
  EncodeOptions& options = request.encode;
  options.time_stages = arguments.stats;
  request.read.min_depth = 1;
  request.read.max_depth = kMaxDepth;
  for (const Coder coder : {Coder::kAuto, Coder::kPatterns, Coder::kPixels}) {
    if (arguments.coder == CoderName(coder)) options.coder = coder;
  }
  for (const Backend backend : {Backend::kAuto, Backend::kCpu, Backend::kCuda}) {
    if (arguments.backend == BackendName(backend)) options.backend = backend;
  }
  for (const MacroblockOrder order :
       {MacroblockOrder::kAuto, MacroblockOrder::kRaster, MacroblockOrder::kWavefront}) {
    if (arguments.order == OrderName(order)) options.order = order;
  }
  if (!arguments.tile.empty()) MMP_RETURN_IF_ERROR(ParseTile(arguments.tile, options));
  if (!arguments.prediction_level.empty()) {
    MMP_RETURN_IF_ERROR(ParsePredictionLevel(arguments.prediction_level, options));
  }
  const Result<Preset> preset = ParsePreset(arguments.preset);
  if (!preset.ok()) return preset.status();
  options.preset = *preset;
  if (!arguments.modes.empty()) {
    const Result<uint32_t> modes = ParseModes(arguments.modes);
    if (!modes.ok()) return Status(modes.status().code(), "--modes: " + modes.status().message());
    options.modes = *modes;
  }
  if (!arguments.tools.empty()) {
    const Result<uint32_t> tools = ParseTools(arguments.tools);
    if (!tools.ok()) return Status(tools.status().code(), "--tools: " + tools.status().message());
    // "all" are those that there can be.
    if ((*tools & kOwnDictionary) != 0 && arguments.tools != "all" &&
        arguments.dictionary_file.empty()) {
      return Status(StatusCode::kInvalidArgument,
                    "--tools: own-dictionary needs --dictionary-file, which alone turns it on");
    }
    options.tools = *tools;
  }
  Result<std::vector<uint8_t>> dictionary_file = ReadDictionaryFile(arguments.dictionary_file);
  if (!dictionary_file.ok()) return dictionary_file.status();
  options.dictionary_file = *std::move(dictionary_file);
  if (arguments.target_psnr) {
    request.target = {RateTarget::Kind::kPsnr, *arguments.target_psnr};
  } else if (arguments.target_bpp) {
    request.target = {RateTarget::Kind::kBitsPerPixel, *arguments.target_bpp};
  } else if (!arguments.target_size.empty()) {
    request.target_bytes = ParseSize(arguments.target_size);
  }
  return request;
}

}  // namespace mmp
