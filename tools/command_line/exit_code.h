// What the program's exit status says. Documented in `mmp --help`.
#ifndef MMP_TOOLS_COMMAND_LINE_EXIT_CODE_H_
#define MMP_TOOLS_COMMAND_LINE_EXIT_CODE_H_

#include "mmp/status.h"

namespace mmp {

enum class ExitCode : int {
  kSuccess = 0,
  kFailure = 1,        // a file could not be read or written
  kUsage = 2,          // the command line is wrong
  kNotAcceptable = 3,  // the input is not an image, not a supported one, or over a limit
  kDamaged = 4,        // the input is damaged
  kNoBackend = 5,      // the backend asked for is not available
  kIncomplete = 6,     // the output was written, but not all that was asked for could be had
  kOutOfMemory = 7,    // the machine or a device has not enough memory
};

constexpr ExitCode ExitCodeFor(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return ExitCode::kSuccess;
    case StatusCode::kInvalidArgument:
      return ExitCode::kUsage;
    case StatusCode::kUnsupported:
    case StatusCode::kLimitExceeded:
      return ExitCode::kNotAcceptable;
    case StatusCode::kCorrupt:
      return ExitCode::kDamaged;
    case StatusCode::kUnavailable:
      return ExitCode::kNoBackend;
    case StatusCode::kOutOfMemory:
      return ExitCode::kOutOfMemory;
    case StatusCode::kIo:
    case StatusCode::kCancelled:
      return ExitCode::kFailure;
  }
  return ExitCode::kFailure;
}

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_EXIT_CODE_H_
