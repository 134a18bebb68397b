// The program's subcommands.
#ifndef MMP_TOOLS_COMMANDS_COMMANDS_H_
#define MMP_TOOLS_COMMANDS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "tools/command_line/exit_code.h"

namespace mmp {

// `run` does the command's work; call it after `options` has been parsed.
struct Command {
  CLI::App* options;
  std::function<ExitCode()> run;
};

// Each adds its subcommand to `program`.
Command AddEncodeCommand(CLI::App& program);
Command AddDecodeCommand(CLI::App& program);
Command AddInfoCommand(CLI::App& program);
Command AddInspectCommand(CLI::App& program);
Command AddCompareCommand(CLI::App& program);
Command AddDevicesCommand(CLI::App& program);
Command AddTrainCommand(CLI::App& program);
// `program` must still be there when these are run: they describe it.
Command AddCompletionCommand(CLI::App& program);
Command AddManualCommand(CLI::App& program);
// `command_line`: how the program was called, which the results record.
Command AddSweepCommand(CLI::App& program, const std::string& command_line);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMANDS_COMMANDS_H_
