#include "tools/commands/decode_limits.h"

#include "tools/command_line/command_line.h"

namespace mmp {

void AddDecodeLimits(CLI::App& app, DecodeOptions& options) {
  app.add_option("--max-pixels", options.max_pixels, "Refuse larger images")
      ->check(WholeNumber())
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-work", options.max_work,
                 "Give up after so much work, in units of a 25th of a nanosecond or so\n"
                 "(default: ten times what the slowest files of the presets need)")
      ->check(WholeNumber())
      ->type_name("N");
  app.add_option("--max-memory", options.max_memory,
                 "Take no more bytes of memory: fewer threads, or none of it\n"
                 "(default: 2^28, 16 a pixel and 2^15 times the dictionary's size)")
      ->check(WholeNumber())
      ->type_name("BYTES");
}

}  // namespace mmp
