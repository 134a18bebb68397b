// Folders that a command fills with files of names that it chooses.
#ifndef MMP_TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_
#define MMP_TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_

#include <string>

#include "mmp/status.h"

namespace mmp {

// Creates the folder and those that it is in, if missing. Errors: kIo.
Status MakeFolder(const std::string& path);

// That a command may put its files into the folder, where they replace those of their names: it is
// not there, is empty but for temporary files, or has the file `mark`, by which the command knows
// the folders that it made. Errors: kInvalidArgument, also if the path is "-".
Status CheckFolderIsOurs(const std::string& path, const std::string& mark);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_
