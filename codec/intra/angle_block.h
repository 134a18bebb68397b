// Angular prediction with SIMD.
#ifndef MMP_CODEC_INTRA_ANGLE_BLOCK_H_
#define MMP_CODEC_INTRA_ANGLE_BLOCK_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/intra/predictors.h"

namespace mmp {

// What PredictAngle does, for a mode from kFirstAngle to kLastAngle, by the fastest instructions of
// this machine.
void PredictAngleBlock(const BlockBorder& border, int mode, LevelShape shape, uint8_t* prediction);

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_ANGLE_BLOCK_H_
