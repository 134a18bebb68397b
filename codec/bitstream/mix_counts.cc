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

void MixCounts(const std::array<const uint32_t*, kMixedCounts>& counts,
               const std::array<uint32_t, kMixedCounts>& factors, int shift,
               std::span<uint32_t> mixture) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1);
  size_t i = 0;
  for (; i + lanes <= mixture.size(); i += lanes) {
    auto sum = hn::Mul(hn::Set(d, factors[0]), hn::LoadU(d, counts[0] + i));
    for (int k = 1; k < kMixedCounts; ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, factors[k]), hn::LoadU(d, counts[k] + i)));
    hn::StoreU(hn::Add(one, hn::ShiftRightSame(sum, shift)), d, mixture.data() + i);
  }
  for (; i < mixture.size(); ++i) {
    uint32_t sum = 0;
    for (int k = 0; k < kMixedCounts; ++k) sum += factors[k] * counts[k][i];
    mixture[i] = 1 + (sum >> shift);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(MixCounts);

void MixCounts(const std::array<const uint32_t*, kMixedCounts>& counts,
               const std::array<uint32_t, kMixedCounts>& factors, int shift,
               std::span<uint32_t> mixture) {
  HWY_DYNAMIC_DISPATCH(MixCounts)(counts, factors, shift, mixture);
}

}  // namespace mmp
#endif  // HWY_ONCE
