#include "codec/intra/lsp.h"

#include <algorithm>
#include <cstring>

#include "codec/base/known_size.h"
#include "codec/intra/neighbours.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/intra/lsp.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/base/pair_dot-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kFeatures = kLspOrder + 1;  // the neighbours and the target
constexpr int kLanes = 32;                // places along a band, padded

// Samples of a band: kLspWindow lines of up to kLanes places, a place being a column (the band
// above the block) or a row (the band on its left). value[f][line][place]; 0 where there is no
// sample.
struct Band {
  alignas(64) uint8_t value[kFeatures][kLspWindow][kLanes];
};

// Sums of a band by place and, after Slide, by window: sum[term][place].
struct BandSums {
  alignas(64) int32_t sum[kLspTerms + 1][kLanes];  // one more: loads may run over a term's end
};

// Reads one line of a band. `pixel` and `available` point to place 0's target; the neighbours are
// at the given distances from it.
void LoadBandLine(const uint8_t* HWY_RESTRICT pixel, const uint8_t* HWY_RESTRICT available,
                  const int (&distance)[kLspOrder], int line, Band& band) {
  const hn::CappedTag<uint8_t, kLanes> d;
  const auto zero = hn::Zero(d);
  for (size_t p = 0; p < kLanes; p += hn::Lanes(d)) {
    auto load = [&](const uint8_t* from, int k) { return hn::LoadU(d, from + p + distance[k]); };
    auto mask = [&](int k) { return hn::Sub(zero, load(available, k)); };
    const auto usable = hn::And(hn::And(hn::Sub(zero, hn::LoadU(d, available + p)), mask(0)),
                                hn::And(mask(1), mask(2)));
    auto store = [&](int k, hn::Vec<decltype(d)> v) {
      hn::StoreU(hn::And(v, usable), d, &band.value[k][line][p]);
    };
    auto with_fallback = [&](int k, hn::Vec<decltype(d)> fallback) {
      const auto m = mask(k);
      return hn::Or(hn::And(m, load(pixel, k)), hn::AndNot(m, fallback));
    };
    const auto west = load(pixel, 0);
    const auto north = load(pixel, 1);
    store(0, west);
    store(1, north);
    store(2, load(pixel, 2));
    store(3, with_fallback(3, north));
    store(4, with_fallback(4, west));
    store(5, with_fallback(5, north));
    store(6, hn::LoadU(d, pixel + p));
  }
}

// Products of all pairs of features, summed over the band's lines, for the first `places` places.
void SumBand(const Band& band, int places, BandSums& sums) {
  static_assert(kLspWindow % 2 == 0);
  constexpr int kPairs = kLspWindow / 2;
  const hn::CappedTag<int32_t, 16> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  using V = hn::Vec<decltype(d)>;
  for (size_t p = 0; p < static_cast<size_t>(places); p += hn::Lanes(d)) {
    // Lines 2l and 2l + 1 share a lane, 16 bits each.
    V feature[kFeatures][kPairs];
    for (int f = 0; f < kFeatures; ++f)
      for (int l = 0; l < kPairs; ++l)
        feature[f][l] = hn::Or(
            hn::PromoteTo(d, hn::LoadU(d8, &band.value[f][2 * l][p])),
            hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(d8, &band.value[f][2 * l + 1][p]))));
    auto store = [&](int term, int a, int b) {
      V sum = hn::Zero(d);
      for (int l = 0; l < kPairs; ++l) sum = PairDotAdd(d, sum, feature[a][l], feature[b][l]);
      hn::StoreU(sum, d, &sums.sum[term][p]);
    };
    int term = 0;
    for (int a = 0; a < kLspOrder; ++a)
      for (int b = a; b < kLspOrder; ++b) store(term++, a, b);
    for (int a = 0; a < kLspOrder; ++a) store(term++, a, kLspOrder);
  }
}

