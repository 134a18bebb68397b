// The normal equations that corrections of the Wiener filter's weights solve.
#ifndef MMP_CODEC_ENCODER_FILTER_CORRECTION_EQUATIONS_H_
#define MMP_CODEC_ENCODER_FILTER_CORRECTION_EQUATIONS_H_

#include "codec/postfilter/wiener_filter.h"

namespace mmp {

// Of the pixels of a set of classes: products of terms, and of terms and errors, both of weights in
// 1/256. Whole numbers, which are exact below 2^53.
struct CorrectionEquations {
  alignas(64) double matrix[kWienerTerms][kWienerTerms] = {};  // symmetric
  alignas(64) double right[kWienerTerms] = {};

  CorrectionEquations& operator+=(const CorrectionEquations& other);
};

// What is added to a number of the diagonal, which keeps the matrix definite.
inline double CorrectionRidge(double diagonal) { return diagonal / 8192 + 1; }

// By how much the corrections that are best for the pixels of both together lower their squared
// error. The same on every machine: + - * / of doubles in a fixed order.
double GainOfBoth(const CorrectionEquations& a, const CorrectionEquations& b);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_CORRECTION_EQUATIONS_H_
