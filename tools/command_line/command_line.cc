#include "tools/command_line/command_line.h"

#include <algorithm>
#include <cstddef>

#include "tools/text/text.h"

namespace mmp {
namespace {

bool IsShown(const CLI::Option* option) { return !option->get_group().empty(); }

// A list's value is called "P,..." or so.
constexpr std::string_view kListMark = ",...";

// "P:{best,fast}" or "L:0 to 65536": the value's name and what its validator says.
void ReadType(const std::string& type, ArgumentInfo& info) {
  const size_t colon = type.find(':');
  const std::string range = colon == std::string::npos ? "" : type.substr(colon + 1);
  // Else the colon is in the name.
  const bool is_validated = range.find_first_of(" {") != std::string::npos;
  info.value = is_validated ? type.substr(0, colon) : type;
  if (range.starts_with('{') && range.ends_with('}')) {
    for (const std::string_view choice :
         SplitAt(std::string_view(range).substr(1, range.size() - 2), ','))
      info.choices.emplace_back(choice);
  } else if (is_validated) {
    info.range = range;
  }
}

ValueKind KindOf(const ArgumentInfo& info) {
  if (!info.choices.empty())
    return info.value.ends_with(kListMark) ? ValueKind::kList : ValueKind::kChoices;
  if (info.value == "DIR") return ValueKind::kFolder;
  const bool is_file = info.names.empty() || info.value == "FILE" || info.value.starts_with("OUT");
  return is_file ? ValueKind::kFile : ValueKind::kOther;
}

ArgumentInfo Describe(const CLI::Option& option) {
  ArgumentInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.description = option.get_description();
  info.required = option.get_required();
  if (option.get_expected_max() == 0) return info;  // a flag
  ReadType(option.get_type_name(), info);
  info.kind = KindOf(info);
  if (info.names.empty()) info.value = option.get_name(true);
  info.many = option.get_expected_max() > 1;
  info.default_value = option.get_default_str();
  return info;
}

}  // namespace

CommandInfo DescribeCommand(const CLI::App& app) {
  CommandInfo info = {
      .name = app.get_name(), .description = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options(IsShown))
    (option->nonpositional() ? info.options : info.arguments).push_back(Describe(*option));
  const auto is_shown = [](const CLI::App* command) { return !command->get_group().empty(); };
  for (const CLI::App* command : app.get_subcommands(is_shown))
    info.commands.push_back(DescribeCommand(*command));
  return info;
}

std::string NearestOption(const CLI::App& app, std::string_view word) {
  if (!word.starts_with('-')) return "";
  const std::string_view name =
      word.substr(0, word.find('=')).substr(std::min(word.find_first_not_of('-'), word.size()));
  std::string nearest;
  size_t least = name.size() / 3 + 1;  // a letter in three may be wrong
  for (const CLI::Option* option : app.get_options(IsShown)) {
    for (const std::string& candidate : option->get_lnames()) {
      const size_t distance = EditDistance(name, candidate);
      if (distance >= least) continue;
      least = distance;
      nearest = "--" + candidate;
    }
  }
  return nearest;
}

CLI::Validator ListOf(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "{" : ",").append(name);
  return CLI::Validator([](const std::string&) { return std::string(); }, text + "}", "");
}

CLI::Validator WholeNumber() {
  const auto check = [](const std::string& text) {
    return ParseNumber<uint64_t>(text) ? "" : "'" + text + "' is not a whole number";
  };
  return CLI::Validator(check, "", "");
}

CLI::Validator NotEmpty() {
  const auto check = [](const std::string& text) {
    return text.empty() ? "the name is empty" : "";
  };
  return CLI::Validator(check, "", "");
}

}  // namespace mmp
