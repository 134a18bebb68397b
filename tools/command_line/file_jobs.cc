#include "tools/command_line/file_jobs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/thread_pool.h"
#include "tools/command_line/terminal.h"

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

// Whether `output`, which is not there, is called as a file would be.
bool LooksLikeFile(const std::string& output, const OutputNames& names) {
  return std::ranges::find(names.extensions, fs::path(output).extension().string()) !=
         names.extensions.end();
}

// That `output` can be the folder of several results.
Status CheckFolder(const std::string& output, const OutputNames& names) {
  if (output.empty()) return Misuse("several files need a folder to go to; name it with -o");
  std::error_code ignored;
  if (NamesFolder(output)) return Status();
  if (fs::exists(output, ignored)) {
    return Misuse("'" + output + "' is a file; several files need a folder to go to");
  }
  if (LooksLikeFile(output, names)) {
    return Misuse("several files need a folder to go to, and '" + output +
                  "' is called like a file; '" + output + "/' makes a folder of that name");
  }
  return Status();
}

// Says how an output is named to who named it as `cp` would have it.
Status CheckLastInput(const std::vector<std::string>& inputs) {
  std::error_code ignored;
  const std::string& last = inputs.back();
  if (last == kStandardStream || fs::exists(fs::symlink_status(last, ignored))) return Status();
  return Misuse("there is no file '" + last + "'; if it is the output, name it with -o");
}

Status CheckStandardOutput(const std::vector<FileJob>& jobs) {
  for (const FileJob& job : jobs) {
    if (job.output == kStandardStream && IsTerminal(stdout))
      return Misuse("standard output is a terminal; name a file with -o");
  }
  return Status();
}

// What tells files from each other whatever their names are.
std::optional<std::pair<dev_t, ino_t>> IdentityOf(const std::string& path) {
  struct stat info {};
  if (path == kStandardStream || stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::pair(info.st_dev, info.st_ino);
}

// `what`, and the only one of `lines` within it or all of them below it.
Status Listed(const std::string& what, const std::vector<std::string>& lines) {
  std::string message = what + ":";
  for (const std::string& line : lines) message += (lines.size() == 1 ? " " : "\n  ") + line;
  return Misuse(message);
}

// Whether the jobs' outputs would differ with the inputs' extensions kept.
bool DifferWithExtensions(const std::vector<FileJob>& jobs, const OutputNames& names) {
  std::set<std::string> outputs;
  return std::ranges::all_of(jobs, [&](const FileJob& job) {
    return outputs.insert(names.name(fs::path(job.input).filename(), true)).second;
  });
}

Status CheckOutputsDiffer(const std::vector<FileJob>& jobs, const OutputNames& names) {
  std::map<std::string, std::vector<std::string>> inputs_of;
  for (const FileJob& job : jobs) inputs_of[job.output].push_back("'" + job.input + "'");
  std::vector<std::string> lines;
  for (const auto& [output, inputs] : inputs_of) {
    if (inputs.size() == 1) continue;
    std::string line = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) {
      line += i + 1 == inputs.size() ? " and " : ", ";
      line += inputs[i];
    }
    line += inputs.size() == 2 ? " would both become '" : " would all become '";
    line += output;
    line += "'";
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return Status();
  if (!names.keep_extension && DifferWithExtensions(jobs, names)) {
    const std::string name = fs::path(jobs[0].input).filename();
    return Listed("two files cannot have one name; --keep-extension gives each its own ('" + name +
                      "' becomes '" + names.name(name, true) + "')",
                  lines);
  }
  return Listed("two files cannot have one name; give each once, or one folder after the other",
                lines);
}

// That no output with a name of the program's making is there already.
Status CheckNothingIsReplaced(const std::vector<FileJob>& jobs) {
  std::vector<std::string> lines;
  for (const FileJob& job : jobs) {
    std::error_code ignored;
    const fs::file_status status = fs::status(job.output, ignored);
    const bool is_replaced = fs::exists(status) && !fs::is_directory(status);
    if (job.output != kStandardStream && is_replaced) lines.push_back("'" + job.output + "'");
  }
  if (lines.empty()) return Status();
  if (lines.size() == 1) {
    return Misuse(lines[0] + " exists already; --force replaces it, -o names another");
  }
  return Listed(std::to_string(lines.size()) +
                    " files exist already; --force replaces them, -o names another folder",
                lines);
}

}  // namespace

