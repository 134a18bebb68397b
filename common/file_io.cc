#include "common/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace mmp {
namespace {

constexpr size_t kReadChunk = size_t{1} << 16;   // bytes, at least
constexpr size_t kWriteChunk = size_t{1} << 30;  // bytes, at most

std::string QuotedName(const std::string& path, const char* name_of_dash) {
  return path == "-" ? name_of_dash : "'" + path + "'";
}

// "cannot read 'a.png': No such file or directory"
Status SystemError(const char* action, const std::string& name, int error) {
  return {StatusCode::kIo, std::string("cannot ") + action + " " + name + ": " +
                               std::generic_category().message(error)};
}

// Closes a descriptor that was only read from.
class DescriptorCloser {
 public:
  explicit DescriptorCloser(int descriptor) : descriptor_(descriptor) {}
  DescriptorCloser(const DescriptorCloser&) = delete;
  DescriptorCloser& operator=(const DescriptorCloser&) = delete;
  ~DescriptorCloser() { close(descriptor_); }

 private:
  int descriptor_;
};

Result<std::vector<uint8_t>> ReadDescriptor(int descriptor, const std::string& name,
                                            uint64_t max_bytes) {
  const Status too_large(StatusCode::kLimitExceeded, name + " is larger than the limit of " +
                                                         std::to_string(max_bytes) + " bytes");
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return SystemError("read", name, errno);
  if (S_ISDIR(info.st_mode)) {
    const Status error = SystemError("read", name, EISDIR);
    return Status(error.code(), error.message() + "; name the files in it");
  }
  const uint64_t expected = S_ISREG(info.st_mode) ? static_cast<uint64_t>(info.st_size) : 0;
  if (expected > max_bytes) return too_large;

  // One byte more than expected, so that the end is seen without growing.
  std::vector<uint8_t> bytes(std::max<size_t>(expected + 1, kReadChunk));
  size_t size = 0;
  while (true) {
    const ssize_t count = read(descriptor, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("read", name, errno);
    if (count == 0) break;
    size += static_cast<size_t>(count);
    if (size > max_bytes) return too_large;
    if (size == bytes.size()) bytes.resize(2 * bytes.size());
  }
  // Standard input may have been read from before.
  if (size < expected && descriptor != STDIN_FILENO) {
    return Status(StatusCode::kIo, name + " ended after " + std::to_string(size) + " of " +
                                       std::to_string(expected) + " bytes");
  }
  bytes.resize(size);
  return bytes;
}

// Keeps SIGPIPE from the calling thread while in scope: writes fail with EPIPE instead.
class SigpipeBlocker {
 public:
  SigpipeBlocker() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &old_mask_);
  }
  SigpipeBlocker(const SigpipeBlocker&) = delete;
  SigpipeBlocker& operator=(const SigpipeBlocker&) = delete;
  ~SigpipeBlocker() {
    sigset_t pending;
    sigpending(&pending);
    int signal_number = 0;
    if (sigismember(&pending, SIGPIPE) == 1) sigwait(&sigpipe_, &signal_number);
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }

 private:
  sigset_t sigpipe_;
  sigset_t old_mask_;
};

// What a chain of symbolic links leads to where nothing is there yet; `path` itself if it is none.
std::filesystem::path FollowDanglingLinks(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as Linux; a circle is an error of stat already
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(path, no_link);
    if (no_link) break;
    path = path.parent_path() / next;  // `next` alone if it is absolute
  }
  return path;
}

// As rename, but fails with EEXIST if there is something under the new name.
int RenameToNew(const char* from, const char* to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
  // Not every file system can do that in one go, and not every one has hard links.
  if (link(from, to) == 0) {
    unlink(from);
    return 0;
  }
  if (errno != EPERM && errno != EACCES && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
  if (access(to, F_OK) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(from, to);
}

}  // namespace

Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t max_bytes) {
  const std::string name = QuotedName(path, "standard input");
  if (path == "-") return ReadDescriptor(STDIN_FILENO, name, max_bytes);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("read", name, errno);
  const DescriptorCloser closer(descriptor);
  return ReadDescriptor(descriptor, name, max_bytes);
}

Result<AtomicFile> AtomicFile::Open(const std::string& path, OldFile old_file) {
  AtomicFile file(QuotedName(path, "standard output"), old_file);
  struct stat info {};
  if (path == "-") {
    file.descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (file.descriptor_ < 0) return file.Fail();
  } else if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT || path.empty() || path.back() == '/') return file.Fail();
    MMP_RETURN_IF_ERROR(file.OpenTemporary(path, std::nullopt));
  } else if (S_ISREG(info.st_mode) && old_file == OldFile::kKept) {
    errno = EEXIST;
    return file.Fail();
  } else if (S_ISREG(info.st_mode)) {
    if (access(path.c_str(), W_OK) != 0) return file.Fail();
    MMP_RETURN_IF_ERROR(file.OpenTemporary(path, info.st_mode & 0777));
  } else {
    file.descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return file.Fail();
  }
  return Result<AtomicFile>(std::move(file));
}

Status AtomicFile::OpenTemporary(const std::string& path, std::optional<mode_t> mode) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  target_path_ = error ? FollowDanglingLinks(path).string() : resolved.string();
  do {
    UnregisterTemporary(temporary_slot_);
    const std::filesystem::path target = target_path_;
    temporary_path_ = target.parent_path() / TemporaryName(target.filename());
    temporary_slot_ = RegisterTemporary(temporary_path_);
    descriptor_ = open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) temporary_path_.clear();
  if (descriptor_ < 0 || (mode && fchmod(descriptor_, *mode) != 0)) return Fail();
  return {};
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : name_(std::move(other.name_)),
      old_file_(other.old_file_),
      target_path_(std::move(other.target_path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      temporary_slot_(std::exchange(other.temporary_slot_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      status_(std::move(other.status_)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
  UnregisterTemporary(temporary_slot_);
}

Status AtomicFile::Fail() {
  status_ = SystemError("write", name_, errno);
  if (errno == EEXIST && old_file_ == OldFile::kKept)
    status_ = {StatusCode::kIo, "there is a file " + name_ + " already, which is kept as it is"};
  return status_;
}

Status AtomicFile::Write(std::span<const uint8_t> bytes) {
  MMP_RETURN_IF_ERROR(status_);
  const SigpipeBlocker blocker;
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), std::min(bytes.size(), kWriteChunk));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail();
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return {};
}

Status AtomicFile::Commit() {
  MMP_RETURN_IF_ERROR(status_);
  const bool temporary = !temporary_path_.empty();
  // Not every file system has fsync; those that do not say EINVAL.
  if (temporary && fsync(descriptor_) != 0 && errno != EINVAL) return Fail();
  if (close(std::exchange(descriptor_, -1)) != 0) return Fail();
  if (!temporary) return {};
  const auto put = old_file_ == OldFile::kKept ? RenameToNew : rename;
  if (put(temporary_path_.c_str(), target_path_.c_str()) != 0) return Fail();
  temporary_path_.clear();
  UnregisterTemporary(std::exchange(temporary_slot_, -1));
  return {};
}

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes, OldFile old_file) {
  Result<AtomicFile> file = AtomicFile::Open(path, old_file);
  if (!file.ok()) return file.status();
  MMP_RETURN_IF_ERROR(file->Write(bytes));
  return file->Commit();
}

Status WriteTextFile(const std::string& path, std::string_view text) {
  return WriteFile(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace mmp
