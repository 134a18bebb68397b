// What the network filter takes of a row of pixels, and what it makes of one, with the SIMD
// instructions of the machine.
#ifndef MMP_CODEC_POSTFILTER_NETWORK_ROWS_H_
#define MMP_CODEC_POSTFILTER_NETWORK_ROWS_H_

#include <cstdint>

namespace mmp {

// InputsOf for `count` pixels side by side.
void InputsOfRow(const uint8_t* pixels, const uint8_t* prediction, int count, int input_scale,
                 int16_t* of_pixels, int16_t* of_prediction);

// CorrectedPixel for `count` pixels side by side; `outputs` are those of the last layer.
void CorrectRow(const uint8_t* pixels, const int16_t* outputs, int count, int output_scale,
                uint8_t* corrected);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_ROWS_H_
