// What the program calls itself.
#ifndef MMP_TOOLS_COMMAND_LINE_VERSION_H_
#define MMP_TOOLS_COMMAND_LINE_VERSION_H_

#include <string>

#include "mmp/mmp.h"
#include "tools/command_line/terminal.h"

namespace mmp {

// "mmp 1.0.0"
inline std::string VersionText() {
  return Format("mmp %d.%d.%d", kVersionMajor, kVersionMinor, kVersionPatch);
}

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_VERSION_H_
