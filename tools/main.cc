// mmp: encodes, decodes and examines .mmp files.
#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "common/file_io.h"
#include "cuda/mmp_cuda.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/sweep/process.h"
#include "tools/terminal.h"
#include "tools/version.h"

namespace {

constexpr char kFooter[] = R"(
Examples:
  mmp encode photo.png                         writes photo.mmp
  mmp encode photo.png --lambda 0 --verify     lossless
  mmp encode photo.png --target-psnr 38        as small as 38 dB allows
  mmp encode *.png -o coded/                   every image, over all cores
  mmp decode photo.mmp -o photo.pgm
  mmp compare photo.png photo.mmp              how far the file is from the image
  mmp inspect photo.mmp -o look/               pictures of what the file is made of
  mmp sweep *.png -o results/                  rate and quality at many lambdas
  mmp devices                                  the CUDA devices, and which can be used
  mmp COMMAND --help                           all options of a command

Exit codes:
  0  success
  1  a file could not be read or written, or the work was cancelled
  2  the command line is wrong
  3  the input is not an image, not one that is supported, or over a limit
  4  the input is damaged
  5  the backend, or a codec to compare with (sweep), is not available
  6  the output was written, but damaged tiles were left gray (decode --keep-going)
     or the target could not be met (encode --target-psnr, --target-bpp, --target-size),
     or some points failed (sweep)
With several inputs: the code of the first that failed.
)";

// Ends the program as a signal would: the handler removes temporary files.
void HandleOutOfMemory() {
  std::fputs("mmp: error: not enough memory; try fewer --threads or smaller images\n", stderr);
  std::raise(SIGTERM);
  std::abort();
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
  mmp::PrintError(std::string(end.what()) + "; see " + help + " --help");
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
  program.footer(kFooter);  // here, lest commands inherit it
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
  mmp::RemoveTemporariesOnSignal();
  std::set_new_handler(HandleOutOfMemory);
  mmp::EnableCuda();
  mmp::ExitCode code = Run(argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    mmp::PrintError("cannot write standard output");
    if (code == mmp::ExitCode::kSuccess) code = mmp::ExitCode::kFailure;
  }
  return static_cast<int>(code);
}
