#include "tools/command_line/name_lists.h"

#include <cstddef>
#include <span>

namespace mmp {
namespace {

using Names = std::span<const std::string_view>;

uint32_t AllOf(Names names) { return (1u << names.size()) - 1; }

// The name's number, or -1.
int ParseName(Names names, std::string_view text) {
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    if (text == names[i] || text == std::to_string(i)) return i;
  }
  return -1;
}

std::string Text(Names names, uint32_t mask) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (!text.empty()) text += ',';
    text += names[i];
  }
  return text;
}

// `kind`: what the names are of, for the message.
Result<uint32_t> Parse(Names names, std::string_view kind, std::string_view list) {
  if (list == "all") return AllOf(names);
  uint32_t mask = 0;
  for (bool more = true; more;) {
    const size_t comma = list.find(',');
    const std::string item(list.substr(0, comma));
    const int number = ParseName(names, item);
    if (number < 0) {
      return Status(StatusCode::kInvalidArgument,
                    "'" + item + "' is not a " + std::string(kind) + "; use all, or some of " +
                        Text(names, AllOf(names)) + " or their numbers 0 to " +
                        std::to_string(names.size() - 1) + ", with commas between");
    }
    mask |= 1u << number;
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
  }
  return mask;
}

}  // namespace

std::vector<std::string_view> PresetNames() {
  std::vector<std::string_view> names;
  for (const Preset preset : kPresets) names.push_back(PresetName(preset));
  return names;
}

Result<Preset> ParsePreset(std::string_view name) {
  std::string names;
  for (const Preset preset : kPresets) {
    if (name == PresetName(preset)) return preset;
    names.append(names.empty() ? "" : ",").append(PresetName(preset));
  }
  return Status(StatusCode::kInvalidArgument,
                "'" + std::string(name) + "' is not a preset; there are " + names);
}

Result<uint32_t> ParseModes(std::string_view list) {
  return Parse(kModeNames, "prediction mode", list);
}

Result<uint32_t> ParseTools(std::string_view list) {
  if (list == "none") return 0u;
  return Parse(kToolNames, "coding tool", list);
}

std::string ModesText(uint32_t modes) { return Text(kModeNames, modes); }

std::string ToolsText(uint32_t tools) { return tools == 0 ? "none" : Text(kToolNames, tools); }

}  // namespace mmp
