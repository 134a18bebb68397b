// Prediction by any mode.
#ifndef MMP_CODEC_PREDICT_H_
#define MMP_CODEC_PREDICT_H_

#include <cstdint>

#include "codec/block_lsp.h"
#include "codec/canvas.h"
#include "codec/lsp.h"
#include "codec/predictors.h"
#include "codec/template_match.h"

namespace mmp {

// Predicts `rect`, whose border on the canvas is `border`, by a mode that is available:
// prediction[i * width + j].
inline void Predict(const Canvas& canvas, const BlockBorder& border, BlockRect rect, int mode,
                    uint8_t* prediction) {
  switch (mode) {
    case kLeastSquares:
      return PredictLsp(canvas, rect, prediction);
    case kBlockLeastSquares:
      return PredictBlockLsp(canvas, rect, prediction);
    case kTemplate:
      return PredictTemplate(canvas, rect, prediction);
    default:
      return PredictBlock(border, mode, rect.level, prediction);
  }
}

}  // namespace mmp

#endif  // MMP_CODEC_PREDICT_H_
