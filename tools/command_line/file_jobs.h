// Which file becomes which, and the work on several files at once.
#ifndef MMP_TOOLS_COMMAND_LINE_FILE_JOBS_H_
#define MMP_TOOLS_COMMAND_LINE_FILE_JOBS_H_

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "common/file_io.h"
#include "mmp/status.h"
#include "tools/command_line/exit_code.h"
#include "tools/command_line/input_files.h"

namespace mmp {

// "-" is standard input or output.
struct FileJob {
  std::string input;
  std::string output;
  OldFile old_file = OldFile::kReplaced;  // what becomes of one that is called as the output
};

// How messages call an input: 'photo.png', or standard input for "-".
std::string QuotedInput(const std::string& input);

// How reports call an output: photo.mmp, or standard output for "-".
std::string OutputName(const std::string& output);

// `status` of the work on `input`, with a message that names it.
Status About(const std::string& input, const Status& status);

// How outputs are called that the command line does not name.
struct OutputNames {
  // An output's file name, without folder, by that of its input; whether the input's extension is
  // to be kept in it, so that no two inputs of a folder have the same.
  std::function<std::string(const std::string& input, bool keep_extension)> name;
  bool keep_extension = false;
  bool force = false;  // existing files are replaced
  // The extensions that outputs have, to tell a file from a folder that is to be created.
  std::vector<std::string> extensions;
  // What is wrong with an input that has the name of its output: "is ...".
  std::string same_name;
  std::vector<std::string> kept;  // other files that are read, so that no output may replace them
};

// Where each input's result goes. `output` is the -o option, empty if not given:
//   one input: a file, a folder (if it exists or ends in '/'), or by default a file in the input's
//   folder; standard output if the input is standard input;
//   several inputs, or a folder's: a folder, which is created if missing.
// An existing file is replaced only if `output` is its very name, or by force; what appears under
// other names before the output is written is kept, too.
// Errors, which name all the files that are to blame: kInvalidArgument, also where two outputs
// would be the same file, one would replace an input, a file that is kept or another one, or
// standard output is a terminal; kIo if the folder cannot be created.
Result<std::vector<FileJob>> PlanFileJobs(const InputFiles& inputs, const std::string& output,
                                          const OutputNames& names);

// kInvalidArgument if one of the outputs is one of the inputs, whatever their names are.
Status CheckInputsStay(const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs);

// Where to print reports: stdout, but stderr if a result goes to standard output.
std::FILE* ReportStream(const std::vector<FileJob>& jobs);

// The first code, by index, that is not success.
ExitCode FirstFailure(const std::vector<ExitCode>& codes);

// Calls work(index, threads) for each of `count` jobs, several at once if `threads` (0: one a core)
// allows; `threads` is what a job may use itself. Returns the jobs' codes.
std::vector<ExitCode> RunJobs(int count, int threads,
                              const std::function<ExitCode(int index, int threads)>& work);

// The last line of a batch, nothing for a single job: how many files were written, to `stream` if
// that is all (null: nowhere), and else to stderr with the names of the inputs that failed.
void PrintBatchOutcome(const std::vector<FileJob>& jobs, const std::vector<ExitCode>& codes,
                       std::FILE* stream);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_FILE_JOBS_H_