Status CheckInputsStay(const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
  std::map<std::pair<dev_t, ino_t>, std::string> kept;
  for (const std::string& input : inputs)
    if (const auto identity = IdentityOf(input)) kept.emplace(*identity, input);
  std::vector<std::string> lines;
  for (const std::string& output : outputs) {
    const auto identity = IdentityOf(output);
    const auto input = identity ? kept.find(*identity) : kept.end();
    if (input != kept.end())
      lines.push_back("the output '" + output + "' would replace the input '" + input->second +
                      "'");
  }
  if (lines.empty()) return Status();
  return Listed("choose another output with -o", lines);
}

std::string QuotedInput(const std::string& input) {
  return input == kStandardStream ? "standard input" : "'" + input + "'";
}

std::string OutputName(const std::string& output) {
  return output == kStandardStream ? "standard output" : output;
}

Status About(const std::string& input, const Status& status) {
  return Status(status.code(), QuotedInput(input) + ": " + status.message());
}

Result<std::vector<FileJob>> PlanFileJobs(const InputFiles& inputs, const std::string& output,
                                          const OutputNames& names) {
  const bool several = inputs.paths.size() > 1 || inputs.from_folder;
  const bool into_folder = several || NamesFolder(output);
  if (inputs.paths.size() > 1 && output.empty()) MMP_RETURN_IF_ERROR(CheckLastInput(inputs.paths));
  if (several) MMP_RETURN_IF_ERROR(CheckFolder(output, names));
  std::vector<FileJob> jobs;
  std::vector<std::string> outputs;
  for (const std::string& input : inputs.paths) {
    if (into_folder && (input == kStandardStream || output == kStandardStream)) {
      return Misuse("standard input and output (-) take a single file, not a folder");
    }
    const fs::path path(input);
    const std::string name = names.name(path.filename(), names.keep_extension);
    if (into_folder) {
      jobs.push_back({input, fs::path(output) / name});
    } else if (!output.empty()) {
      jobs.push_back({input, output});
    } else if (input == kStandardStream) {
      jobs.push_back({input, input});
    } else if (name == path.filename()) {
      return Misuse("'" + input + "' " + names.same_name);
    } else {
      jobs.push_back({input, path.parent_path() / name});
    }
    outputs.push_back(jobs.back().output);
  }
  MMP_RETURN_IF_ERROR(CheckStandardOutput(jobs));
  MMP_RETURN_IF_ERROR(CheckOutputsDiffer(jobs, names));
  std::vector<std::string> kept = inputs.paths;
  kept.insert(kept.end(), names.kept.begin(), names.kept.end());
  MMP_RETURN_IF_ERROR(CheckInputsStay(kept, outputs));
  const bool is_named = !output.empty() && !into_folder;
  if (!is_named && !names.force) {
    MMP_RETURN_IF_ERROR(CheckNothingIsReplaced(jobs));
    for (FileJob& job : jobs) job.old_file = OldFile::kKept;
  }
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

std::vector<ExitCode> RunJobs(int count, int threads,
                              const std::function<ExitCode(int index, int threads)>& work) {
  const int available = threads > 0 ? threads : HardwareThreads();
  std::vector<ExitCode> codes(count);
  ThreadPool pool(std::min(count, available));
  pool.ParallelFor(count, [&](int index, int /*worker*/) {
    codes[index] = work(index, std::max(1, available / count));
  });
  return codes;
}

void PrintBatchOutcome(const std::vector<FileJob>& jobs, const std::vector<ExitCode>& codes,
                       std::FILE* stream) {
  if (jobs.size() < 2) return;
  std::string failed, incomplete;
  size_t failures = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (codes[i] == ExitCode::kSuccess) continue;
    std::string& list = codes[i] == ExitCode::kIncomplete ? incomplete : failed;
    list += (list.empty() ? "'" : ", '") + jobs[i].input + "'";
    if (codes[i] != ExitCode::kIncomplete) ++failures;
  }
  std::string text = std::to_string(jobs.size() - failures) + " written";
  if (!incomplete.empty()) text += " (not as wanted: " + incomplete + ")";
  if (failures > 0) text += ", " + std::to_string(failures) + " failed: " + failed;
  if (failures > 0) {
    PrintError(text);
  } else if (!incomplete.empty()) {
    PrintWarning(text);
  } else if (stream != nullptr) {
    PrintLine(stream, text);
  }
}

}  // namespace mmp
