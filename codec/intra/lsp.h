// Least-squares prediction (mode 9): a linear predictor for each pixel of a block, fitted to the
// reconstructed pixels around the block. One body for host and device.
// Normative: docs/format.md, "Least-squares prediction".
//
// Pixel (i, j) of a block is predicted from six neighbours with weights that minimise the squared
// error over two sets of samples: those in the kLspWindow rows above the block within kLspWindow
// columns of column j, and those in the kLspWindow columns left of it within kLspWindow rows of row
// i. So the normal equations of (i, j) are a sum: one term for its column, one for its row. All
// sums are exact integers; the solve uses + - * / on doubles in the order written here, and must
// not be compiled with contraction into fused operations.
#ifndef MMP_CODEC_INTRA_LSP_H_
#define MMP_CODEC_INTRA_LSP_H_

#include <cfloat>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "codec/intra/neighbours.h"
#include "common/host_device.h"

namespace mmp {

// The solve decides bytes, so an operation on doubles must have a double's precision: neither that
// of x87's registers nor what a compiler makes of promises that the numbers do not keep.
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
              "files would differ from those of other machines: compile for 32-bit x86 with "
              "-msse2 -mfpmath=sse");
#ifdef __FAST_MATH__
#error "files would differ from those of other machines: compile without -ffast-math"
#endif

inline constexpr int kLspOrder = 6;   // neighbours: W, N, NW, NE, WW, NN
inline constexpr int kLspWindow = 6;  // pixels
inline constexpr int kLspTriangle = kLspOrder * (kLspOrder + 1) / 2;
inline constexpr int kLspTerms = kLspTriangle + kLspOrder;  // of the normal equations
inline constexpr int kLspWeightShift = 14;
inline constexpr int kLspWeightLimit = 8 << kLspWeightShift;
// Ridge regression towards the default weights LspDefault(k) / kLspDefaultScale: kLspRidge is added
// to the diagonal of the matrix.
inline constexpr int kLspRidge = 16 * 32;
inline constexpr int kLspDefaultScale = 16;
MMP_HOST_DEVICE constexpr int LspDefault(int k) {
  constexpr int kDefault[kLspOrder] = {10, 10, -5, 1, 0, 0};
  return kDefault[k];
}

// Normal equations: terms [0, 21) are the upper triangle of the matrix by rows, [21, 27) the right
// side.
struct LspSums {
  int32_t terms[kLspTerms];
};

MMP_HOST_DEVICE inline double Min(double a, double b) { return a < b ? a : b; }
MMP_HOST_DEVICE inline double Max(double a, double b) { return a > b ? a : b; }

#define MMP_LSP_SOLVE_FUNCTION MMP_HOST_DEVICE inline
#include "codec/intra/lsp_solve.inc"
#undef MMP_LSP_SOLVE_FUNCTION

// Neighbours of the pixel at (y, x); `available(y, x)` and `pixel(y, x)` look pixels up. W, N and
// NW must be available; NE and NN fall back to N, WW to W.
template <typename AvailableFn, typename PixelFn>
MMP_HOST_DEVICE inline void LspNeighbours(int y, int x, AvailableFn available, PixelFn pixel,
                                          int* values) {
  values[0] = pixel(y, x - 1);
  values[1] = pixel(y - 1, x);
  values[2] = pixel(y - 1, x - 1);
  const int north_east = pixel(y - 1, x + 1), west2 = pixel(y, x - 2), north2 = pixel(y - 2, x);
  values[3] = available(y - 1, x + 1) ? north_east : values[1];
  values[4] = available(y, x - 2) ? west2 : values[0];
  values[5] = available(y - 2, x) ? north2 : values[1];
}

// Least and greatest value.
struct LspRange {
  int low, high;

