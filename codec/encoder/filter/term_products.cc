#include "codec/encoder/filter/term_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encoder/filter/term_products.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include "codec/base/pair_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void AddTermProducts(const int16_t* HWY_RESTRICT rows, int64_t* HWY_RESTRICT sums) {
  const hn::CappedTag<int32_t, 16> d;
  constexpr int kPairs = kTermColumns / 2;
  auto pairs = [&](int row, int pair) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const int32_t*>(rows + row * kTermColumns) + pair);
  };
  for (int a = 0; a < kTermRows; ++a) {
    for (int b = a; b < kTermRows; ++b) {
      auto sum = hn::Zero(d);  // at most 2^25
      for (int pair = 0; pair < kPairs; pair += static_cast<int>(hn::Lanes(d)))
        sum = PairDotAdd(d, sum, pairs(a, pair), pairs(b, pair));
      *sums++ += hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(AddTermProducts);

void AddTermProducts(const int16_t* rows, int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(AddTermProducts)(rows, sums);
}

}  // namespace mmp
#endif  // HWY_ONCE
