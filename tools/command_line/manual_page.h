// Manual pages, made of what --help says.
#ifndef MMP_TOOLS_COMMAND_LINE_MANUAL_PAGE_H_
#define MMP_TOOLS_COMMAND_LINE_MANUAL_PAGE_H_

#include <string>

#include "tools/command_line/command_line.h"

namespace mmp {

// A page of section 1 in the language of man(7), dated `date` ("2024-05-31"): of the program, or
// of one of its commands.
std::string ManualPage(const CommandInfo& program, const std::string& date);
std::string ManualPage(const CommandInfo& program, const CommandInfo& command,
                       const std::string& date);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_MANUAL_PAGE_H_
