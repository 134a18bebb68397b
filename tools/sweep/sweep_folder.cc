#include "tools/sweep/sweep_folder.h"

#include <errno.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "common/temporary_files.h"
#include "tools/command_line/output_folder.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr char kScratchName[] = "scratch";
constexpr char kBitstreamsName[] = "bitstreams";
constexpr char kDecodedName[] = "decoded";
constexpr size_t kHashDigits = 8;
constexpr int kMostTries = 100;

// With nothing that a shell or a file system takes amiss.
std::string PlainName(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_'; }, '-');
  return name;
}

constexpr const char* kResultNames[] = {kCsvName, kJsonName, kDeltasName, kReportName};

// Removes the files that an iterator over a folder comes to whose names are such.
template <typename Iterator, typename IsSuch>
void RemoveFiles(Iterator files, const IsSuch& is_such) {
  std::error_code error;
  for (; !error && files != Iterator(); files.increment(error)) {
    std::error_code ignored;
    if (is_such(files->path().filename().string())) fs::remove(files->path(), ignored);
  }
}

}  // namespace

KeptPaths PathsOf(const SweepImage& image, const Curve& curve, double parameter) {
  const std::string name = PlainName(fs::path(image.path).stem()) + "-" +
                           image.hash.substr(0, kHashDigits) + "/" + PlainName(curve.codec.name) +
                           "-" + NumberText(parameter);
  const std::string extension =
      curve.external == nullptr ? ".mmp" : fs::path(curve.external->coded_file).extension();
  return {kBitstreamsName + ("/" + name) + extension, kDecodedName + ("/" + name) + ".png"};
}

void RemoveLeftovers(const std::string& sweep_folder) {
  RemoveScratch(sweep_folder);
  std::error_code ignored;
  const fs::path folder = sweep_folder;
  // Beside its results others may be writing files that are not the sweep's.
  RemoveFiles(fs::directory_iterator(folder, ignored), [](const std::string& name) {
    return std::ranges::any_of(kResultNames, [&](const char* result) {
      return IsTemporaryName(name) && name.starts_with("." + std::string(result) + ".");
    });
  });
  for (const char* name : {kBitstreamsName, kDecodedName})
    RemoveFiles(fs::recursive_directory_iterator(folder / name, ignored), IsTemporaryName);
}

void RemoveScratch(const std::string& sweep_folder) {
  std::error_code ignored;
  fs::remove_all(fs::path(sweep_folder) / kScratchName, ignored);
}

Result<ScratchFolder> ScratchFolder::Make(const std::string& sweep_folder) {
  const fs::path parent = fs::path(sweep_folder) / kScratchName;
  // Another process may remove that one just then, as ours does: see ~ScratchFolder.
  for (int tries = 1;; ++tries) {
    MMP_RETURN_IF_ERROR(MakeFolder(parent));
    std::string path = parent / "XXXXXX";
    if (mkdtemp(path.data()) != nullptr) return Result<ScratchFolder>(ScratchFolder(path));
    if (errno == ENOENT && tries < kMostTries) continue;
    return Status(StatusCode::kIo, "cannot create a folder in '" + parent.string() +
                                       "': " + std::generic_category().message(errno));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (path_.empty()) return;
  fs::remove_all(path_, ignored);
  fs::remove(fs::path(path_).parent_path(), ignored);  // if it was the last
}

}  // namespace mmp
