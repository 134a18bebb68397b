#include "tools/sweep/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "tools/terminal.h"
#include "tools/text.h"

extern char** environ;

namespace mmp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptOutput = 16384;  // bytes, of the end

// What a program prints, and by its end the program's.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) == 0) {
      read_end_ = ends[0];
      write_end_ = ends[1];
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseWriteEnd();
    if (read_end_ >= 0) close(read_end_);
  }

  int read_end() const { return read_end_; }
  int write_end() const { return write_end_; }
  void CloseWriteEnd() {
    if (write_end_ >= 0) close(write_end_);
    write_end_ = -1;
  }

 private:
  int read_end_ = -1;
  int write_end_ = -1;
};

// Where a program starts, what it reads and where its output goes.
class Surroundings {
 public:
  Surroundings(const std::string& folder, const Pipe& output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.write_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output.write_end(), STDERR_FILENO);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() { posix_spawn_file_actions_destroy(&actions_); }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Reads until nobody can write any more. False: the time came first.
bool ReadUntil(Clock::time_point deadline, int descriptor, std::string& output) {
  std::array<char, 4096> buffer;
  while (true) {
    const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting = {.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::ceil(std::min(left, 1e5) * 1000)));
    if (ready <= 0) continue;
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    output.append(buffer.data(), static_cast<size_t>(count));
    if (output.size() > 2 * kKeptOutput) output.erase(0, output.size() - kKeptOutput);
  }
}

int WaitFor(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool IsPlain(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./,:=+@%";
  return !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
}

}  // namespace

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const folders = std::getenv("PATH");
  for (const std::string_view folder : Split(folders != nullptr ? folders : "/usr/bin:/bin", ':')) {
    std::string path = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

std::string ShellText(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    if (IsPlain(argument)) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

Result<ProcessResult> RunProcess(const Arguments& arguments, const std::string& folder,
                                 double limit_seconds) {
  const std::string& name = arguments[0];
  Pipe pipe;
  const Surroundings surroundings(folder, pipe);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const Clock::time_point start = Clock::now();
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, name.c_str(), surroundings.actions(), nullptr, argv.data(), environ);
  if (error != 0) {
    return Status(StatusCode::kUnavailable,
                  "cannot run " + name + ": " + std::generic_category().message(error));
  }
  pipe.CloseWriteEnd();
  ProcessResult result;
  const bool in_time = ReadUntil(start + limit, pipe.read_end(), result.output);
  if (!in_time) kill(process, SIGKILL);
  const int status = WaitFor(process);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!in_time) {
    return Status(StatusCode::kLimitExceeded,
                  Format("%s was stopped after %.0f s", name.c_str(), limit_seconds));
  }
  if (WIFSIGNALED(status)) {
    return Status(StatusCode::kIo,
                  Format("%s was ended by signal %d", name.c_str(), WTERMSIG(status)));
  }
  result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace mmp
