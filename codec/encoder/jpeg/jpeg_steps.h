// By which steps the coefficients of a picture were quantized that was a JPEG file.
#ifndef MMP_CODEC_ENCODER_JPEG_JPEG_STEPS_H_
#define MMP_CODEC_ENCODER_JPEG_JPEG_STEPS_H_

#include <cstdint>
#include <span>

namespace mmp {

// The step of which most coefficients of a frequency, as ForwardCosines has them, are multiples, 0
// if that is not to be seen. Each that is one counts the more, the larger the step is, as it is
// less likely by chance; those that are none count against it.
int FindJpegStep(std::span<const int16_t> coefficients);
// How many that are not nought are not multiples of the step.
int64_t CountOffStep(std::span<const int16_t> coefficients, int step);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_JPEG_JPEG_STEPS_H_
