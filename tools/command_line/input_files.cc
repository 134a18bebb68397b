#include "tools/command_line/input_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "tools/command_line/terminal.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

std::string LowerExtension(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

// "'a.txt', 'b.txt' and 5 more"
std::string Some(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

// Appends the files of one folder.
Status AddFolder(const std::string& folder, const FileKind& kind, std::vector<std::string>& paths) {
  std::vector<std::string> taken, left;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with('.')) continue;
    std::error_code ignored;
    const bool is_meant = !entry->is_directory(ignored) && kind.has_name(name);
    (is_meant ? taken : left).push_back(is_meant ? entry->path().string() : name);
  }
  if (error) {
    return Status(StatusCode::kIo, "cannot read the folder '" + folder + "': " + error.message());
  }
  if (taken.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  "the folder '" + folder + "' has no " + kind.plural + " in it");
  }
  std::sort(taken.begin(), taken.end());
  std::sort(left.begin(), left.end());
  if (!left.empty())
    PrintNote("'" + folder + "': left out what are no " + kind.plural + ": " + Some(left));
  paths.insert(paths.end(), taken.begin(), taken.end());
  return Status();
}

}  // namespace

FileKind ImageFiles() {
  return {"images", [](const std::string& path) {
            constexpr std::array<std::string_view, 10> kExtensions = {
                ".png", ".pbm", ".pgm", ".ppm", ".pnm", ".tif", ".tiff", ".jpg", ".jpeg", ".bmp"};
            return std::ranges::find(kExtensions, LowerExtension(path)) != kExtensions.end();
          }};
}

FileKind CodedFiles() {
  return {".mmp files", [](const std::string& path) { return LowerExtension(path) == ".mmp"; }};
}

Result<InputFiles> ListInputs(const std::vector<std::string>& inputs, const FileKind& kind) {
  InputFiles files;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!fs::is_directory(input, ignored)) {
      files.paths.push_back(input);
      continue;
    }
    files.from_folder = true;
    MMP_RETURN_IF_ERROR(AddFolder(input, kind, files.paths));
  }
  return files;
}

Status CheckStandardInput(const std::vector<std::string>& inputs) {
  if (std::ranges::count(inputs, "-") < 2) return Status();
  return Status(StatusCode::kInvalidArgument,
                "standard input (-) can be read only once; name a file in place of the other");
}

}  // namespace mmp
