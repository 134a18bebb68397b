#include "codec/rdo/satd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/rdo/satd.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
namespace hn = hwy::HWY_NAMESPACE;

// Of `height` x `width` pixels, whose rows are `stride` apart in the prediction; the width is a
// multiple of the vector's lanes, which are 4 or 8 columns, the height of 4.
template <class D>
int32_t SatdOfWide(D d, const uint8_t* HWY_RESTRICT original,
                   const uint8_t* HWY_RESTRICT prediction, int stride, int height, int width) {
  using V = hn::Vec<D>;
  const hn::Rebind<uint8_t, D> d8;
  const hn::Repartition<int32_t, D> d32;
  const auto low_half = hn::Set(d32, 0xffff);
  auto sum = hn::Zero(d32);
  auto residual = [&](int y, int x) HWY_ATTR {
    return hn::Sub(hn::PromoteTo(d, hn::LoadU(d8, original + y * kMacroblockSize + x)),
                   hn::PromoteTo(d, hn::LoadU(d8, prediction + y * stride + x)));
  };
  // The transform of the rows after that of the columns, but for its last additions: the sum of the
  // results' magnitudes, |p + q| + |p - q|, is 2 max(|p|, |q|).
  auto finish_rows = [&](V v) HWY_ATTR {
    const V swapped = hn::Reverse2(d, v);
    const V u = hn::Abs(hn::OddEven(hn::Sub(v, swapped), hn::Add(v, swapped)));
    const V other = hn::BitCast(d, hn::Reverse2(d32, hn::BitCast(d32, u)));
    return hn::Max(u, other);
  };
  for (int y = 0; y < height; y += 4) {
    for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
      const V r0 = residual(y, x), r1 = residual(y + 1, x);
      const V r2 = residual(y + 2, x), r3 = residual(y + 3, x);
      const V a = hn::Add(r0, r1), b = hn::Sub(r0, r1), c = hn::Add(r2, r3), e = hn::Sub(r2, r3);
      const V half = hn::Add(hn::Add(finish_rows(hn::Add(a, c)), finish_rows(hn::Add(b, e))),
                             hn::Add(finish_rows(hn::Sub(a, c)), finish_rows(hn::Sub(b, e))));
      const auto pairs = hn::BitCast(d32, half);
      sum = hn::Add(sum, hn::Add(hn::And(pairs, low_half), hn::ShiftRight<16>(pairs)));
    }
  }
  // Every maximum was taken twice.
  return hn::GetLane(hn::SumOfLanes(d32, sum)) / 2;
}

void SatdOfPredictions(const uint8_t* original, const uint8_t* predictions, int count,
                       LevelShape shape, int32_t* sums) {
  const int h = shape.height(), w = shape.width();
  for (int i = 0; i < count; ++i, predictions += h * w) {
    if (h < 4 || w < 4)
      sums[i] = Satd(original, predictions, shape);
    else if (w == 4)
      sums[i] = SatdOfWide(hn::CappedTag<int16_t, 4>(), original, predictions, w, h, w);
    else
      sums[i] = SatdOfWide(hn::CappedTag<int16_t, 8>(), original, predictions, w, h, w);
  }
}

void SatdOfQuadrants(const uint8_t* original, const uint8_t* predictions, int count,
                     QuadrantSatd* sums) {
  constexpr int kHalf = kMacroblockSize / 2;
  const hn::CappedTag<int16_t, 8> d;
  for (int i = 0; i < count; ++i, predictions += kMacroblockPixels)
    for (int q = 0; q < 4; ++q) {
      const int at = q / 2 * kHalf * kMacroblockSize + q % 2 * kHalf;
      sums[i][q] = SatdOfWide(d, original + at, predictions + at, kMacroblockSize, kHalf, kHalf);
    }
}

#else

void SatdOfPredictions(const uint8_t* original, const uint8_t* predictions, int count,
                       LevelShape shape, int32_t* sums) {
  for (int i = 0; i < count; ++i, predictions += shape.pixels())
    sums[i] = Satd(original, predictions, shape);
}

void SatdOfQuadrants(const uint8_t* original, const uint8_t* predictions, int count,
                     QuadrantSatd* sums) {
  for (int i = 0; i < count; ++i, predictions += kMacroblockPixels)
    sums[i] = mmp::SatdOfQuadrants(original, predictions);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(SatdOfPredictions);
HWY_EXPORT(SatdOfQuadrants);

void SatdOfPredictions(const uint8_t* original, const uint8_t* predictions, int count,
                       LevelShape shape, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(SatdOfPredictions)(original, predictions, count, shape, sums);
}

void SatdOfQuadrants(const uint8_t* original, const uint8_t* predictions, int count,
                     QuadrantSatd* sums) {
  HWY_DYNAMIC_DISPATCH(SatdOfQuadrants)(original, predictions, count, sums);
}

}  // namespace mmp
#endif  // HWY_ONCE