  MMP_HOST_DEVICE void Include(int value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
};

// Pixels of the row above that touch the block, from its NW on.
MMP_HOST_DEVICE inline int LspBorderColumns(const Canvas& canvas, BlockRect rect) {
  return 1 + rect.width() + (HasTopRight(canvas, rect) ? 1 : 0);
}

// The range of the pixels that touch the block: those above it from NW of its first column to NE of
// its last, if that is available, and those on its left.
MMP_HOST_DEVICE inline LspRange LspBorderRange(const Canvas& canvas, BlockRect rect) {
  LspRange range{255, 0};
  for (int k = 0; k < LspBorderColumns(canvas, rect); ++k)
    range.Include(canvas.Pixel(rect.y - 1, rect.x - 1 + k));
  for (int i = 0; i < rect.height(); ++i) range.Include(canvas.Pixel(rect.y + i, rect.x - 1));
  return range;
}

// The prediction from neighbours and fixed-point weights, kept within the range of the block's
// border.
MMP_HOST_DEVICE inline int ApplyLspWeights(const int32_t* weights, const int* values,
                                           LspRange range) {
  int sum = 1 << (kLspWeightShift - 1);
  for (int k = 0; k < kLspOrder; ++k) sum += weights[k] * values[k];
  const int prediction = sum >> kLspWeightShift;
  return prediction < range.low ? range.low : prediction > range.high ? range.high : prediction;
}

// Adds the sample whose target is the pixel at (y, x) to `sums`, if it and its W, N and NW are
// available.
MMP_HOST_DEVICE inline void AddLspSample(const Canvas& canvas, int y, int x, LspSums& sums) {
  // Everything is loaded at once; what cannot be used counts as 0.
  auto available = [&](int r, int c) { return canvas.Available(r, c) ? 1 : 0; };
  const int usable =
      available(y, x) & available(y, x - 1) & available(y - 1, x) & available(y - 1, x - 1);
  int values[kLspOrder];
  LspNeighbours(
      y, x, [&](int r, int c) { return canvas.Available(r, c); },
      [&](int r, int c) { return static_cast<int>(canvas.Pixel(r, c)); }, values);
  const int target = canvas.Pixel(y, x);
  MMP_DEVICE_UNROLL
  for (int a = 0; a < kLspOrder; ++a) values[a] *= usable;
  int term = 0;
  MMP_DEVICE_UNROLL
  for (int a = 0; a < kLspOrder; ++a) {
    MMP_DEVICE_UNROLL
    for (int b = a; b < kLspOrder; ++b) sums.terms[term++] += values[a] * values[b];
  }
  MMP_DEVICE_UNROLL
  for (int a = 0; a < kLspOrder; ++a) sums.terms[term++] += values[a] * target;
}

MMP_HOST_DEVICE inline void AddLspRidge(LspSums& sums) {
  int term = 0;
  MMP_DEVICE_UNROLL
  for (int a = 0; a < kLspOrder; ++a) {
    sums.terms[term] += kLspRidge;
    term += kLspOrder - a;
    sums.terms[kLspTriangle + a] += kLspRidge / kLspDefaultScale * LspDefault(a);
  }
}

// The normal equations of pixel (i, j) of `rect`, with the ridge.
MMP_HOST_DEVICE inline LspSums LspNormalEquations(const Canvas& canvas, BlockRect rect, int i,
                                                  int j) {
  LspSums sums{};
  for (int y = rect.y - kLspWindow; y < rect.y; ++y)
    for (int x = rect.x + j - kLspWindow; x <= rect.x + j + kLspWindow; ++x)
      AddLspSample(canvas, y, x, sums);
  const int first = i < kLspWindow ? 0 : i - kLspWindow;
  for (int y = rect.y + first; y <= rect.y + i + kLspWindow && y < kMacroblockSize; ++y)
    for (int x = rect.x - kLspWindow; x < rect.x; ++x) AddLspSample(canvas, y, x, sums);
  AddLspRidge(sums);
  return sums;
}

// Predicts `rect`, which must have pixels available above and on its left:
// prediction[i * width + j]. Uses the fastest instructions of this machine; the result is that of
// the plain functions above.
void PredictLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction);

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_LSP_H_
