// What corrections of the Wiener filter's weights are fitted to.
#ifndef MMP_CODEC_ENCODER_FILTER_CORRECTION_SUMS_H_
#define MMP_CODEC_ENCODER_FILTER_CORRECTION_SUMS_H_

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
// filter was made of, of rows of `stride` pixels. One of `sampling` pixels is looked at and counts
// for the others: with 1 all, with 2 those of every second row, with 4 every second of these, which
// lie in the gaps of the row looked at before.
CorrectionSums SumCorrections(const WienerFilter& filter, const WienerChoice& choice,
                              const ImageView& original, const uint8_t* plane, int stride,
                              int sampling, TaskPool& pool);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_CORRECTION_SUMS_H_
