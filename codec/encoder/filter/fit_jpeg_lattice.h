// Fits the lattice of a JPEG file to a tile.
#ifndef MMP_CODEC_ENCODER_FILTER_FIT_JPEG_LATTICE_H_
#define MMP_CODEC_ENCODER_FILTER_FIT_JPEG_LATTICE_H_

#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/encoder/jpeg/jpeg_grid.h"
#include "codec/postfilter/jpeg_lattice.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// The steps by which the coefficients of `image`, a tile's samples of 8 bits, were quantized in
// blocks of this grid, and about those pulls by which `plane`, the tile as other filters leave it,
// rows of `stride` samples, costs least in D + lambda R; an unused lattice if that is not worth its
// bits. Looks at 16384 blocks at most. The pool shares the work.
JpegLattice FitJpegLattice(const uint8_t* plane, int stride, const ImageView& image, JpegGrid grid,
                           Lambda lambda, TaskPool& pool = TaskPool::Alone());

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_FIT_JPEG_LATTICE_H_