// sum[t][p] becomes the sum over places p .. p + 2 kLspWindow, for p < windows. Every term goes
// through a stage before the next stage begins: a load that overlaps a store just made waits for
// it.
void SlideBand(int windows, BandSums& sums) {
  static_assert(kLspWindow == 6 && kLanes == 32);
  constexpr int kRow = kLanes + 16;  // a stage reads up to 16 places further
  const hn::CappedTag<int32_t, 16> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) int32_t two[kLspTerms + 1][kRow];
  alignas(64) int32_t four[kLspTerms + 1][kRow];
  for (int t = 0; t < kLspTerms; ++t)
    for (int p = 0; p < windows + 11; p += lanes)
      hn::StoreU(hn::Add(hn::Load(d, sums.sum[t] + p), hn::LoadU(d, sums.sum[t] + p + 1)), d,
                 two[t] + p);
  for (int t = 0; t < kLspTerms; ++t)
    for (int p = 0; p < windows + 8; p += lanes)
      hn::StoreU(hn::Add(hn::Load(d, two[t] + p), hn::LoadU(d, two[t] + p + 2)), d, four[t] + p);
  for (int t = 0; t < kLspTerms; ++t)
    for (int p = 0; p < windows; p += lanes)
      hn::Store(hn::Add(hn::Add(hn::Load(d, four[t] + p), hn::LoadU(d, four[t] + p + 4)),
                        hn::Add(hn::LoadU(d, four[t] + p + 8), hn::LoadU(d, sums.sum[t] + p + 12))),
                d, &sums.sum[t][p]);
}

// The band above: place p is column p - kLspWindow of the block.
void SumTop(const Canvas& canvas, BlockRect rect, BandSums& sums) {
  Band band;
  constexpr int kStride = Canvas::kStride;
  constexpr int kDistance[kLspOrder] = {-1, -kStride, -kStride - 1, -kStride + 1, -2, -2 * kStride};
  for (int line = 0; line < kLspWindow; ++line) {
    const int index = Canvas::Index(rect.y - kLspWindow + line, rect.x - kLspWindow);
    LoadBandLine(canvas.pixels + index, canvas.available + index, kDistance, line, band);
  }
  SumBand(band, rect.width() + 2 * kLspWindow, sums);
  SlideBand(rect.width(), sums);
}

// The band on the left: place p is row p - kLspWindow of the block; rows above the block and below
// the macroblock give no sample.
void SumLeft(const Canvas& canvas, BlockRect rect, BandSums& sums) {
  // The band transposed, its places shifted by two for NN: at(column, row).
  constexpr int kColumns = kLspWindow + 3;  // two more on the left, one on the right
  constexpr int kStride = 64;
  constexpr int kFirst = 2 + kLspWindow;  // of the block's first row
  alignas(64) uint8_t pixel[kColumns * kStride] = {};
  alignas(64) uint8_t available[kColumns * kStride] = {};
  const int rows = std::min(rect.height() + kLspWindow, kMacroblockSize - rect.y);
  for (int r = -2; r < rows; ++r) {
    const int index = Canvas::Index(rect.y + r, rect.x - kLspWindow - 2);
    for (int c = 0; c < kColumns; ++c) {
      pixel[c * kStride + kFirst + r] = canvas.pixels[index + c];
      available[c * kStride + kFirst + r] = canvas.available[index + c];
    }
  }
  constexpr int kDistance[kLspOrder] = {-kStride, -1, -kStride - 1, kStride - 1, -2 * kStride, -2};
  Band band;
  for (int line = 0; line < kLspWindow; ++line) {
    const int index = (line + 2) * kStride + 2;
    LoadBandLine(pixel + index, available + index, kDistance, line, band);
    // Rows above the block belong to the band above.
    for (int f = 0; f < kFeatures; ++f) std::memset(band.value[f][line], 0, kLspWindow);
  }
  SumBand(band, rect.height() + 2 * kLspWindow, sums);
  SlideBand(rect.height(), sums);
}

#if HWY_HAVE_FLOAT64

// A SIMD vector of doubles with the operators that SolveLspWeights uses.
using D64 = hn::CappedTag<double, 8>;
struct Doubles {
  hn::Vec<D64> v;

