// What can be given on the program's command line, read from its CLI11 description: for completion
// and manual pages, which cannot differ from --help so.
#ifndef MMP_TOOLS_COMMAND_LINE_COMMAND_LINE_H_
#define MMP_TOOLS_COMMAND_LINE_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mmp {

enum class ValueKind : uint8_t {
  kNone,     // a flag
  kChoices,  // one of `choices`
  kList,     // some of `choices`, with commas between
  kFile,
  kFolder,
  kOther,
};

// An option, or an argument without one.
struct ArgumentInfo {
  std::vector<std::string> names = {};  // "-o", "--output"; empty: without an option
  std::string value = {};               // what the value is called: "DIR"
  std::string range = {};               // "0 to 65536"; empty if there is none
  std::vector<std::string> choices = {};
  std::string default_value = {};  // empty if there is none
  ValueKind kind = ValueKind::kNone;
  bool required = false;
  bool many = false;  // several values
  std::string description = {};
};

struct CommandInfo {
  std::string name = {};  // "mmp", "encode"
  std::string description = {};
  std::string footer = {};
  std::vector<ArgumentInfo> options = {};
  std::vector<ArgumentInfo> arguments = {};
  std::vector<CommandInfo> commands = {};
};

// Hidden commands and options (those without a group) are left out.
CommandInfo DescribeCommand(const CLI::App& app);

// The option of `app` that `word`, which is none, is likely to mean: "--lambda" for "--lamda=10" or
// "-lambda". Empty if there is none.
std::string NearestOption(const CLI::App& app, std::string_view word);

// For an option whose values are names with commas between: tells help, completion and manual which
// there are. It checks nothing.
CLI::Validator ListOf(const std::vector<std::string_view>& names);

// For an option of 64 bits without a sign: refuses all but decimal digits. CLI11 takes -1 as 2^64
// - 1.
CLI::Validator WholeNumber();

// Refuses the empty name, which a script gives whose variable is not set.
CLI::Validator NotEmpty();

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_COMMAND_LINE_H_
