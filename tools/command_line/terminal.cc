#include "tools/command_line/terminal.h"

#include <unistd.h>

#include <cstdarg>
#include <cstddef>

namespace mmp {

bool IsTerminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::string Format(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(static_cast<size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

std::string DurationText(double seconds) {
  const long long total = static_cast<long long>(seconds + 0.5);
  const int minutes = static_cast<int>(total / 60 % 60);
  const int rest = static_cast<int>(total % 60);
  if (total >= 3600) return Format("%lld:%02d:%02d", total / 3600, minutes, rest);
  return Format("%d:%02d", minutes, rest);
}

void PrintLine(std::FILE* stream, std::string_view text) {
  // Progress lines are on stderr. Where mpirun makes only stdout a terminal, there is none.
  std::string line = IsTerminal(stream) && IsTerminal(stderr) ? "\r\033[K" : "";
  line.append(text).append("\n");
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fflush(stream);
}

void PrintError(std::string_view message) {
  PrintLine(stderr, "mmp: error: " + std::string(message));
}
void PrintWarning(std::string_view message) {
  PrintLine(stderr, "mmp: warning: " + std::string(message));
}
void PrintNote(std::string_view message) {
  PrintLine(stderr, "mmp: note: " + std::string(message));
}

ExitCode ReportFailure(const Status& status) {
  PrintError(status.message());
  return ExitCodeFor(status.code());
}

}  // namespace mmp
