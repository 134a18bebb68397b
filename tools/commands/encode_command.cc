#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mmp/mmp.h"
#include "tools/command_line/file_jobs.h"
#include "tools/command_line/input_files.h"
#include "tools/command_line/progress_line.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/encode/encode_file.h"
#include "tools/encode/encode_options.h"
#include "tools/encode/stats_report.h"
#include "tools/text/json.h"

namespace mmp {
namespace {

constexpr char kEncodeDescription[] =
    "Encode images (PNG, PBM, PGM, PPM, TIFF, JPEG, BMP; color becomes luma) as .mmp files";

constexpr char kEncodeFooter[] = R"(
IN and OUT may be - for standard input and output. The summary goes to standard output, or to
standard error if OUT is -. Put -- before names that begin with a dash. Of a folder all images are
taken, but not those of folders in it. Images of other kinds can come from a program that converts
them: convert scan.webp png:- | mmp encode - -o scan.mmp

A target is met if PSNR is at least, or rate or size at most, the value given. Lambda is searched for
with at most 32 encodes, two at a time, until the target is met by no more than 0.05 dB or 1 %. Chance
makes neighbouring lambdas differ by more in small images; then the closest that meets the target is
written, with a note, after a second search by patterns alone if the pixel coder was tried. Images of
at most 128 gray levels are tried losslessly, too, and others if no lambda above 0 reaches the
target: a lossless file is written if it is within the rate, or no larger than others of the wanted
PSNR. Patterns alone (--coder patterns) have none of more than 8 bits. If no lambda meets the target,
the closest result is written, and the exit code is 6.
)";

// That no image is replaced by an .mmp file under its name, as by a slip of mmp decode.
Status CheckNoneIsAnImage(const std::vector<FileJob>& jobs) {
  for (const FileJob& job : jobs) {
    if (!ImageFiles().has_name(job.output)) continue;
    return Status(StatusCode::kInvalidArgument, "'" + job.output +
                                                    "' is called like an image; mmp encode writes "
                                                    ".mmp files, mmp decode images");
  }
  return Status();
}

// Says so if a target was not met, or not closely.
ExitCode PrintOutcome(const FileJob& job, const EncodeReport& report) {
  const std::string name = QuotedInput(job.input);
  if (!report.search->met) {
    PrintWarning(name + ": no lambda meets the target; wrote the closest result");
    return ExitCode::kIncomplete;
  }
  if (report.search->met_closely) return ExitCode::kSuccess;
  PrintNote(name + (report.lambda == 0 ? ": lossless coding meets the target"
                                       : ": no lambda tried meets the target more closely"));
  return ExitCode::kSuccess;
}

// Says so if decoders must be told to go as far as this file needs.
void PrintDecodeWork(const FileJob& job, const EncodeReport& report) {
  const uint64_t pixels =
      static_cast<uint64_t>(report.width) * static_cast<uint64_t>(report.height);
  if (report.stats.coder == Coder::kPixels ||
      report.stats.decode_work <= DefaultMaxWork(report.bytes, pixels))
    return;
  PrintNote(QuotedInput(job.input) +
            ": decoding the file takes more work than decoders allow by default: decode it with "
            "--max-work " +
            std::to_string(report.stats.decode_work));
}

// Says which lambda suits samples that fill little of their range, as many of 12 bits in 16 do, if
// none was chosen.
void PrintNarrowRange(const FileJob& job, const EncodeReport& report) {
  constexpr double kLittle = 0.25;
  const double lambda = EncodeOptions().lambda, part = report.filled_range;
  if (report.depth <= 8 || report.lambda != lambda || std::isinf(report.psnr) || part >= kLittle ||
      part == 0)
    return;
  PrintNote(Format(
      "%s: lambda %g leaves little of samples of which 98 %% fill %.2g %% of the range of "
      "%d bits; try --lambda %.1g",
      QuotedInput(job.input).c_str(), lambda, 100 * part, report.depth, lambda * part * part));
}

ExitCode Print(const EncodeArguments& arguments, const FileJob& job, std::FILE* stream,
               const Result<EncodeReport>& report) {
  if (!report.ok()) return ReportFailure(report.status());
  if (!report->notice.empty()) PrintNote(QuotedInput(job.input) + ": " + report->notice);
  PrintDecodeWork(job, *report);
  if (!report->search) PrintNarrowRange(job, *report);
  if (!arguments.json) {
    std::string text = SummaryText(job, *report);
    if (arguments.stats) text += "\n\n" + StatsText(report->stats) + "\n";
    PrintLine(stream, text);
  }
  return report->search ? PrintOutcome(job, *report) : ExitCode::kSuccess;
}

using DoneCallback = std::function<ExitCode(size_t index, Result<EncodeReport> report)>;

// All files together.
std::vector<ExitCode> EncodeAtLambda(const std::vector<FileJob>& jobs, EncodeRequest request,
                                     const DoneCallback& done) {
  ProgressLine progress("encoding", 1);
  request.encode.progress = [&](double part) {
    progress.Update(0, part);
    return true;
  };
  std::vector<ExitCode> codes(jobs.size());
  EncodeFiles(jobs, request, [&](size_t i, Result<EncodeReport> report) {
    codes[i] = done(i, std::move(report));
  });
  return codes;
}

// Each file on its own, one lambda after the other.
std::vector<ExitCode> EncodeToTarget(const std::vector<FileJob>& jobs, const EncodeRequest& all,
                                     const DoneCallback& done) {
  const int count = static_cast<int>(jobs.size());
  ProgressLine progress("encoding", count);
  return RunJobs(count, all.encode.threads, [&](int i, int threads) {
    EncodeRequest request = all;
    request.encode.threads = threads;
    request.encode.progress = [&progress, i](double part) {
      progress.Update(i, part);
      return true;
    };
    Result<EncodeReport> report = EncodeFileToTarget(jobs[i], request);
    progress.Update(i, 1);
    return done(i, std::move(report));
  });
}

// A list, also of one: what reads it does not depend on how many images there were.
std::string JsonText(const std::vector<FileJob>& jobs,
                     const std::vector<std::optional<Result<EncodeReport>>>& reports) {
  JsonWriter json;
  json.BeginArray();
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Result<EncodeReport>& report = *reports[i];
    json.BeginObject().Field("input", jobs[i].input).Field("output", jobs[i].output);
    if (report.ok()) {
      WriteReport(*report, json);
    } else {
      json.Field("error", report.status().message());
    }
    json.EndObject();
  }
  return json.EndArray().text();
}

