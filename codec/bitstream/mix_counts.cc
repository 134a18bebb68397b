#include "codec/bitstream/mix_counts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/bitstream/mix_counts.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

uint32_t MixCounts(const uint32_t* const (&counts)[kMixedCounts],
                   const uint32_t (&factors)[kMixedCounts], int shift, int size,
                   uint32_t* HWY_RESTRICT mixture) {
  const hn::ScalableTag<uint32_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto one = hn::Set(d, 1);
  auto total = hn::Zero(d);
  int i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto sum = hn::Mul(hn::Set(d, factors[0]), hn::LoadU(d, counts[0] + i));
    for (int k = 1; k < kMixedCounts; ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, factors[k]), hn::LoadU(d, counts[k] + i)));
    const auto mixed = hn::Add(one, hn::ShiftRightSame(sum, shift));
    hn::StoreU(mixed, d, mixture + i);
    total = hn::Add(total, mixed);
  }
  uint32_t rest = 0;
  for (; i < size; ++i) {
    uint32_t sum = 0;
    for (int k = 0; k < kMixedCounts; ++k) sum += factors[k] * counts[k][i];
    mixture[i] = 1 + (sum >> shift);
    rest += mixture[i];
  }
  return rest + hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(MixCounts);

uint32_t MixCounts(const uint32_t* const (&counts)[kMixedCounts],
                   const uint32_t (&factors)[kMixedCounts], int shift, int size,
                   uint32_t* mixture) {
  return HWY_DYNAMIC_DISPATCH(MixCounts)(counts, factors, shift, size, mixture);
}

}  // namespace mmp
#endif  // HWY_ONCE
