// Names of files that begin with a dash, as a shell's * can give, among the options.
#ifndef MMP_TOOLS_COMMAND_LINE_DASH_NAMES_H_
#define MMP_TOOLS_COMMAND_LINE_DASH_NAMES_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

namespace mmp {

// The first of `arguments` (the program's, without its own name) that is the name of an existing
// file, but would be taken for options. What is exactly an option, the value of one, or behind "--"
// is none.
std::optional<std::string> FindDashName(const CLI::App& program,
                                        std::span<const char* const> arguments);

// What to do about it.
std::string DashNameMessage(const std::string& name);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_DASH_NAMES_H_