OutputNames NamesFor(const EncodeArguments& arguments) {
  const auto name = [](const std::string& input, bool keep_extension) {
    const std::filesystem::path path(input);
    return (keep_extension ? path : path.stem()).string() + ".mmp";
  };
  return {.name = name,
          .keep_extension = arguments.keep_extension,
          .force = arguments.force,
          .extensions = {".mmp"},
          .same_name = "is called like an .mmp file already; mmp decode makes an image of it",
          .kept = {arguments.dictionary_file}};
}

Result<std::vector<FileJob>> PlanJobs(const EncodeArguments& arguments) {
  const Result<InputFiles> inputs = ListInputs(arguments.inputs, ImageFiles());
  if (!inputs.ok()) return inputs.status();
  Result<std::vector<FileJob>> jobs = PlanFileJobs(*inputs, arguments.output, NamesFor(arguments));
  if (jobs.ok()) MMP_RETURN_IF_ERROR(CheckNoneIsAnImage(*jobs));
  return jobs;
}

// Before any image is read: it is the error of each that the command line names.
ExitCode ReportRefusal(const EncodeArguments& arguments, const Status& status) {
  if (arguments.json) {
    std::vector<FileJob> jobs;
    for (const std::string& input : arguments.inputs) {
      // As PlanFileJobs: standard input goes to standard output.
      const bool is_stream = input == "-" && arguments.output.empty();
      jobs.push_back({input, is_stream ? "-" : arguments.output});
    }
    const std::vector<std::optional<Result<EncodeReport>>> reports(jobs.size(), status);
    PrintLine(ReportStream(jobs), JsonText(jobs, reports));
  }
  return ReportFailure(status);
}

ExitCode Run(const EncodeArguments& arguments) {
  const Result<EncodeRequest> request = MakeRequest(arguments);
  if (!request.ok()) return ReportRefusal(arguments, request.status());
  const Result<std::vector<FileJob>> jobs = PlanJobs(arguments);
  if (!jobs.ok()) return ReportRefusal(arguments, jobs.status());
  std::FILE* const stream = ReportStream(*jobs);
  std::vector<std::optional<Result<EncodeReport>>> reports(jobs->size());
  const auto done = [&](size_t i, Result<EncodeReport> report) {
    reports[i] = std::move(report);
    return Print(arguments, (*jobs)[i], stream, *reports[i]);
  };
  const std::vector<ExitCode> codes = request->HasTarget() ? EncodeToTarget(*jobs, *request, done)
                                                           : EncodeAtLambda(*jobs, *request, done);
  if (arguments.json) PrintLine(stream, JsonText(*jobs, reports));
  PrintBatchOutcome(*jobs, codes, arguments.json ? nullptr : stream);
  return FirstFailure(codes);
}

}  // namespace

Command AddEncodeCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand("encode", kEncodeDescription);
  app->footer(kEncodeFooter);
  const auto arguments = std::make_shared<EncodeArguments>();
  AddEncodeOptions(*app, *arguments);
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
