#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mmp/mmp_cuda.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/input_files.h"
#include "tools/command_line/interruption.h"
#include "tools/command_line/name_lists.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/page/decoder_page.h"
#include "tools/sweep/crew/crew.h"
#include "tools/sweep/crew/ranks.h"
#include "tools/sweep/external/external_codec.h"
#include "tools/sweep/lambda_list.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/report/report.h"
#include "tools/sweep/results/results_files.h"
#include "tools/sweep/sweep.h"
#include "tools/sweep/sweep_folder.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr char kSweepDescription[] =
    "Encode images at many lambdas and measure rate and quality, also of other codecs";

constexpr char kSilenceVariable[] = "MMP_SILENT_RANK_SECONDS";
constexpr int kLeastSilence = 3, kMostSilence = 86400;  // seconds

constexpr char kSweepFooter[] = R"(
DIR gets results.csv, results.json, bd-rate.csv and report.html, a page with the curves. A sweep
that was interrupted writes them for what is done, and goes on where it was when it is started
again; points that DIR already has are not measured again. A folder that has files, but no journal
of a sweep, is refused without --force.

Codecs to compare with, and the Debian packages that have them:
)";

struct SweepArguments {
  SweepRequest request;  // only the parts that need no more than CLI11's conversions
  std::string lambdas = "10,20,40,80,160,320";
  std::string lambda_range;
  std::string presets = std::string(PresetName(Preset::kBest));
  std::string efforts;
  std::string backend = std::string(BackendName(Backend::kAuto));
  std::string against;
};

std::vector<std::string_view> CodecNames() {
  std::vector<std::string_view> names;
  for (const ExternalCodec& codec : ExternalCodecs()) names.push_back(codec.name);
  return names;
}

std::string Footer() {
  std::string text = kSweepFooter;
  for (const ExternalCodec& codec : ExternalCodecs())
    text += Format("  %-10s%s\n", std::string(codec.name).c_str(),
                   std::string(codec.debian_packages).c_str());
  return text;
}

void AddOptions(CLI::App& app, SweepArguments& arguments) {
  SweepRequest& request = arguments.request;
  app.add_option("IMAGES", request.inputs, "Images, or folders of images")->required();
  app.add_option("-o,--output", request.folder, "Folder for the results")
      ->required()
      ->type_name("DIR");
  app.add_flag(
      "--force", request.force,
      "Into DIR also if it has files that are not of a sweep, and over those of its names");
  CLI::Option* const list =
      app.add_option("--lambda", arguments.lambdas, "Lambdas, with commas between")
          ->capture_default_str()
          ->type_name("L,...");
  app.add_option("--lambda-range", arguments.lambda_range,
                 "COUNT lambdas at even ratios from FROM to TO, such as 2:320:8")
      ->excludes(list)
      ->type_name("FROM:TO:COUNT");
  CLI::Option* const presets =
      app.add_option("--preset", arguments.presets, "Presets, with commas between")
          ->check(ListOf(PresetNames()))
          ->capture_default_str()
          ->type_name("P,...");
  app.add_option("--effort", arguments.efforts,
                 "Efforts, 1 to 9, with commas between, in place of presets")
      ->excludes(presets)
      ->type_name("N,...");
  app.add_option("--backend", arguments.backend, "auto: CUDA where there is a device, else CPU")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->type_name("B");
  app.add_option("--jobs", request.jobs,
                 "Threads of the CPU: points that it works on side by side; 0: one a core")
      ->check(CLI::Range(0, kMaxThreads))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--against", arguments.against, "Codecs to compare with, with commas between")
      ->check(ListOf(CodecNames()))
      ->type_name("C,...");
  app.add_option("--against-csv", request.against_csv,
                 "Points measured elsewhere, such as another sweep's results.csv;\n"
                 "may be given several times")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--bitstreams", request.keep_bitstreams, "Keep all coded files, in DIR/bitstreams");
  app.add_flag("--decoded", request.keep_decoded,
               "Keep all decoded pictures, in DIR/decoded, for the report to show");
  app.add_option("--max-pixels", request.read.max_pixels, "Refuse larger images")
      ->check(WholeNumber())
      ->capture_default_str()
      ->type_name("N");
  app.add_flag("--depth8", request.read.depth8,
               "Scale samples of more than 8 bits to 8 bits (refused without; of fewer always)");
}

