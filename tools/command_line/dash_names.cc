#include "tools/command_line/dash_names.h"

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace mmp {
namespace {

bool IsThere(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(name, ignored));
}

// The option that an argument is, as "--name" or "--name=value".
const CLI::Option* OptionOf(const CLI::App& command, std::string_view argument) {
  if (argument.starts_with("--")) argument = argument.substr(0, argument.find('='));
  return command.get_option_no_throw(std::string(argument));
}

}  // namespace

std::optional<std::string> FindDashName(const CLI::App& program,
                                        std::span<const char* const> arguments) {
  if (arguments.empty()) return std::nullopt;
  const auto is_given = [&](const CLI::App* command) {
    return command->get_name() == arguments[0];
  };
  const std::vector<const CLI::App*> commands = program.get_subcommands(is_given);
  if (commands.empty()) return std::nullopt;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (argument == "--") break;
    if (argument.size() < 2 || argument[0] != '-') continue;
    if (const CLI::Option* const option = OptionOf(*commands[0], argument); option != nullptr) {
      const bool has_value = argument.find('=') != std::string::npos;
      if (option->get_expected_min() > 0 && !has_value) ++i;
      continue;
    }
    if (IsThere(argument)) return argument;
  }
  return std::nullopt;
}

std::string DashNameMessage(const std::string& name) {
  return "the file '" + name + "' begins with a dash, as options do; put -- before the names of " +
         "files, and options before that, or write './" + name + "'";
}

}  // namespace mmp
