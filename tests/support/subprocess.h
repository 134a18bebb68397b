// Runs a program and captures what it prints, for tests.
#ifndef MMP_TESTS_SUPPORT_SUBPROCESS_H_
#define MMP_TESTS_SUPPORT_SUBPROCESS_H_

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace mmp {

struct Outcome {
  int exit_code = -1;  // -1 if a signal ended the program
  int signal = 0;
  std::string out;
  std::string err;
};

struct Streams {
  std::string input{};        // what standard input, a pipe, gives
  std::string stdout_path{};  // where standard output goes; empty: captured through a pipe
  std::string stderr_path{};  // the same for standard error
};

// A running program; Wait must be called once.
class Subprocess {
 public:
  // `arguments` starts with the program's path.
  explicit Subprocess(const std::vector<std::string>& arguments, Streams streams = {}) {
    const Pipe in;
    const Pipe out;
    const Pipe err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
    Redirect(streams.stdout_path, out.write_end, STDOUT_FILENO, actions);
    Redirect(streams.stderr_path, err.write_end, STDERR_FILENO, actions);
    // Here a program that ends before it has read all of `input` is no error; there SIGPIPE is as
    // usual.
    signal(SIGPIPE, SIG_IGN);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t sigpipe;
    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &sigpipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

    std::vector<char*> argv;
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    if (posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), environ) != 0) pid_ = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(in.read_end);
    close(out.write_end);
    close(err.write_end);
    writer_ = std::thread(WriteAll, in.write_end, std::move(streams.input));
    out_reader_ = std::thread(ReadAll, out.read_end, std::ref(outcome_.out));
    err_reader_ = std::thread(ReadAll, err.read_end, std::ref(outcome_.err));
  }
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  void Kill(int signal_number) { kill(pid_, signal_number); }

  Outcome Wait() {
    writer_.join();
    out_reader_.join();
    err_reader_.join();
    int status = 0;
    if (pid_ > 0 && waitpid(pid_, &status, 0) == pid_) {
      if (WIFEXITED(status)) outcome_.exit_code = WEXITSTATUS(status);
      if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
    }
    return outcome_;
  }

 private:
  struct Pipe {
    Pipe() {
      int ends[2] = {-1, -1};
      if (pipe2(ends, O_CLOEXEC) != 0) perror("pipe2");
      read_end = ends[0];
      write_end = ends[1];
    }
    int read_end;
    int write_end;
  };

  static void Redirect(const std::string& path, int pipe_end, int descriptor,
                       posix_spawn_file_actions_t& actions) {
    if (path.empty()) {
      posix_spawn_file_actions_adddup2(&actions, pipe_end, descriptor);
    } else {
      posix_spawn_file_actions_addopen(&actions, descriptor, path.c_str(), O_WRONLY | O_NOCTTY, 0);
    }
  }

  static void WriteAll(int descriptor, std::string text) {
    std::string_view bytes = text;
    while (!bytes.empty()) {
      const ssize_t count = write(descriptor, bytes.data(), bytes.size());
      if (count <= 0) break;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    close(descriptor);
  }

  static void ReadAll(int descriptor, std::string& text) {
    char buffer[4096];
    for (ssize_t count; (count = read(descriptor, buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<size_t>(count));
    }
    close(descriptor);
  }

  pid_t pid_ = -1;
  Outcome outcome_;
  std::thread writer_;
  std::thread out_reader_;
  std::thread err_reader_;
};

inline Outcome RunProgram(const std::vector<std::string>& arguments, Streams streams = {}) {
  return Subprocess(arguments, std::move(streams)).Wait();
}

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_SUBPROCESS_H_
