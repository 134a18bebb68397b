// Planar prediction with SIMD.
#ifndef MMP_CODEC_INTRA_PLANAR_BLOCK_H_
#define MMP_CODEC_INTRA_PLANAR_BLOCK_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/intra/predictors.h"

namespace mmp {

// PlanarPixel for every pixel of a block, by the fastest instructions of this machine:
// prediction[i * width + j].
void PredictPlanarBlock(const BlockBorder& border, LevelShape shape, uint8_t* prediction);

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_PLANAR_BLOCK_H_
