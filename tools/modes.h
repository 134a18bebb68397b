// The prediction modes' names on the command line.
#ifndef MMP_TOOLS_MODES_H_
#define MMP_TOOLS_MODES_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/mmp.h"
#include "codec/parameters.h"
#include "common/status.h"

namespace mmp {

inline constexpr std::array<std::string_view, kModes> kModeNames = {
    "vertical",       "horizontal",      "mfv",           "down-left",     "down-right",
    "vertical-right", "horizontal-down", "vertical-left", "horizontal-up", "lsp",
};

// Bit m is set for mode m. `list` is "all" or modes separated by commas, each a number or a name.
// Errors: kInvalidArgument.
Result<uint32_t> ParseModes(std::string_view list);

// The modes' names separated by commas.
std::string ModesText(uint32_t modes);

}  // namespace mmp

#endif  // MMP_TOOLS_MODES_H_
