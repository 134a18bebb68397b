// What the program prints for people to read: whole lines, from any thread.
#ifndef MMP_TOOLS_COMMAND_LINE_TERMINAL_H_
#define MMP_TOOLS_COMMAND_LINE_TERMINAL_H_

#include <cstdio>
#include <string>
#include <string_view>

#include "mmp/status.h"
#include "tools/command_line/exit_code.h"

namespace mmp {

bool IsTerminal(std::FILE* stream);

// A printf that returns a string.
[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...);

// "1:05", or "1:00:05" from an hour on.
std::string DurationText(double seconds);

// Prints `text` and a line end in one piece; on a terminal, in place of a progress line.
void PrintLine(std::FILE* stream, std::string_view text);

// "mmp: error: <message>" and so on, to stderr.
void PrintError(std::string_view message);
void PrintWarning(std::string_view message);
void PrintNote(std::string_view message);

// Prints the error that `status`, not ok, is, and returns its exit code.
ExitCode ReportFailure(const Status& status);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_TERMINAL_H_
