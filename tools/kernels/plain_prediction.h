// The plain twins of the predictions that are fitted to the pixels around a block: docs/format.md
// in C++, pixel by pixel.
#ifndef MMP_TOOLS_KERNELS_PLAIN_PREDICTION_H_
#define MMP_TOOLS_KERNELS_PLAIN_PREDICTION_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"

namespace mmp::kernels {

// "Least-squares prediction", "Block least squares", "Template prediction": what PredictLsp,
// PredictBlockLsp and PredictTemplate do.
void PlainLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction);
void PlainBlockLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction);
void PlainTemplate(const Canvas& canvas, BlockRect rect, uint8_t* prediction);

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_PLAIN_PREDICTION_H_
