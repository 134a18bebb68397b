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

// Of a block of `width` columns, a multiple of the vector's lanes; the lanes are 4 or 8 columns.
template <class D>
int32_t SatdOfWide(D d, const int16_t* HWY_RESTRICT residual, int height, int width) {
  using V = hn::Vec<D>;
  const hn::Repartition<int32_t, D> d32;
  const auto low_half = hn::Set(d32, 0xffff);
  auto sum = hn::Zero(d32);
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
      const int16_t* from = residual + y * width + x;
      const V r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + width);
      const V r2 = hn::LoadU(d, from + 2 * width), r3 = hn::LoadU(d, from + 3 * width);
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

void SatdOfBlocks(const int16_t* residuals, int count, LevelShape shape, int32_t* sums) {
  const int h = shape.height(), w = shape.width();
  for (int i = 0; i < count; ++i, residuals += h * w) {
    if (h < 4 || w < 4)
      sums[i] = Satd(residuals, shape);
    else if (w == 4)
      sums[i] = SatdOfWide(hn::CappedTag<int16_t, 4>(), residuals, h, w);
    else
      sums[i] = SatdOfWide(hn::CappedTag<int16_t, 8>(), residuals, h, w);
  }
}

#else

void SatdOfBlocks(const int16_t* residuals, int count, LevelShape shape, int32_t* sums) {
  for (int i = 0; i < count; ++i) sums[i] = Satd(residuals + i * shape.pixels(), shape);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(SatdOfBlocks);

void SatdOfBlocks(const int16_t* residuals, int count, LevelShape shape, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(SatdOfBlocks)(residuals, count, shape, sums);
}

}  // namespace mmp
#endif  // HWY_ONCE