void AddOnce(const EncoderSetting& setting, std::vector<EncoderSetting>& settings) {
  if (std::find(settings.begin(), settings.end(), setting) == settings.end())
    settings.push_back(setting);
}

Result<std::vector<EncoderSetting>> ParsePresets(const std::string& list) {
  std::vector<EncoderSetting> settings;
  for (const std::string_view name : SplitAt(list, ',')) {
    const Result<Preset> preset = ParsePreset(name);
    if (!preset.ok())
      return Status(preset.status().code(), "--preset: " + preset.status().message());
    AddOnce({.preset = *preset}, settings);
  }
  return settings;
}

Result<std::vector<EncoderSetting>> ParseEfforts(const std::string& list) {
  std::vector<EncoderSetting> settings;
  for (const std::string_view text : SplitAt(list, ',')) {
    const std::optional<int> effort = ParseNumber<int>(text);
    if (!effort || *effort < kLeastEffort || *effort > kMostEffort) {
      return Status(StatusCode::kInvalidArgument,
                    "--effort: '" + std::string(text) + "' is not a number from 1 to 9");
    }
    AddOnce({.effort = *effort}, settings);
  }
  return settings;
}

// Finds the codecs, and that all are installed.
Result<std::vector<const ExternalCodec*>> ParseCodecs(const std::string& list) {
  std::vector<const ExternalCodec*> codecs;
  if (list.empty()) return codecs;
  for (const std::string_view name : SplitAt(list, ',')) {
    const Result<const ExternalCodec*> codec = FindExternalCodec(name);
    if (!codec.ok()) return Status(codec.status().code(), "--against: " + codec.status().message());
    MMP_RETURN_IF_ERROR(CheckInstalled(**codec));
    if (std::find(codecs.begin(), codecs.end(), *codec) == codecs.end()) codecs.push_back(*codec);
  }
  return codecs;
}

Result<SweepRequest> MakeRequest(const SweepArguments& arguments) {
  SweepRequest request = arguments.request;
  for (const std::string& input : request.inputs) {
    if (input == "-")
      return Status(StatusCode::kInvalidArgument, "a sweep cannot read standard input");
  }
  Result<InputFiles> images = ListInputs(request.inputs, ImageFiles());
  if (!images.ok()) return images.status();
  request.inputs = std::move(images->paths);
  Result<std::vector<double>> lambdas = arguments.lambda_range.empty()
                                            ? ParseLambdaList(arguments.lambdas)
                                            : ParseLambdaRange(arguments.lambda_range);
  if (!lambdas.ok()) return lambdas.status();
  request.lambdas = *std::move(lambdas);
  Result<std::vector<EncoderSetting>> settings =
      arguments.efforts.empty() ? ParsePresets(arguments.presets) : ParseEfforts(arguments.efforts);
  if (!settings.ok()) return settings.status();
  request.settings = *std::move(settings);
  for (const Backend backend : {Backend::kAuto, Backend::kCpu, Backend::kCuda}) {
    if (arguments.backend == BackendName(backend)) request.backend = backend;
  }
  Result<std::vector<const ExternalCodec*>> codecs = ParseCodecs(arguments.against);
  if (!codecs.ok()) return codecs.status();
  request.against = *std::move(codecs);
  return request;
}

// Whether there is a point that was not just read from a table.
bool MeasuredAny(const SweepResults& results) {
  return std::ranges::any_of(results.points,
                             [](const RdPoint& point) { return !point.command.empty(); });
}

void PrintSummary(const SweepResults& results, const std::string& report) {
  const std::string deltas = DeltasText(results);
  if (!deltas.empty()) PrintLine(stdout, deltas);
  std::string summary =
      Counted(results.points.size(), "point") + " of " + Counted(results.images.size(), "image");
  if (!results.failures.empty()) summary += ", " + Counted(results.failures.size(), "failure");
  PrintLine(stdout, summary + ": " + report);
}

