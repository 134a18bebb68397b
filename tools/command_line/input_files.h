// The files that a command is to work on, where folders may be named in their place.
#ifndef MMP_TOOLS_COMMAND_LINE_INPUT_FILES_H_
#define MMP_TOOLS_COMMAND_LINE_INPUT_FILES_H_

#include <functional>
#include <string>
#include <vector>

#include "mmp/status.h"

namespace mmp {

struct InputFiles {
  std::vector<std::string> paths;
  bool from_folder = false;  // a folder was named
};

// Which files of a folder are meant, and what these are called ("images").
struct FileKind {
  std::string plural;
  std::function<bool(const std::string& path)> has_name;
};
FileKind ImageFiles();  // by the extensions of what ReadImage reads
FileKind CodedFiles();  // .mmp

// `inputs`, each folder replaced by its files of that kind in the order of their names; hidden ones
// and folders in it do not count. A note says what else is there.
// Errors: kInvalidArgument (a folder has no such file), kIo.
Result<InputFiles> ListInputs(const std::vector<std::string>& inputs, const FileKind& kind);

// kInvalidArgument if standard input ("-") is named more than once.
Status CheckStandardInput(const std::vector<std::string>& inputs);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_INPUT_FILES_H_
