// Which file becomes which, and the work on several files at once.
#ifndef MMP_TOOLS_FILE_JOBS_H_
#define MMP_TOOLS_FILE_JOBS_H_

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/status.h"
#include "tools/exit_code.h"

namespace mmp {

inline constexpr int kMaxThreads = 1024;  // that may be asked for

// "-" is standard input or output.
struct FileJob {
  std::string input;
  std::string output;
};

// How messages call an input: 'photo.png', or standard input for "-".
std::string QuotedInput(const std::string& input);

// How reports call an output: photo.mmp, or standard output for "-".
std::string OutputName(const std::string& output);

// `status` of the work on `input`, with a message that names it.
Status About(const std::string& input, const Status& status);

// Where each input's result goes. `output` is the -o option, empty if not given:
//   one input: a file, a folder (if it exists or ends in '/'), or by default the input's name with
//   `extension` (".mmp") in the input's folder; standard output if the input is standard input;
//   several inputs: a folder, which is created if missing.
// Errors: kInvalidArgument, also where two outputs would be the same file, one would replace an
// input or standard output is a terminal; kIo if the folder cannot be created.
Result<std::vector<FileJob>> PlanFileJobs(const std::vector<std::string>& inputs,
                                          const std::string& output, std::string_view extension);

// Where to print reports: stdout, but stderr if a result goes to standard output.
std::FILE* ReportStream(const std::vector<FileJob>& jobs);

// The first code, by index, that is not success.
ExitCode FirstFailure(const std::vector<ExitCode>& codes);

// Calls work(index, threads) for each of `count` jobs, several at once if `threads` (0: one a core)
// allows; `threads` is what a job may use itself. Returns the first failure.
ExitCode RunJobs(int count, int threads,
                 const std::function<ExitCode(int index, int threads)>& work);

}  // namespace mmp

#endif  // MMP_TOOLS_FILE_JOBS_H_