ExitCode RunAndReport(const Result<SweepRequest>& request, const Measurer& measurer) {
  if (!request.ok()) return ReportFailure(request.status());
  const Result<SweepResults> results = RunSweep(*request, measurer);
  if (!results.ok()) return ReportFailure(results.status());
  const std::string report = fs::path(request->folder) / kReportName;
  if (request->keep_bitstreams) {
    const Status copied = CopyDecoderPage(request->folder);
    if (!copied.ok()) return ReportFailure(copied);
  }
  const Status written = WriteReport(*results, report);
  if (!written.ok()) return ReportFailure(written);
  PrintSummary(*results, report);
  if (IsInterrupted(*request)) {
    PrintNote("interrupted with " + Counted(results->points_left, "point") +
              " left; the same command goes on from here");
    return ExitCode::kFailure;
  }
  if (results->failures.empty()) return ExitCode::kSuccess;
  if (MeasuredAny(*results)) return ExitCode::kIncomplete;
  PrintError("not a single point could be measured; '" + report + "' lists the failures");
  return ExitCodeFor(results->failures[0].code);
}

// The environment says how long a rank may be silent: it is a matter of the machines, and mpirun
// and srun hand it on.
Result<CrewTiming> TimingOfCrew() {
  CrewTiming timing;
  const char* const text = std::getenv(kSilenceVariable);
  if (text == nullptr) return timing;
  const std::optional<int> seconds = ParseNumber<int>(text);
  if (!seconds || *seconds < kLeastSilence || *seconds > kMostSilence) {
    return Status(StatusCode::kInvalidArgument,
                  Format("%s: '%s' is not a whole number of seconds from %d to %d",
                         kSilenceVariable, text, kLeastSilence, kMostSilence));
  }
  timing.silence = std::chrono::seconds(*seconds);
  return timing;
}

// `measurer`, from whose beginning on signals are caught: before, there is nothing to save.
Measurer Catching(Measurer measurer, std::optional<Interruption>& interruption) {
  return [measurer = std::move(measurer), &interruption](std::span<const SweepTask> tasks,
                                                         const MeasureContext& context,
                                                         const MeasureEvents& events) {
    interruption.emplace();
    measurer(tasks, context, events);
  };
}

// As rank 0 of several.
ExitCode Lead(Ranks& ranks, const Result<SweepRequest>& request,
              std::optional<Interruption>& interruption) {
  const Result<CrewTiming> timing = TimingOfCrew();
  ExitCode code;
  bool lost_any;
  {
    Leader leader(ranks, timing.ok() ? *timing : CrewTiming());
    if (!timing.ok()) return ReportFailure(timing.status());
    code =
        RunAndReport(request, Catching(std::bind_front(&Leader::Measure, &leader), interruption));
    lost_any = leader.lost_any();
  }
  if (lost_any) ranks.EndAll(static_cast<int>(code));
  return code;
}

// `interruption` is there from when there is something to save.
ExitCode RunAsRank(const std::unique_ptr<Ranks>& ranks, const Result<SweepRequest>& request,
                   std::optional<Interruption>& interruption) {
  if (ranks == nullptr) return RunAndReport(request, Catching(MeasurePoints, interruption));
  ShareCudaDevices(ranks->host_rank(), ranks->host_size());
  if (ranks->rank() == 0) return Lead(*ranks, request, interruption);
  interruption.emplace();
  WorkForLeader(*ranks, request);
  interruption.reset();  // rank 0 says how it ended
  return ExitCode::kSuccess;
}

ExitCode Run(const SweepArguments& arguments) {
  std::optional<Interruption> interruption;
  ExitCode code;
  {
    const std::unique_ptr<Ranks> ranks = JoinRanks();
    Result<SweepRequest> request = MakeRequest(arguments);
    if (request.ok())
      request->interrupted = [&] { return interruption.has_value() && interruption->came(); };
    code = RunAsRank(ranks, request, interruption);
  }
  if (interruption) interruption->Pass();
  return code;
}

}  // namespace

Command AddSweepCommand(CLI::App& program, const std::string& command_line) {
  CLI::App* const app = program.add_subcommand("sweep", kSweepDescription);
  app->footer(Footer());
  const auto arguments = std::make_shared<SweepArguments>();
  arguments->request.command = command_line;
  AddOptions(*app, *arguments);
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
