#include "tools/command_line/output_folder.h"

#include <filesystem>
#include <system_error>

#include "common/temporary_files.h"

namespace mmp {
namespace {

// Whether it has nothing but temporary files. What cannot be read may have others.
bool IsEmptyFolder(const std::filesystem::path& path) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (!IsTemporaryName(entry->path().filename().string())) return false;
  return !error;
}

}  // namespace

Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return {StatusCode::kIo, "cannot create the folder '" + path + "': " + error.message()};
}

Status CheckFolderIsOurs(const std::string& path, const std::string& mark) {
  std::error_code ignored;
  if (path == "-") {
    return {StatusCode::kInvalidArgument,
            "-o: the results are files of a folder, and standard output (-) is none; './-' is a "
            "folder of that name"};
  }
  if (!std::filesystem::is_directory(path, ignored) || IsEmptyFolder(path) ||
      std::filesystem::exists(std::filesystem::path(path) / mark, ignored))
    return {};
  return {StatusCode::kInvalidArgument,
          "the folder '" + path +
              "' has files that are not of this command; --force writes its own beside and over "
              "them, -o names another folder"};
}

}  // namespace mmp
