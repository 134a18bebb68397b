// From the values of trained patterns, which are those of lambda 1, to those of a file.
// Normative: docs/format.md, "Dictionary".
#ifndef MMP_CODEC_DICTIONARY_TRAINED_SCALE_H_
#define MMP_CODEC_DICTIONARY_TRAINED_SCALE_H_

#include <cstdint>
#include <span>

namespace mmp {

// Units of a trained pattern's values in the square root of lambda.
inline constexpr int kTrainedUnits = 4;

// The values of pixels of trained patterns in a file with this scale, a code of 16 times the square
// root of lambda, or near to it (PatternScaleOf); 0 means that there are no trained patterns.
// `scaled` has as many.
void ScaleTrainedValues(std::span<const int8_t> values, uint8_t scale_code, int16_t* scaled);

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_TRAINED_SCALE_H_
