#include "tools/sweep/external/process.h"

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
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "tools/command_line/terminal.h"
#include "tools/text/text.h"

extern char** environ;

namespace mmp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kAskToStopSeconds = 0.1;
constexpr size_t kKeptOutput = 16384;  // bytes, of the end

Status CannotRun(const std::string& name, int error) {
  return {StatusCode::kUnavailable,
          "cannot run " + name + ": " + std::generic_category().message(error)};
}

// What a program prints, and by its end the program's.
class Pipe {
 public:
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseWriteEnd();
    if (read_end_ >= 0) close(read_end_);
  }

  // To be called once. Returns 0 or the error.
  int Open() {
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    read_end_ = ends[0];
    write_end_ = ends[1];
    return 0;
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
  Surroundings() : error_(posix_spawn_file_actions_init(&actions_)), is_made_(error_ == 0) {}
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() {
    if (is_made_) posix_spawn_file_actions_destroy(&actions_);
  }

  // To be called once. Returns 0 or the error.
  int Set(const std::string& folder, const Pipe& output) {
    if (error_ == 0) error_ = posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    // Input comes last: where ours is closed, the pipe may have its number.
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      if (error_ == 0)
        error_ = posix_spawn_file_actions_adddup2(&actions_, output.write_end(), stream);
    if (error_ == 0)
      error_ = posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    return error_;
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
  int error_;  // the first
  const bool is_made_;
};

// Starts a program whose output goes into `output`, which is opened here.
Result<pid_t> Start(const Arguments& arguments, const std::string& folder, Pipe& output) {
  const std::string& name = arguments[0];
  if (const int error = output.Open(); error != 0) return CannotRun(name, error);
  Surroundings surroundings;
  if (const int error = surroundings.Set(folder, output); error != 0) return CannotRun(name, error);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, name.c_str(), surroundings.actions(), nullptr, argv.data(), environ);
  if (error != 0) return CannotRun(name, error);
  return process;
}

enum class ReadEnd { kAll, kOutOfTime, kStopped, kError };

// Reads until nobody can write any more. If it fails, errno says why.
ReadEnd ReadUntil(Clock::time_point deadline, const std::function<bool()>& stop, int descriptor,
                  std::string& output) {
  std::array<char, 4096> buffer;
  while (true) {
    const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    if (left <= 0) return ReadEnd::kOutOfTime;
    if (stop && stop()) return ReadEnd::kStopped;
    pollfd waiting = {.fd = descriptor, .events = POLLIN, .revents = 0};
    const double patience = std::min(left, kAskToStopSeconds);
    const int ready = poll(&waiting, 1, static_cast<int>(std::ceil(patience * 1000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ready < 0 ? -1 : read(descriptor, buffer.data(), buffer.size());
    if (ready > 0 && count < 0 && errno == EINTR) continue;
    if (count < 0) return ReadEnd::kError;
    if (count == 0) return ReadEnd::kAll;
    output.append(buffer.data(), static_cast<size_t>(count));
    if (output.size() > 2 * kKeptOutput) output.erase(0, output.size() - kKeptOutput);
  }
}

// How the process ended, as waitpid says; none, and errno, if that cannot be known.
std::optional<int> WaitFor(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  return status;
}

// A terminal sends its signals to the program and to us, and to us perhaps a moment later.
bool IsStopping(int signal_number, const std::function<bool()>& stop) {
  if (!stop || (signal_number != SIGINT && signal_number != SIGTERM && signal_number != SIGHUP))
    return false;
  for (int i = 0; i < 10 && !stop(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return stop();
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
  for (const std::string_view folder :
       SplitAt(folders != nullptr ? folders : "/usr/bin:/bin", ':')) {
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
                                 double limit_seconds, const std::function<bool()>& stop) {
  const std::string& name = arguments[0];
  const Clock::time_point start = Clock::now();
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  Pipe pipe;
  const Result<pid_t> process = Start(arguments, folder, pipe);
  if (!process.ok()) return process.status();
  pipe.CloseWriteEnd();
  ProcessResult result;
  const ReadEnd end = ReadUntil(start + limit, stop, pipe.read_end(), result.output);
  const int read_error = errno;
  if (end != ReadEnd::kAll) kill(*process, SIGKILL);
  const std::optional<int> status = WaitFor(*process);
  const int wait_error = errno;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  switch (end) {
    case ReadEnd::kOutOfTime:
      return Status(StatusCode::kLimitExceeded,
                    Format("%s was stopped after %.0f s", name.c_str(), limit_seconds));
    case ReadEnd::kStopped:
      return Status(StatusCode::kCancelled, name + " was stopped");
    case ReadEnd::kError:
      return Status(StatusCode::kIo, "cannot read what " + name +
                                         " prints: " + std::generic_category().message(read_error));
    case ReadEnd::kAll:
      break;
  }
  if (!status) {
    return Status(StatusCode::kIo, "cannot know how " + name +
                                       " ended: " + std::generic_category().message(wait_error));
  }
  if (WIFSIGNALED(*status)) {
    if (IsStopping(WTERMSIG(*status), stop))
      return Status(StatusCode::kCancelled, name + " was stopped");
    return Status(StatusCode::kIo,
                  Format("%s was ended by signal %d", name.c_str(), WTERMSIG(*status)));
  }
  result.exit_code = WEXITSTATUS(*status);
  return result;
}

}  // namespace mmp
