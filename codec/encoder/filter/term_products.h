// Sums of products of the Wiener filter's terms, with SIMD.
#ifndef MMP_CODEC_ENCODER_FILTER_TERM_PRODUCTS_H_
#define MMP_CODEC_ENCODER_FILTER_TERM_PRODUCTS_H_

#include <cstdint>

#include "codec/postfilter/wiener_filter.h"

namespace mmp {

inline constexpr int kTermRows = kWienerTerms + 1;  // of the terms and of the error
inline constexpr int kTermColumns = 128;            // pixels
inline constexpr int kTermProducts = kTermRows * (kTermRows + 1) / 2;

// The place of the sum for rows a <= b.
constexpr int TermProduct(int a, int b) { return a * kTermRows - a * (a - 1) / 2 + b - a; }

// Adds to sums[TermProduct(a, b)], for all rows a <= b, the products of their values at each
// column. rows: kTermRows of kTermColumns values in [-510, 510].
void AddTermProducts(const int16_t* rows, int64_t* sums);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_TERM_PRODUCTS_H_
