#include "tools/command_line/shell_completion.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace mmp {
namespace {

std::string Joined(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// With a backslash before each of `special`.
std::string Escaped(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// In single quotes; `escaped_quote` is what stands for one.
std::string Quoted(std::string_view text, std::string_view escaped_quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += escaped_quote;
    else
      quoted += c;
  }
  return quoted + "'";
}

std::vector<std::string> CommandNames(const CommandInfo& program) {
  std::vector<std::string> names;
  for (const CommandInfo& command : program.commands) names.push_back(command.name);
  return names;
}

// bash

constexpr char kBashHelpers[] = R"(
# What the word to complete can be: the words given, or those after its last comma.
_mmp_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}
_mmp_list() {
  local done=
  [[ $cur == *,* ]] && done=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -P "$done" -W "$1" -- "${cur##*,}")
  compopt -o nospace
}
_mmp_files() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
_mmp_folders() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -d -- "$cur")
}
)";

constexpr char kBashBegin[] = R"(
_mmp() {
  local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command word
  COMPREPLY=()
  # "--option=value" is three words.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $option == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ -z $command && $word != -* ]] && command=$word
  done
)";

std::string BashAction(const ArgumentInfo& argument) {
  switch (argument.kind) {
    case ValueKind::kChoices:
      return "_mmp_words '" + Joined(argument.choices, " ") + "'";
    case ValueKind::kList:
      return "_mmp_list '" + Joined(argument.choices, " ") + "'";
    case ValueKind::kFile:
      return "_mmp_files";
    case ValueKind::kFolder:
      return "_mmp_folders";
    default:
      return ":";
  }
}

// What can follow an option that takes a value.
std::string BashValues(const CommandInfo& command) {
  std::string text;
  for (const ArgumentInfo& option : command.options) {
    if (option.kind == ValueKind::kNone) continue;
    std::vector<std::string> words;
    for (const std::string& name : option.names)
      words.push_back(Quoted(command.name + " " + name, ""));
    text += "    " + Joined(words, " | ") + ") " + BashAction(option) + "; return ;;\n";
  }
  return text;
}

std::string BashOptions(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const ArgumentInfo& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return "_mmp_words '" + Joined(names, " ") + "'";
}

}  // namespace

std::string BashCompletion(const CommandInfo& program) {
  std::string text = "# bash completion for mmp, made by: mmp completion bash\n";
  text += kBashHelpers;
  text += kBashBegin;
  text += "  case \"$command $option\" in\n";
  for (const CommandInfo& command : program.commands) text += BashValues(command);
  text += "  esac\n  case \"$command:$cur\" in\n";
  text += "    :-*) " + BashOptions(program) + " ;;\n";
  text += "    :*) _mmp_words '" + Joined(CommandNames(program), " ") + "' ;;\n";
  for (const CommandInfo& command : program.commands) {
    text += "    " + command.name + ":-*) " + BashOptions(command) + " ;;\n";
    if (!command.arguments.empty())
      text += "    " + command.name + ":*) " + BashAction(command.arguments[0]) + " ;;\n";
  }
  return text + "  esac\n}\ncomplete -F _mmp mmp\n";
}

// zsh

