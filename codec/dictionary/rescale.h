// Patterns of one level made into patterns of another. Normative: docs/format.md, "Rescaling".
#ifndef MMP_CODEC_DICTIONARY_RESCALE_H_
#define MMP_CODEC_DICTIONARY_RESCALE_H_

#include <cstdint>

namespace mmp {

// Rescales `from` (a pattern of from_level, row by row) to to_level: columns first, then rows; each
// by linear interpolation between pixel centres, or by the mean of the pixels that merge; rounded
// to nearest, halves up.
void RescalePattern(const int16_t* from, int from_level, int to_level, int16_t* to);

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_RESCALE_H_
