#include "tools/file_jobs.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>

#include "common/thread_pool.h"
#include "tools/terminal.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardStream = "-";

Status Misuse(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

bool NamesFolder(const std::string& output) {
  std::error_code ignored;
  return output.ends_with('/') || fs::is_directory(output, ignored);
}

Status CheckOutputs(const std::vector<FileJob>& jobs) {
  std::map<fs::path, std::string> input_of;
  for (const FileJob& job : jobs) {
    if (job.output == kStandardStream) {
      if (IsTerminal(stdout)) return Misuse("standard output is a terminal; name a file with -o");
      continue;
    }
    const auto [other, is_new] = input_of.emplace(fs::path(job.output), job.input);
    if (!is_new) {
      return Misuse("'" + other->second + "' and '" + job.input + "' would both be written to '" +
                    job.output + "'; give them different folders");
    }
    for (const FileJob& victim : jobs) {
      std::error_code ignored;
      if (fs::equivalent(job.output, victim.input, ignored)) {
        return Misuse("the output '" + job.output + "' would replace the input '" + victim.input +
                      "'; choose another with -o");
      }
    }
  }
  return Status();
}

}  // namespace

std::string QuotedInput(const std::string& input) {
  return input == kStandardStream ? "standard input" : "'" + input + "'";
}

std::string OutputName(const std::string& output) {
  return output == kStandardStream ? "standard output" : output;
}

Status About(const std::string& input, const Status& status) {
  return Status(status.code(), QuotedInput(input) + ": " + status.message());
}

Result<std::vector<FileJob>> PlanFileJobs(const std::vector<std::string>& inputs,
                                          const std::string& output, std::string_view extension) {
  const bool into_folder = inputs.size() > 1 || NamesFolder(output);
  if (inputs.size() > 1 && output.empty()) {
    return Misuse("several files need a folder to go to; name it with -o");
  }
  std::vector<FileJob> jobs;
  for (const std::string& input : inputs) {
    if (into_folder && (input == kStandardStream || output == kStandardStream)) {
      return Misuse("standard input and output (-) take a single file, not a folder");
    }
    const fs::path renamed = fs::path(input).replace_extension(extension);
    if (into_folder) {
      jobs.push_back({input, fs::path(output) / renamed.filename()});
    } else if (!output.empty()) {
      jobs.push_back({input, output});
    } else {
      jobs.push_back({input, input == kStandardStream ? input : renamed.string()});
    }
  }
  MMP_RETURN_IF_ERROR(CheckOutputs(jobs));
  if (into_folder) {
    std::error_code error;
    fs::create_directories(output, error);
    if (error) {
      return Status(StatusCode::kIo,
                    "cannot create the folder '" + output + "': " + error.message());
    }
  }
  return jobs;
}

std::FILE* ReportStream(const std::vector<FileJob>& jobs) {
  const bool to_stdout = std::any_of(
      jobs.begin(), jobs.end(), [](const FileJob& job) { return job.output == kStandardStream; });
  return to_stdout ? stderr : stdout;
}

ExitCode FirstFailure(const std::vector<ExitCode>& codes) {
  const auto failed = std::find_if(codes.begin(), codes.end(),
                                   [](ExitCode code) { return code != ExitCode::kSuccess; });
  return failed == codes.end() ? ExitCode::kSuccess : *failed;
}

ExitCode RunJobs(int count, int threads,
                 const std::function<ExitCode(int index, int threads)>& work) {
  const int available = threads > 0 ? threads : HardwareThreads();
  std::vector<ExitCode> codes(count);
  ThreadPool pool(std::min(count, available));
  pool.ParallelFor(count, [&](int index, int /*worker*/) {
    codes[index] = work(index, std::max(1, available / count));
  });
  return FirstFailure(codes);
}

}  // namespace mmp
