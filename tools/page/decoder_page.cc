#include "tools/page/decoder_page.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "common/file_io.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = 64 << 20;

// Where the page is if it is installed with the program that runs; empty if that is not known.
fs::path InstalledPage() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return program.parent_path().parent_path() / "share" / "mmp" / kDecoderPageName;
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

Status CopyDecoderPage(const std::string& folder) {
  const fs::path page = InstalledPage();
  if (!IsFile(page)) return {};
  const Result<std::vector<uint8_t>> bytes = ReadFile(page.string(), kMostBytes);
  if (!bytes.ok()) return bytes.status();
  return WriteFile((fs::path(folder) / kDecoderPageName).string(), *bytes);
}

bool HasDecoderPage(const std::string& folder) {
  return IsFile(fs::path(folder) / kDecoderPageName);
}

}  // namespace mmp
