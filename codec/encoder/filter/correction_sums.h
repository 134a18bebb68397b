// What corrections of the Wiener filter's weights are fitted to.
#ifndef MMP_CODEC_ENCODER_CORRECTION_SUMS_H_
#define MMP_CODEC_ENCODER_CORRECTION_SUMS_H_

#include <array>
#include <cstdint>

#include "codec/encoder/filter/term_products.h"
#include "codec/postfilter/wiener_filter.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// Of a class's pixels.
struct ClassSums {
  int64_t pixels = 0;
  // Of the products of two terms, or of a term and the error, which is the last row: the original
  // less the reconstruction. See TermProduct.
  std::array<int64_t, kTermProducts> products{};
};
using CorrectionSums = std::array<ClassSums, kWienerClasses>;

// Over the pixels of the original that lie in filtered blocks of the choice. `plane` is what the
// filter was made of, of rows of `stride` pixels. If `row_step`, a power of 2 up to
// kFilterBlockSize, is not 1, only every row whose number is a multiple of it is looked
// at, and counts for those that follow.
CorrectionSums SumCorrections(const WienerFilter& filter, const WienerChoice& choice,
                              const ImageView& original, const uint8_t* plane, int stride,
                              int row_step, TaskPool& pool);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_CORRECTION_SUMS_H_
