// How far commands go that decode: the options are the same in all.
#ifndef MMP_TOOLS_COMMANDS_DECODE_LIMITS_H_
#define MMP_TOOLS_COMMANDS_DECODE_LIMITS_H_

#include <CLI/CLI.hpp>

#include "mmp/mmp.h"

namespace mmp {

// --max-pixels, --max-work and --max-memory, which errors name (DecodingFailure). `options` must
// live until the command has run.
void AddDecodeLimits(CLI::App& app, DecodeOptions& options);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMANDS_DECODE_LIMITS_H_
