// Prediction by any mode.
#ifndef MMP_CODEC_INTRA_PREDICT_H_
#define MMP_CODEC_INTRA_PREDICT_H_

#include <cstdint>

#include "codec/intra/angle_block.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/block_lines.h"
#include "codec/intra/block_lsp.h"
#include "codec/intra/canvas.h"
#include "codec/intra/lsp.h"
#include "codec/intra/neighbours.h"
#include "codec/intra/planar_block.h"
#include "codec/intra/predictors.h"
#include "codec/intra/template_match.h"
#include "common/host_device.h"

namespace mmp {

// Predicts `rect`, whose border on the canvas is `border`, by a mode that is available:
// prediction[i * width + j].
inline void Predict(const Canvas& canvas, const BlockBorder& border, const BlockCopies& copies,
                    BlockRect rect, int mode, uint8_t* prediction) {
  if (mode >= kFirstBlockCopy) return copies.Predict(rect, mode, prediction);
  switch (mode) {
    case kLeastSquares:
      return PredictLsp(canvas, rect, prediction);
    case kBlockLeastSquares:
      return PredictBlockLsp(canvas, rect, prediction);
    case kTemplate:
      return PredictTemplate(canvas, rect, prediction);
    case kVertical:
      return RepeatRow(border.line + BlockBorder::kOrigin + 1, kLevelShapes[rect.level],
                       prediction);
    case kHorizontal:
      return RepeatColumn(border.line + BlockBorder::kOrigin - 1, kLevelShapes[rect.level],
                          prediction);
    case kPlanar:
      return PredictPlanarBlock(border, kLevelShapes[rect.level], prediction);
    default:
      if (mode >= kFirstAngle)
        return PredictAngleBlock(border, mode, kLevelShapes[rect.level], prediction);
      return PredictBlock(border, mode, rect.level, prediction);
  }
}

// The modes that `rect` can be predicted by, as a bit mask.
MMP_HOST_DEVICE inline uint32_t AvailableModes(const BlockNeighbours& neighbours,
                                               const BlockSources& sources, BlockRect rect) {
  return AvailableModes(neighbours, rect.level) | sources.AvailableModes(rect);
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_PREDICT_H_
