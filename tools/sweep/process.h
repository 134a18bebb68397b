// Other programs: found, run and waited for.
#ifndef MMP_TOOLS_SWEEP_PROCESS_H_
#define MMP_TOOLS_SWEEP_PROCESS_H_

#include <string>
#include <vector>

#include "common/status.h"

namespace mmp {

using Arguments = std::vector<std::string>;  // the program's name or path first

// The program's path, sought as a shell does; empty if there is none.
std::string FindProgram(const std::string& name);

// `arguments` as a line for a shell.
std::string ShellText(const Arguments& arguments);

struct ProcessResult {
  int exit_code = 0;
  std::string output;  // the end of standard output and error, as they came
  double seconds = 0;  // wall clock
};

// Runs a program in `folder`, without input, to its end. Errors: kUnavailable (it could not be
// started), kLimitExceeded (stopped as it took more than `limit_seconds`), kIo (a signal ended it).
Result<ProcessResult> RunProcess(const Arguments& arguments, const std::string& folder,
                                 double limit_seconds);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_PROCESS_H_
