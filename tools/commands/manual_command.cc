#include <filesystem>
#include <memory>
#include <string>

#include "common/file_io.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/manual_page.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"

namespace mmp {
namespace {

struct ManualArguments {
  std::string folder;
  std::string date;
};

ExitCode Run(const ManualArguments& arguments, const CommandInfo& program) {
  const std::filesystem::path folder = arguments.folder;
  Status written =
      WriteTextFile(folder / (program.name + ".1"), ManualPage(program, arguments.date));
  for (const CommandInfo& command : program.commands) {
    if (!written.ok()) break;
    written = WriteTextFile(folder / (program.name + "-" + command.name + ".1"),
                            ManualPage(program, command, arguments.date));
  }
  return written.ok() ? ExitCode::kSuccess : ReportFailure(written);
}

}  // namespace

Command AddManualCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand("manual", "Write the manual pages");
  app->group("");  // hidden: for the build
  const auto arguments = std::make_shared<ManualArguments>();
  app->add_option("DIR", arguments->folder, "Folder that they go to")->required();
  app->add_option("DATE", arguments->date, "Their date")->required();
  return {app, [arguments, &program] { return Run(*arguments, DescribeCommand(program)); }};
}

}  // namespace mmp
