// Scripts by which shells complete the program's command lines.
#ifndef MMP_TOOLS_COMMAND_LINE_SHELL_COMPLETION_H_
#define MMP_TOOLS_COMMAND_LINE_SHELL_COMPLETION_H_

#include <string>

#include "tools/command_line/command_line.h"

namespace mmp {

// To be sourced, or put where the shell looks for such scripts.
std::string BashCompletion(const CommandInfo& program);
std::string ZshCompletion(const CommandInfo& program);
std::string FishCompletion(const CommandInfo& program);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_SHELL_COMPLETION_H_
