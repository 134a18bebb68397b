// Other programs: found, run and waited for.
#ifndef MMP_TOOLS_SWEEP_EXTERNAL_PROCESS_H_
#define MMP_TOOLS_SWEEP_EXTERNAL_PROCESS_H_

#include <functional>
#include <string>
#include <vector>

#include "mmp/status.h"

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

// Runs a program in `folder`, without input, to its end. `stop`, if given, is asked some ten times
// a second whether to end it. Errors: kUnavailable (it could not be started), kLimitExceeded
// (stopped as it took more than `limit_seconds`), kCancelled (stopped as `stop` asked for it), kIo
// (a signal ended it, or how it ended cannot be known).
Result<ProcessResult> RunProcess(const Arguments& arguments, const std::string& folder,
                                 double limit_seconds, const std::function<bool()>& stop = {});

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_EXTERNAL_PROCESS_H_
