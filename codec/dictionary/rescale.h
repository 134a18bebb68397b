// Patterns of one level made into patterns of another. Normative: docs/format.md, "Rescaling".
#ifndef MMP_CODEC_DICTIONARY_RESCALE_H_
#define MMP_CODEC_DICTIONARY_RESCALE_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"

namespace mmp {

// Rescales `from` (a pattern of from_level, row by row) to to_level: columns first, then rows; each
// by linear interpolation between pixel centres, or by the mean of the pixels that merge; rounded
// to nearest, halves up.
void RescalePattern(const int16_t* from, int from_level, int to_level, int16_t* to);

// Where a level's values begin among those of one pattern at every level, one behind the other.
inline constexpr std::array<int16_t, kLevelCount + 1> kLevelOffsets = [] {
  std::array<int16_t, kLevelCount + 1> offsets{};
  for (int level = 0; level < kLevelCount; ++level)
    offsets[level + 1] = static_cast<int16_t>(offsets[level] + kLevelShapes[level].pixels());
  return offsets;
}();
inline constexpr int kAllLevelsPixels = kLevelOffsets[kLevelCount];

// Rescales it to each of the levels whose bits are set in `levels`, from to + kLevelOffsets[level]
// on: as RescalePattern does, but the columns once only for all levels of a height.
void RescaleToLevels(const int16_t* from, int from_level, uint32_t levels, int16_t* to);

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_RESCALE_H_
