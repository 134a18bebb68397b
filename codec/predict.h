// Prediction by any mode.
#ifndef MMP_CODEC_PREDICT_H_
#define MMP_CODEC_PREDICT_H_

#include <cstdint>

#include "codec/block_lsp.h"
#include "codec/canvas.h"
#include "codec/copies.h"
#include "codec/lsp.h"
#include "codec/predictors.h"
#include "codec/template_match.h"

namespace mmp {

// Predicts `rect`, whose border on the canvas is `border`, by a mode that is available:
// prediction[i * width + j].
inline void Predict(const Canvas& canvas, const BlockBorder& border, const CopyBlocks& copies,
                    BlockRect rect, int mode, uint8_t* prediction) {
  if (mode >= kFirstCopy) return copies.Predict(rect, mode, prediction);
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

// The modes that `rect` can be predicted by, as a bit mask.
inline uint32_t AvailableModes(const BlockBorder& border, const CopyBlocks& copies,
                               BlockRect rect) {
  return AvailableModes(border, rect.level) | copies.AvailableModes(rect);
}

}  // namespace mmp

#endif  // MMP_CODEC_PREDICT_H_
