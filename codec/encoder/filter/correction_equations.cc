#include "codec/encoder/filter/correction_equations.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encoder/filter/correction_equations.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Subtracts `factor` times a row from another, from column `first` on or some before it.
HWY_INLINE void SubtractRow(const double* HWY_RESTRICT row, double factor, int first,
                            double* HWY_RESTRICT from) {
#if HWY_HAVE_FLOAT64
  const hn::CappedTag<double, 8> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto times = hn::Set(d, factor);
  for (int c = first / lanes * lanes; c < kWienerTerms; c += lanes)
    hn::Store(hn::Sub(hn::Load(d, from + c), hn::Mul(times, hn::Load(d, row + c))), d, from + c);
#else  // 32-bit Arm's NEON has no doubles.
  for (int c = first; c < kWienerTerms; ++c) from[c] -= factor * row[c];
#endif
}

// Elimination without pivots: with A = L D L' and y = L^-1 b, the gain b' A^-1 b is the sum of the
// squares of y over D.
double GainOfBoth(const CorrectionEquations& a, const CorrectionEquations& b) {
  CorrectionEquations both = a;
  both += b;
  for (int r = 0; r < kWienerTerms; ++r) both.matrix[r][r] += CorrectionRidge(both.matrix[r][r]);
  double gain = 0;
  for (int r = 0; r < kWienerTerms; ++r) {
    const double* row = both.matrix[r];
    const double inverse = 1 / row[r];
    gain += both.right[r] * both.right[r] * inverse;
    for (int below = r + 1; below < kWienerTerms; ++below)
      SubtractRow(row, row[below] * inverse, below, both.matrix[below]);
    SubtractRow(row, both.right[r] * inverse, r + 1, both.right);
  }
  return gain;
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(GainOfBoth);

CorrectionEquations& CorrectionEquations::operator+=(const CorrectionEquations& other) {
  for (int a = 0; a < kWienerTerms; ++a) {
    for (int b = 0; b < kWienerTerms; ++b) matrix[a][b] += other.matrix[a][b];
    right[a] += other.right[a];
  }
  return *this;
}

double GainOfBoth(const CorrectionEquations& a, const CorrectionEquations& b) {
  return HWY_DYNAMIC_DISPATCH(GainOfBoth)(a, b);
}

}  // namespace mmp
#endif  // HWY_ONCE
