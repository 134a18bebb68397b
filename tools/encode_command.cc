#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/mmp.h"
#include "tools/commands.h"
#include "tools/encode_file.h"
#include "tools/encode_options.h"
#include "tools/file_jobs.h"
#include "tools/json.h"
#include "tools/progress_line.h"
#include "tools/stats_report.h"
#include "tools/terminal.h"

namespace mmp {
namespace {

constexpr char kDescription[] =
    "Encode images (PNG, PGM, PPM, JPEG, BMP; color becomes luma) as .mmp files";

constexpr char kFooter[] = R"(
IN and OUT may be - for standard input and output. The summary goes to standard output, or to
standard error if OUT is -.

A target is met if PSNR is at least, or bits per pixel at most, the value given; lambda is searched
for with at most 12 encodes, until the target is met by less than 0.05 dB or 1 %, or lambda is known
to 1 %. If no lambda meets it, the closest result is written and the exit code is 6.
)";

ExitCode Print(const EncodeArguments& arguments, const FileJob& job, std::FILE* stream,
               const Result<EncodeReport>& report) {
  if (!report.ok()) return ReportFailure(report.status());
  if (!report->notice.empty()) PrintNote(QuotedInput(job.input) + ": " + report->notice);
  if (!arguments.json) {
    std::string text = SummaryText(job, *report);
    if (arguments.stats) text += "\n\n" + StatsText(report->stats) + "\n";
    PrintLine(stream, text);
  }
  if (report->search && !report->search->met) {
    PrintWarning(QuotedInput(job.input) + ": no lambda meets the target; wrote the closest result");
    return ExitCode::kIncomplete;
  }
  return ExitCode::kSuccess;
}

std::string JsonText(const std::vector<FileJob>& jobs,
                     const std::vector<std::optional<Result<EncodeReport>>>& reports) {
  JsonWriter json;
  if (jobs.size() > 1) json.BeginArray();
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
  if (jobs.size() > 1) json.EndArray();
  return json.text();
}

ExitCode Run(const EncodeArguments& arguments) {
  const Result<EncodeRequest> base_request = MakeRequest(arguments);
  if (!base_request.ok()) return ReportFailure(base_request.status());
  const Result<std::vector<FileJob>> jobs =
      PlanFileJobs(arguments.inputs, arguments.output, ".mmp");
  if (!jobs.ok()) return ReportFailure(jobs.status());
  const int count = static_cast<int>(jobs->size());
  std::FILE* const stream = ReportStream(*jobs);
  std::vector<std::optional<Result<EncodeReport>>> reports(count);
  ProgressLine progress("encoding", count);
  const ExitCode code = RunJobs(count, base_request->encode.threads, [&](int i, int threads) {
    EncodeRequest request = *base_request;
    request.encode.threads = threads;
    request.encode.progress = [&progress, i](double done) {
      progress.Update(i, done);
      return true;
    };
    reports[i] = EncodeFile((*jobs)[i], request);
    progress.Update(i, 1);
    return Print(arguments, (*jobs)[i], stream, *reports[i]);
  });
  if (arguments.json) PrintLine(stream, JsonText(*jobs, reports));
  return code;
}

}  // namespace

Command AddEncodeCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand("encode", kDescription);
  app->footer(kFooter);
  const auto arguments = std::make_shared<EncodeArguments>();
  AddEncodeOptions(*app, *arguments);
  return {app, [arguments] { return Run(*arguments); }};
}

}  // namespace mmp
