#include "tools/sweep/sweep_folder.h"

#include <errno.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "tools/text.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr char kScratchName[] = "scratch";
constexpr size_t kHashDigits = 8;

// With nothing that a shell or a file system takes amiss.
std::string PlainName(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_'; }, '-');
  return name;
}

}  // namespace

Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return {};
  return {StatusCode::kIo, "cannot create the folder '" + path + "': " + error.message()};
}

KeptPaths PathsOf(const SweepImage& image, const Curve& curve, double parameter) {
  const std::string name = PlainName(fs::path(image.path).stem()) + "-" +
                           image.hash.substr(0, kHashDigits) + "/" + PlainName(curve.codec.name) +
                           "-" + NumberText(parameter);
  const std::string extension =
      curve.external == nullptr ? ".mmp" : fs::path(curve.external->coded_file).extension();
  return {"bitstreams/" + name + extension, "decoded/" + name + ".png"};
}

void RemoveScratch(const std::string& sweep_folder) {
  std::error_code ignored;
  fs::remove_all(fs::path(sweep_folder) / kScratchName, ignored);
}

Result<ScratchFolder> ScratchFolder::Make(const std::string& sweep_folder) {
  const fs::path parent = fs::path(sweep_folder) / kScratchName;
  MMP_RETURN_IF_ERROR(MakeFolder(parent));
  std::string path = parent / "XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Status(StatusCode::kIo, "cannot create a folder in '" + parent.string() +
                                       "': " + std::generic_category().message(errno));
  }
  return Result<ScratchFolder>(ScratchFolder(std::move(path)));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace mmp
