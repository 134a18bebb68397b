#include "common/random_access_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace mmp {
namespace {

constexpr size_t kMostAtOnce = size_t{1} << 30;  // bytes, at most

Status CannotRead(const std::string& path, int error) {
  return {StatusCode::kIo, "cannot read '" + path + "': " + std::generic_category().message(error)};
}

}  // namespace

RandomAccessFile::RandomAccessFile(std::string path, int descriptor, uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

RandomAccessFile::RandomAccessFile(RandomAccessFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

RandomAccessFile::~RandomAccessFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<std::optional<RandomAccessFile>> RandomAccessFile::Open(const std::string& path) {
  // Looked at before it is opened, which would take a pipe's first reader from it.
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return CannotRead(path, errno);
  if (!S_ISREG(info.st_mode)) return std::optional<RandomAccessFile>();
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return CannotRead(path, errno);
  RandomAccessFile file(path, descriptor, 0);
  if (fstat(descriptor, &info) != 0) return CannotRead(path, errno);
  file.size_ = static_cast<uint64_t>(info.st_size);
  return std::optional<RandomAccessFile>(std::move(file));
}

Status RandomAccessFile::Read(uint64_t offset, std::span<uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor_, bytes.data(), std::min(bytes.size(), kMostAtOnce),
                                static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(path_, errno);
    if (count == 0)
      return {StatusCode::kIo, "'" + path_ + "' ends after " + std::to_string(offset) +
                                   " bytes, before what is read"};
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

}  // namespace mmp
