// Names on the command line: of presets, and lists of those of prediction modes and coding tools
// for bit masks.
#ifndef MMP_TOOLS_COMMAND_LINE_NAME_LISTS_H_
#define MMP_TOOLS_COMMAND_LINE_NAME_LISTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/parameters.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

// Those of the smallest files first.
inline constexpr Preset kPresets[] = {Preset::kBest, Preset::kFast, Preset::kQuick,
                                      Preset::kThesis};

std::vector<std::string_view> PresetNames();
// Errors: kInvalidArgument.
Result<Preset> ParsePreset(std::string_view name);

inline constexpr std::array<std::string_view, kModes> kModeNames = {
    "vertical",       "horizontal",      "mfv",           "down-left",     "down-right",
    "vertical-right", "horizontal-down", "vertical-left", "horizontal-up", "lsp",
    "planar",         "down+32",         "down+22",       "down+14",       "down+7",
    "down-7",         "down-14",         "down-22",       "down-32",       "right-22",
    "right-14",       "right-7",         "right+7",       "right+14",      "right+22",
    "block-lsp",      "template",        "copy-0",        "copy-1",        "copy-2",
    "copy-3",
};

inline constexpr std::array<std::string_view, kTools> kToolNames = {
    "trained-patterns",  "own-dictionary", "wiener",        "mixed-models",       "corrections",
    "filter-network",    "flag-network",   "small-network", "two-networks",       "neighbour-modes",
    "neighbour-indices", "level-maps",     "substreams",    "reversed-residuals", "jpeg-lattice",
    "exact-blocks"};

// Bit m is set for mode m. `list` is "all" or modes separated by commas, each a number or a name.
// Errors: kInvalidArgument.
Result<uint32_t> ParseModes(std::string_view list);
// The same for tools; the list may also be "none".
Result<uint32_t> ParseTools(std::string_view list);

// The names separated by commas.
std::string ModesText(uint32_t modes);
std::string ToolsText(uint32_t tools);  // "none" if it is

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_NAME_LISTS_H_
