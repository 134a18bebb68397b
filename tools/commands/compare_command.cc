#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "common/metrics.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/input_files.h"
#include "tools/command_line/load.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/commands/decode_limits.h"
#include "tools/text/json.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr char kCompareFooter[] = R"(
.mmp files are decoded on the fly. Samples are compared as they are, and the peak of the PSNR is the
largest that their bits can be; --depth8 compares image files of fewer or more than 8 bits as mmp
encode --depth8 codes them. The PSNR of equal images is infinite: inf, in JSON null.
)";

struct CompareArguments {
  std::string a;
  std::string b;
  std::string dictionary_file;
  DecodeOptions decode;  // its limits
  bool depth8 = false;
  bool json = false;
};

struct Comparison {
  int width = 0;   // pixels
  int height = 0;  // pixels
  int depth = 0;   // bits a sample
  double mse = 0;
  double psnr = 0;  // dB; infinite if equal
  double ssim = 0;
  int max_difference = 0;
};

Result<Image> Load(const std::string& path, const DecodeOptions& options, DepthLimit limit) {
  Result<LoadedImage> loaded = LoadAnyImage(path, options, limit);
  if (!loaded.ok()) return loaded.status();
  if (!loaded->notice.empty()) PrintNote(QuotedInput(path) + ": " + loaded->notice);
  return std::move(loaded->image);
}

Status CheckComparable(const CompareArguments& arguments, const Image& a, const Image& b) {
  if (a.width() != b.width() || a.height() != b.height()) {
    return Status(StatusCode::kUnsupported,
                  Format("%s is %dx%d but %s is %dx%d; only images of one size can be compared",
                         QuotedInput(arguments.a).c_str(), a.width(), a.height(),
                         QuotedInput(arguments.b).c_str(), b.width(), b.height()));
  }
  if (a.depth() != b.depth()) {
    return Status(StatusCode::kUnsupported,
                  Format("%s has samples of %s but %s of %d; only images of one depth can be "
                         "compared (--depth8 scales those of image files to 8 bits)",
                         QuotedInput(arguments.a).c_str(), Counted(a.depth(), "bit").c_str(),
                         QuotedInput(arguments.b).c_str(), b.depth()));
  }
  return {};
}

Comparison Measure(const Image& a, const Image& b) {
  const ImageView view_a = a.View();
  const ImageView view_b = b.View();
  return {.width = a.width(),
          .height = a.height(),
          .depth = a.depth(),
          .mse = Mse(view_a, view_b),
          .psnr = Psnr(view_a, view_b),
          .ssim = Ssim(view_a, view_b),
          .max_difference = MaxDifference(view_a, view_b)};
}

Result<Comparison> Compare(const CompareArguments& arguments) {
  MMP_RETURN_IF_ERROR(CheckStandardInput({arguments.a, arguments.b}));
  Result<std::vector<uint8_t>> dictionary_file = ReadDictionaryFile(arguments.dictionary_file);
  if (!dictionary_file.ok()) return dictionary_file.status();
  DecodeOptions options = arguments.decode;
  options.dictionary_file = *std::move(dictionary_file);
  const DepthLimit limit = arguments.depth8 ? DepthLimit::kScaled : DepthLimit::kNone;
  const Result<Image> a = Load(arguments.a, options, limit);
  if (!a.ok()) return a.status();
  const Result<Image> b = Load(arguments.b, options, limit);
  if (!b.ok()) return b.status();
  MMP_RETURN_IF_ERROR(CheckComparable(arguments, *a, *b));
  return Measure(*a, *b);
}

std::string ComparisonText(const Comparison& comparison) {
  return Format("size                %dx%d\n", comparison.width, comparison.height) +
         Format("depth               %d\n", comparison.depth) +
         Format("MSE                 %.6g\n", comparison.mse) +
         Format("PSNR                %.4f dB\n", comparison.psnr) +
         Format("SSIM                %.6f\n", comparison.ssim) +
         Format("maximum difference  %d", comparison.max_difference);
}

std::string ComparisonJson(const Comparison& comparison) {
  JsonWriter json;
  json.BeginObject()
      .Field("width", comparison.width)
      .Field("height", comparison.height)
      .Field("depth", comparison.depth)
      .Field("mse", comparison.mse)
      .Field("psnr", comparison.psnr)
      .Field("ssim", comparison.ssim)
      .Field("max_difference", comparison.max_difference)
      .EndObject();
  return json.text();
}

ExitCode Run(const CompareArguments& arguments) {
  const Result<Comparison> comparison = Compare(arguments);
  if (!comparison.ok()) return ReportFailure(comparison.status());
  PrintLine(stdout, arguments.json ? ComparisonJson(*comparison) : ComparisonText(*comparison));
  return ExitCode::kSuccess;
}

}  // namespace

Command AddCompareCommand(CLI::App& program) {
  CLI::App* const app =
      program.add_subcommand("compare", "Measure how far an image is from another");
  app->footer(kCompareFooter);
  const auto arguments = std::make_shared<CompareArguments>();
  app->add_option("A", arguments->a, "An image or .mmp file, or - for standard input")->required();
  app->add_option("B", arguments->b, "Another")->required();
  app->add_option("--dictionary-file", arguments->dictionary_file,
                  "The file that an .mmp file was encoded with, if it was with one")
      ->type_name("FILE");
  AddDecodeLimits(*app, arguments->decode);
  app->add_flag("--depth8", arguments->depth8,
                "Scale samples of fewer or more than 8 bits in image files to 8 bits");
  app->add_flag("--json", arguments->json, "Print JSON");
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