  Doubles() = default;
  HWY_INLINE explicit Doubles(hn::Vec<D64> value) : v(value) {}
  HWY_INLINE explicit Doubles(double value) : v(hn::Set(D64(), value)) {}
  friend HWY_INLINE Doubles operator+(Doubles a, Doubles b) { return Doubles(hn::Add(a.v, b.v)); }
  friend HWY_INLINE Doubles operator-(Doubles a, Doubles b) { return Doubles(hn::Sub(a.v, b.v)); }
  friend HWY_INLINE Doubles operator*(Doubles a, Doubles b) { return Doubles(hn::Mul(a.v, b.v)); }
  friend HWY_INLINE Doubles operator/(Doubles a, Doubles b) { return Doubles(hn::Div(a.v, b.v)); }
  friend HWY_INLINE Doubles Min(Doubles a, Doubles b) { return Doubles(hn::Min(a.v, b.v)); }
  friend HWY_INLINE Doubles Max(Doubles a, Doubles b) { return Doubles(hn::Max(a.v, b.v)); }
};

#define MMP_LSP_SOLVE_FUNCTION HWY_INLINE
#include "codec/intra/lsp_solve.inc"
#undef MMP_LSP_SOLVE_FUNCTION

#endif  // HWY_HAVE_FLOAT64

// The weights of a block's pixels; those of pixel (i, j) are weights[k][i * width + j].
struct BlockWeights {
  alignas(64) int32_t weights[kLspOrder][kMacroblockPixels + 8];  // padded for SIMD stores
};

#if HWY_HAVE_FLOAT64

// Terms t of the pixels from (i, j) on, as many as a vector has, which are in one row or in several
// whole ones; rows below the block may have any terms.
template <int kWidth>
HWY_INLINE hn::Vec<hn::Rebind<int32_t, D64>> AddBands(const BandSums& top, const BandSums& left,
                                                      int t, int32_t ridge, int i, int j) {
  const hn::Rebind<int32_t, D64> d;
  constexpr int kMostLanes = 8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  if (lanes <= kWidth)
    return hn::Add(hn::LoadU(d, top.sum[t] + j), hn::Set(d, left.sum[t][i] + ridge));
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kWidth == 4) {  // two rows of a block
    return hn::Add(hn::LoadDup128(d, top.sum[t]),
                   hn::OddEvenBlocks(hn::Set(d, left.sum[t][i + 1] + ridge),
                                     hn::Set(d, left.sum[t][i] + ridge)));
  }
#endif
  alignas(32) int32_t terms[kMostLanes];
  // Unsigned: what lies below the block may be anything.
  for (int p = 0; p < lanes; ++p)
    terms[p] = static_cast<int32_t>(static_cast<uint32_t>(top.sum[t][p % kWidth]) +
                                    static_cast<uint32_t>(left.sum[t][i + p / kWidth]) +
                                    static_cast<uint32_t>(ridge));
  return hn::Load(d, terms);
}

// Solves the normal equations of all pixels of a block of height x kWidth pixels.
template <int kWidth>
void SolveAll(const BandSums& top, const BandSums& left, int height, BlockWeights& block) {
  const D64 d;
  const hn::Rebind<int32_t, D64> d32;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int p = 0; p < height * kWidth; p += lanes) {
    Doubles terms[kLspTerms], weight[kLspOrder];
    int diagonal = 0, row_length = kLspOrder;
    for (int t = 0; t < kLspTerms; ++t) {
      int32_t ridge = 0;
      if (t >= kLspTriangle) {
        ridge = kLspRidge / kLspDefaultScale * LspDefault(t - kLspTriangle);
      } else if (t == diagonal) {
        ridge = kLspRidge;
        diagonal += row_length--;
      }
      terms[t] =
          Doubles(hn::PromoteTo(d, AddBands<kWidth>(top, left, t, ridge, p / kWidth, p % kWidth)));
    }
    SolveLspWeights(terms, weight);
    for (int k = 0; k < kLspOrder; ++k)
      hn::StoreU(hn::DemoteTo(d32, QuantizeLspWeight(weight[k]).v), d32, block.weights[k] + p);
  }
}

