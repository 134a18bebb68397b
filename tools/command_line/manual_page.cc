#include "tools/command_line/manual_page.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "tools/command_line/version.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

std::string Roff(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-') escaped += '\\';
    escaped += c == '\\' ? "\\e" : std::string(1, c);
    // Long lists without spaces may be broken behind a comma.
    if (c == ',' && i + 1 < text.size() && text[i + 1] != ' ') escaped += "\\:";
  }
  // At the beginning of a line these would begin a request.
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

std::string Header(std::string title, const std::string& date) {
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return ".TH " + Roff(title) + " 1 " + date + " \"" + VersionText() + "\" \"User Commands\"\n" +
         ".ad l\n.nh\n";  // names are not hyphenated, and lists of them cannot be adjusted
}

std::string Name(const std::string& name, std::string description) {
  if (description.ends_with('.')) description.pop_back();
  return ".SH NAME\n" + Roff(name) + " \\- " + Roff(description) + "\n";
}

// Text with lines that are indented, which stay as they are, and others, which are filled. An empty
// line begins a paragraph.
std::string Body(const std::string& text) {
  std::string body;
  bool in_table = false;
  bool new_paragraph = false;
  const auto begin_paragraph = [&] {
    if (!body.empty()) body += ".PP\n";
    new_paragraph = false;
  };
  const auto set_table = [&](bool table) {
    if (table == in_table) return;
    if (table) begin_paragraph();
    body += table ? ".nf\n" : ".fi\n";
    in_table = table;
    new_paragraph = !table;
  };
  for (const std::string_view line : SplitAt(text, '\n')) {
    if (line.empty()) {
      set_table(false);
      new_paragraph = true;
      continue;
    }
    set_table(line.starts_with(' '));
    if (new_paragraph) begin_paragraph();
    body += Roff(line) + "\n";
  }
  set_table(false);
  return body;
}

std::string Tagged(const std::string& tag, const std::string& text) {
  std::string filled = text;
  std::ranges::replace(filled, '\n', ' ');
  return ".TP\n" + tag + "\n" + Roff(filled) + "\n";
}

std::string Option(const ArgumentInfo& option) {
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + Bold(name);
  if (option.kind != ValueKind::kNone) tag += " " + Italic(option.value);
  std::string text = option.description;
  const auto add = [&](const std::string& sentence) { text += "\n(" + sentence + ")"; };
  std::string choices;
  for (const std::string& choice : option.choices)
    choices += (choices.empty() ? "" : ", ") + choice;
  if (!choices.empty()) add((option.kind == ValueKind::kList ? "of " : "one of ") + choices);
  if (!option.range.empty()) add(option.range);
  if (!option.default_value.empty()) add("default: " + option.default_value);
  if (option.required) add("required");
  return Tagged(tag, text);
}

std::string Options(const CommandInfo& command) {
  std::string text = ".SH OPTIONS\n";
  for (const ArgumentInfo& argument : command.arguments)
    text += Tagged(Italic(argument.value), argument.description);
  for (const ArgumentInfo& option : command.options) text += Option(option);
  return text;
}

std::string PageName(const CommandInfo& program, const CommandInfo& command) {
  return program.name + "-" + command.name;
}

}  // namespace

std::string ManualPage(const CommandInfo& program, const std::string& date) {
  std::string page = Header(program.name, date) + Name(program.name, program.description) +
                     ".SH SYNOPSIS\n" + Bold(program.name) + " " + Italic("COMMAND") + " " +
                     Italic("ARGUMENTS...") + "\n" + Options(program) + ".SH COMMANDS\n";
  for (const CommandInfo& command : program.commands)
    page += Tagged(Bold(command.name), command.description);
  page += ".SH NOTES\n" + Body(program.footer) + ".SH SEE ALSO\n";
  std::string others;
  for (const CommandInfo& command : program.commands)
    others += (others.empty() ? "" : ",\n") + Bold(PageName(program, command)) + "(1)";
  return page + others + "\n";
}

std::string ManualPage(const CommandInfo& program, const CommandInfo& command,
                       const std::string& date) {
  const std::string name = PageName(program, command);
  std::string page = Header(name, date) + Name(name, command.description) + ".SH SYNOPSIS\n" +
                     Bold(program.name + " " + command.name) + " [" + Italic("OPTIONS") + "]";
  for (const ArgumentInfo& argument : command.arguments)
    page += " " + Italic(argument.value + (argument.many ? "..." : ""));
  page += "\n" + Options(command);
  if (!command.footer.empty()) page += ".SH NOTES\n" + Body(command.footer);
  return page + ".SH SEE ALSO\n" + Bold(program.name) + "(1)\n";
}

}  // namespace mmp
