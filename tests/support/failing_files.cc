// A file layer that fails: a library for LD_PRELOAD, by which the system calls of a whole program
// that change what is in a folder fail, or end the program, at a chosen moment. failing_files.h
// starts programs so.
//
// The environment says which: MMP_FAILING_FOLDER, an absolute path without symbolic links;
// MMP_FAILING_AFTER, how many such calls do what they should before; MMP_FAILING_ERROR, the errno
// that the next one fails with, or 0: the program is killed in its place; MMP_FAILING_ON, "1" if
// all after it fail, too; MMP_FAILING_REPORT, a file in another folder that gets the name of the
// call that failed.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

// The call of this name that would be made without this library.
template <typename Function>
Function* Real(const char* name, Function* /*of this type*/) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const char* Setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

bool IsInFolder(const char* path) {
  const std::string_view folder = Setting("MMP_FAILING_FOLDER"), name = path;
  return !folder.empty() && name.starts_with(folder) &&
         (name.size() == folder.size() || name[folder.size()] == '/');
}

// Whether it is a file of the folder that was opened to be written.
bool IsInFolder(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return false;
  char link[64];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  std::array<char, 4096> path{};
  return readlink(link, path.data(), path.size() - 1) > 0 && IsInFolder(path.data());
}

void Report(const char* call) {
  const int descriptor =
      Real("open", &open)(Setting("MMP_FAILING_REPORT"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (descriptor < 0) return;
  [[maybe_unused]] const ssize_t ignored = Real("write", &write)(descriptor, call, strlen(call));
  Real("close", &close)(descriptor);
}

// Whether this call is to fail; errno then says how.
bool Fails(const char* call) {
  static std::atomic<long> before{std::atol(Setting("MMP_FAILING_AFTER"))};
  static const int error = std::atoi(Setting("MMP_FAILING_ERROR"));
  static const bool fails_on = std::string_view(Setting("MMP_FAILING_ON")) == "1";
  const long left = before.fetch_sub(1);
  if (left > 0 || (left < 0 && !fails_on)) return false;
  if (left == 0) Report(call);
  if (error == 0) raise(SIGKILL);
  errno = error;
  return true;
}

int Open(const char* name, const char* path, int flags, mode_t mode) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if (writes && IsInFolder(path) && Fails("open")) return -1;
  return Real(name, &open)(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return Open("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return Open("open64", path, flags, mode);
}

// A disk that becomes full takes a part first.
ssize_t write(int descriptor, const void* bytes, size_t size) {
  const auto real = Real("write", &write);
  if (!IsInFolder(descriptor)) return real(descriptor, bytes, size);
  static std::atomic<bool> was_partial{false};
  if (!Fails("write")) return real(descriptor, bytes, size);
  const int error = errno;
  const bool is_partial = error == ENOSPC && size > 1 && Setting("MMP_FAILING_ON")[0] == '1' &&
                          !was_partial.exchange(true);
  if (is_partial) return real(descriptor, bytes, size / 2);
  errno = error;
  return -1;
}

int fsync(int descriptor) {
  return IsInFolder(descriptor) && Fails("fsync") ? -1 : Real("fsync", &fsync)(descriptor);
}

// As on Linux, the descriptor is closed also where that fails.
int close(int descriptor) {
  const bool fails = IsInFolder(descriptor) && Fails("close");
  const int error = errno;
  const int result = Real("close", &close)(descriptor);
  if (fails) errno = error;
  return fails ? -1 : result;
}

int fchmod(int descriptor, mode_t mode) {
  return IsInFolder(descriptor) && Fails("fchmod") ? -1 : Real("fchmod", &fchmod)(descriptor, mode);
}

int ftruncate(int descriptor, off_t size) {
  return IsInFolder(descriptor) && Fails("ftruncate")
             ? -1
             : Real("ftruncate", &ftruncate)(descriptor, size);
}

int rename(const char* from, const char* to) {
  return IsInFolder(to) && Fails("rename") ? -1 : Real("rename", &rename)(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) {
  return IsInFolder(to) && Fails("renameat2")
             ? -1
             : Real("renameat2", &renameat2)(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) {
  return IsInFolder(to) && Fails("link") ? -1 : Real("link", &link)(from, to);
}

int mkdir(const char* path, mode_t mode) {
  return IsInFolder(path) && Fails("mkdir") ? -1 : Real("mkdir", &mkdir)(path, mode);
}

char* mkdtemp(char* path) {
  return IsInFolder(path) && Fails("mkdtemp") ? nullptr : Real("mkdtemp", &mkdtemp)(path);
}

}  // extern "C"
