// Which values the samples of a rectangle have. Samples are coded as indices of these values.
// Normative: docs/format-pixel.md, "Values".
#ifndef MMP_CODEC_PIXEL_VALUE_MAP_H_
#define MMP_CODEC_PIXEL_VALUE_MAP_H_

#include <cstdint>
#include <vector>

#include "codec/pixel/bit_port.h"

namespace mmp {

struct ValueMap {
  // In ascending order, at least one: all from the lowest to the highest, or those that occur.
  std::vector<uint16_t> values;
  bool mapped = false;   // whether the values between the lowest and the highest are listed
  bool repeats = false;  // whether repeat_coder.h codes the samples, of at least two values
};

// Codes `map`, or decodes it. Values are below 2^depth. Neither mapped nor repeats if not lossless.
// False if what was decoded is malformed.
[[nodiscard]] bool CodeValueMap(BitPort& port, int depth, bool lossless, ValueMap& map);

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_VALUE_MAP_H_
