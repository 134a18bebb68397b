#include "tools/modes.h"

#include <cstddef>

namespace mmp {
namespace {

// The mode's number, or -1.
int ParseMode(std::string_view text) {
  for (int mode = 0; mode < kModes; ++mode) {
    if (text == kModeNames[mode] || text == std::to_string(mode)) return mode;
  }
  return -1;
}

}  // namespace

Result<uint32_t> ParseModes(std::string_view list) {
  if (list == "all") return kAllModes;
  uint32_t modes = 0;
  for (bool more = true; more;) {
    const size_t comma = list.find(',');
    const std::string item(list.substr(0, comma));
    const int mode = ParseMode(item);
    if (mode < 0) {
      return Status(StatusCode::kInvalidArgument,
                    "'" + item + "' is not a prediction mode; use all, or some of " +
                        ModesText(kAllModes) + " or their numbers 0 to 9, with commas between");
    }
    modes |= 1u << mode;
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
  }
  return modes;
}

std::string ModesText(uint32_t modes) {
  std::string text;
  for (int mode = 0; mode < kModes; ++mode) {
    if ((modes >> mode & 1) == 0) continue;
    if (!text.empty()) text += ',';
    text += kModeNames[mode];
  }
  return text;
}

}  // namespace mmp