namespace {

std::string ZshQuoted(std::string_view text) { return Quoted(text, "'\\''"); }

// ":what:action", as _arguments takes it.
std::string ZshValue(const ArgumentInfo& argument) {
  const std::string what = ":" + Escaped(argument.value, ":\\") + ":";
  switch (argument.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kChoices:
      return what + "(" + Joined(argument.choices, " ") + ")";
    case ValueKind::kList:
      return what + "_values -s , name " + Joined(argument.choices, " ");
    case ValueKind::kFile:
      return what + "_files";
    case ValueKind::kFolder:
      return what + "_files -/";
    case ValueKind::kOther:
      return what + " ";
  }
  return "";
}

std::string ZshOption(const ArgumentInfo& option) {
  const std::string what =
      ZshQuoted("[" + Escaped(FirstLine(option.description), "[]:\\") + "]" + ZshValue(option));
  const std::string others = option.many ? "*" : "(" + Joined(option.names, " ") + ")";
  if (option.names.size() == 1) return (option.many ? ZshQuoted("*") : "") + option.names[0] + what;
  return ZshQuoted(others) + "{" + Joined(option.names, ",") + "}" + what;
}

std::string ZshArguments(const CommandInfo& command) {
  std::string text;
  for (const ArgumentInfo& option : command.options) text += " \\\n        " + ZshOption(option);
  for (const ArgumentInfo& argument : command.arguments)
    text += " \\\n        " + ZshQuoted((argument.many ? "*" : "") + ZshValue(argument));
  return text;
}

}  // namespace

std::string ZshCompletion(const CommandInfo& program) {
  std::string text =
      "#compdef mmp\n# zsh completion for mmp, made by: mmp completion zsh\n\n_mmp() {\n"
      "  local curcontext=$curcontext state line\n  local -a commands=(\n";
  for (const CommandInfo& command : program.commands)
    text += "    " + ZshQuoted(command.name + ":" + Escaped(command.description, ":\\")) + "\n";
  text += "  )\n  _arguments -C";
  for (const ArgumentInfo& option : program.options) text += " \\\n    " + ZshOption(option);
  text +=
      " \\\n    '1:command:->command' '*::argument:->arguments'\n  case $state in\n"
      "    command) _describe command commands ;;\n    arguments)\n      case $line[1] in\n";
  for (const CommandInfo& command : program.commands)
    text += "      " + command.name + ") _arguments" + ZshArguments(command) + " ;;\n";
  text += "      esac ;;\n  esac\n}\n\n";
  // Autoloaded it is the function's body; sourced, it is registered.
  return text +
         "if [[ $funcstack[1] == _mmp ]]; then\n  _mmp \"$@\"\nelse\n  compdef _mmp mmp\nfi\n";
}

// fish

namespace {

std::string FishQuoted(std::string_view text) { return Quoted(Escaped(text, "\\"), "\\'"); }

// All lists after the last comma, those that are there kept before each name.
constexpr char kFishBegin[] = R"(# fish completion for mmp, made by: mmp completion fish

function __mmp_list
    set -l done (string replace -r '[^,]*$' '' -- (commandline -ct | string replace -r '^--[^=]*=' ''))
    printf '%s\n' "$done"$argv
end

complete -c mmp -f
)";

std::string FishValue(const ArgumentInfo& argument) {
  switch (argument.kind) {
    case ValueKind::kChoices:
      return " -x -a " + FishQuoted(Joined(argument.choices, " "));
    case ValueKind::kList:
      return " -x -a " + FishQuoted("(__mmp_list " + Joined(argument.choices, " ") + ")");
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kOther:
      return " -x";
    case ValueKind::kNone:
      break;
  }
  return "";
}

std::string FishOption(const ArgumentInfo& option, const std::string& condition) {
  std::string text = "complete -c mmp -n " + FishQuoted(condition);
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text + FishValue(option) + " -d " + FishQuoted(FirstLine(option.description)) + "\n";
}

}  // namespace

std::string FishCompletion(const CommandInfo& program) {
  std::string text = kFishBegin;
  for (const ArgumentInfo& option : program.options)
    text += FishOption(option, "__fish_use_subcommand");
  for (const CommandInfo& command : program.commands) {
    text += "complete -c mmp -n __fish_use_subcommand -a " + command.name + " -d " +
            FishQuoted(command.description) + "\n";
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const ArgumentInfo& option : command.options) text += FishOption(option, condition);
    for (const ArgumentInfo& argument : command.arguments)
      text += "complete -c mmp -n " + FishQuoted(condition) +
              (argument.kind == ValueKind::kFile ? " -F" : FishValue(argument)) + "\n";
  }
  return text;
}

}  // namespace mmp