#else  // 32-bit Arm's NEON has no doubles.

// Solves the normal equations of all pixels of a block of height x kWidth pixels.
template <int kWidth>
void SolveAll(const BandSums& top, const BandSums& left, int height, BlockWeights& block) {
  for (int p = 0; p < height * kWidth; ++p) {
    LspSums sums;
    for (int t = 0; t < kLspTerms; ++t)
      sums.terms[t] = top.sum[t][p % kWidth] + left.sum[t][p / kWidth];
    AddLspRidge(sums);
    double terms[kLspTerms], weight[kLspOrder];
    std::copy_n(sums.terms, kLspTerms, terms);
    SolveLspWeights(terms, weight);
    for (int k = 0; k < kLspOrder; ++k)
      block.weights[k][p] = static_cast<int32_t>(QuantizeLspWeight(weight[k]));
  }
}

#endif  // HWY_HAVE_FLOAT64

// Predicts in raster order, on the predicted pixels.
template <int kWidth>
void ApplyWeights(const Canvas& canvas, BlockRect rect, const BlockWeights& block,
                  uint8_t* HWY_RESTRICT prediction) {
  const int height = rect.height();
  // Row i, column j of the block is pixels[i + 2][j + 2]: two more rows above and columns on the
  // left, and a column on the right. What is not available there has its fallback's value.
  int pixels[kMacroblockSize + 2][kWidth + 3];
  const bool has_west2 = HasSecondLeft(canvas, rect);
  const bool has_north2 = HasSecondTop(canvas, rect);
  const bool has_north_east = HasTopRight(canvas, rect);
  for (int j = -2; j <= kWidth; ++j) {
    pixels[0][j + 2] = canvas.Pixel(rect.y - (has_north2 ? 2 : 1), rect.x + j);
    pixels[1][j + 2] = canvas.Pixel(rect.y - 1, rect.x + j);
  }
  if (!has_north_east) pixels[1][kWidth + 2] = pixels[1][kWidth + 1];
  const LspRange range = LspBorderRange(canvas, rect);
  for (int i = 0; i < height; ++i) {
    // First the part of the sum that does not depend on the pixel on the left.
    const int* north2 = pixels[i] + 2;
    const int* north = pixels[i + 1] + 2;
    int* row = pixels[i + 2] + 2;
    const int place = i * kWidth;
    int partial[kWidth];
    for (int j = 0; j < kWidth; ++j)
      partial[j] = block.weights[1][place + j] * north[j] +
                   block.weights[2][place + j] * north[j - 1] +
                   block.weights[3][place + j] * north[j + 1] +
                   block.weights[5][place + j] * north2[j] + (1 << (kLspWeightShift - 1));
    int west = canvas.Pixel(rect.y + i, rect.x - 1);
    int west2 = has_west2 ? canvas.Pixel(rect.y + i, rect.x - 2) : west;
    row[-2] = west2;
    row[-1] = west;
    for (int j = 0; j < kWidth; ++j) {
      const int sum =
          partial[j] + block.weights[4][place + j] * west2 + block.weights[0][place + j] * west;
      west2 = west;
      west = std::clamp(sum >> kLspWeightShift, range.low, range.high);
      row[j] = west;
      prediction[place + j] = static_cast<uint8_t>(west);
    }
    row[kWidth] = west;
  }
}

void PredictLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  BandSums top, left;
  SumTop(canvas, rect, top);
  SumLeft(canvas, rect, left);
  BlockWeights block;
  auto predict = [&]<int kWidth>() HWY_ATTR {
    SolveAll<kWidth>(top, left, rect.height(), block);
    ApplyWeights<kWidth>(canvas, rect, block, prediction);
  };
  WithPowerOfTwo<kMacroblockSize>(rect.width(), predict);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(PredictLsp);

void PredictLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  HWY_DYNAMIC_DISPATCH(PredictLsp)(canvas, rect, prediction);
}

}  // namespace mmp
#endif  // HWY_ONCE
