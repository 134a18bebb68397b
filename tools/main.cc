// mmp: encodes, decodes and examines .mmp files.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/file_io.h"
#include "mmp/mmp_cuda.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/dash_names.h"
#include "tools/command_line/exit_code.h"
#include "tools/command_line/heap.h"
#include "tools/command_line/terminal.h"
#include "tools/command_line/version.h"
#include "tools/commands/commands.h"
#include "tools/sweep/external/process.h"

namespace {

constexpr char kProgramFooter[] = R"(
Examples:
  mmp encode photo.png                         writes photo.mmp
  mmp encode photo.png --lambda 0 --verify     lossless
  mmp encode photo.png --target-psnr 38        as small as 38 dB allows
  mmp encode *.png -o coded/                   every image, over all cores
  mmp encode scans/ -o coded/                  every image of a folder
  mmp decode photo.mmp -o decoded.png
  mmp compare photo.png photo.mmp              how far the file is from the image
  mmp inspect photo.mmp -o look/               pictures of what the file is made of
  mmp sweep *.png -o results/                  rate and quality at many lambdas
  mmp devices                                  the CUDA devices, and which can be used
  mmp COMMAND --help                           all options of a command

Exit codes:
  0  success
  1  a file could not be read or written
  2  the command line is wrong
  3  the input is not an image, not one that is supported, or over a limit
  4  the input is damaged
  5  the backend, or a codec to compare with (sweep), is not available
  6  the output was written, but damaged tiles were left gray (decode --keep-going)
     or damaged metadata left out (decode), or metadata or the preview are damaged (info),
     or the target could not be met (encode --target-psnr, --target-bpp, --target-size),
     or some points failed (sweep)
  7  there is not enough memory, or no thread could be started
With several inputs: the code of the first that failed. Ctrl-C and other signals end the program as
they end others: there is no code then, and a shell says 130 or the like.
)";

// Ends the program at once: there is no memory for anything else.
[[noreturn]] void EndForLackOf(std::string_view what) {
  // Several threads may come here at the same time: the first one speaks.
  static std::atomic_flag spoken;
  if (!spoken.test_and_set()) {
    for (const std::string_view part :
         {std::string_view("mmp: error: "), what,
          std::string_view("; try fewer --threads or smaller images\n")}) {
      if (write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    }
  }
  mmp::RemoveTemporaries();
  _exit(static_cast<int>(mmp::ExitCode::kOutOfMemory));
}

void HandleOutOfMemory() { EndForLackOf("not enough memory"); }

// Exceptions that nobody catches, from any thread. Only a lack of memory or threads makes any.
void HandleTerminate() {
  try {
    if (const std::exception_ptr exception = std::current_exception()) {
      std::rethrow_exception(exception);
    }
  } catch (const std::bad_alloc&) {
    HandleOutOfMemory();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      EndForLackOf("the system starts no more threads, or has no memory for them");
    }
    std::fprintf(stderr, "mmp: error: %s\n", error.what());
  } catch (...) {
    std::fputs("mmp: error: an exception that nobody expected\n", stderr);
  }
  std::abort();
}

// What is wrong: of an option that is misspelled, which one is likely to be meant.
std::string ProblemText(const CLI::App& program, const CLI::ParseError& end) {
  for (const CLI::App* command : program.get_subcommands()) {
    for (const std::string& word : command->remaining()) {
      const std::string meant = mmp::NearestOption(*command, word);
      if (!meant.empty())
        return mmp::Format("there is no option %s; did you mean %s?", word.c_str(), meant.c_str());
    }
  }
  return end.what();
}

// Reports what is wrong with the command line, or prints the help or version asked for.
mmp::ExitCode HandleParseEnd(const CLI::App& program, const CLI::ParseError& end) {
  if (end.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    program.exit(end);
    return mmp::ExitCode::kSuccess;
  }
  // CLI11 would only say that there is no command.
  const std::vector<std::string> unknown = program.remaining();
  if (program.get_subcommands().empty() && !unknown.empty()) {
    mmp::PrintError("'" + unknown[0] + "' is not a command of mmp; see mmp --help");
    return mmp::ExitCode::kUsage;
  }
  std::string help = "mmp";
  for (const CLI::App* command : program.get_subcommands()) help += " " + command->get_name();
  const std::string problem = ProblemText(program, end);
  mmp::PrintError(problem + (problem.ends_with('?') ? " See " : "; see ") + help + " --help");
  return mmp::ExitCode::kUsage;
}

mmp::ExitCode Run(int argc, char** argv) {
  CLI::App program(
      "A grayscale image codec: multidimensional multiscale parser with intra "
      "prediction.",
      "mmp");
  program.set_version_flag("--version", mmp::VersionText());
  program.require_subcommand(1);
  const std::array commands = {
      mmp::AddEncodeCommand(program),
      mmp::AddDecodeCommand(program),
      mmp::AddInfoCommand(program),
      mmp::AddInspectCommand(program),
      mmp::AddCompareCommand(program),
      mmp::AddDevicesCommand(program),
      mmp::AddTrainCommand(program),
      mmp::AddSweepCommand(program, mmp::ShellText({argv, argv + argc})),
      mmp::AddCompletionCommand(program),
      mmp::AddManualCommand(program),
  };
  program.footer(kProgramFooter);  // here, so that commands do not inherit it
  const std::span<const char* const> arguments(argv + 1, argc > 0 ? argc - 1 : 0);
  if (const std::optional<std::string> name = mmp::FindDashName(program, arguments)) {
    mmp::PrintError(mmp::DashNameMessage(*name));
    return mmp::ExitCode::kUsage;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    return HandleParseEnd(program, end);
  }
  for (const mmp::Command& command : commands) {
    if (command.options->parsed()) return command.run();
  }
  return mmp::ExitCode::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  mmp::ReserveHeap();
  mmp::RemoveTemporariesOnSignal();
  std::set_new_handler(HandleOutOfMemory);
  std::set_terminate(HandleTerminate);
  mmp::EnableCuda();
  mmp::ExitCode code = Run(argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    mmp::PrintError("cannot write standard output");
    if (code == mmp::ExitCode::kSuccess) code = mmp::ExitCode::kFailure;
  }
  return static_cast<int>(code);
}
