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

// Calls at_vector(i, mixture of as many counts as a vector has) and, for the last ones, at_count(i,
// mixture of one).
template <typename AtVector, typename AtCount>
HWY_INLINE void ForEachMixed(const uint32_t* const (&counts)[kMixedCounts],
                             const uint32_t (&factors)[kMixedCounts], int shift, int first, int end,
                             AtVector at_vector, AtCount at_count) {
  const hn::ScalableTag<uint32_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto one = hn::Set(d, 1);
  int i = first;
  for (; i + lanes <= end; i += lanes) {
    auto sum = hn::Mul(hn::Set(d, factors[0]), hn::LoadU(d, counts[0] + i));
    for (int k = 1; k < kMixedCounts; ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, factors[k]), hn::LoadU(d, counts[k] + i)));
    at_vector(i, hn::Add(one, hn::ShiftRightSame(sum, shift)));
  }
  for (; i < end; ++i) {
    uint32_t sum = 0;
    for (int k = 0; k < kMixedCounts; ++k) sum += factors[k] * counts[k][i];
    at_count(i, 1 + (sum >> shift));
  }
}

uint32_t MixCounts(const uint32_t* const (&counts)[kMixedCounts],
                   const uint32_t (&factors)[kMixedCounts], int shift, int size,
                   uint32_t* HWY_RESTRICT mixture) {
  const hn::ScalableTag<uint32_t> d;
  auto total = hn::Zero(d);
  uint32_t rest = 0;
  ForEachMixed(
      counts, factors, shift, 0, size,
      [&](int i, auto mixed) {
        hn::StoreU(mixed, d, mixture + i);
        total = hn::Add(total, mixed);
      },
      [&](int i, uint32_t mixed) { rest += mixture[i] = mixed; });
  return rest + hn::GetLane(hn::SumOfLanes(d, total));
}

uint32_t SumMixedBlocks(const uint32_t* const (&counts)[kMixedCounts],
                        const uint32_t (&factors)[kMixedCounts], int shift, int size,
                        uint32_t* HWY_RESTRICT sums) {
  const hn::ScalableTag<uint32_t> d;
  uint32_t total = 0;
  for (int first = 0; first < size; first += kMixedBlock) {
    auto vectors = hn::Zero(d);
    uint32_t sum = 0;
    ForEachMixed(
        counts, factors, shift, first, HWY_MIN(first + kMixedBlock, size),
        [&](int, auto mixed) { vectors = hn::Add(vectors, mixed); },
        [&](int, uint32_t mixed) { sum += mixed; });
    sum += hn::GetLane(hn::SumOfLanes(d, vectors));
    total += sum;
    *sums++ = sum;
  }
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(MixCounts);
HWY_EXPORT(SumMixedBlocks);

uint32_t MixCounts(const uint32_t* const (&counts)[kMixedCounts],
                   const uint32_t (&factors)[kMixedCounts], int shift, int size,
                   uint32_t* mixture) {
  return HWY_DYNAMIC_DISPATCH(MixCounts)(counts, factors, shift, size, mixture);
}

uint32_t SumMixedBlocks(const uint32_t* const (&counts)[kMixedCounts],
                        const uint32_t (&factors)[kMixedCounts], int shift, int size,
                        uint32_t* sums) {
  return HWY_DYNAMIC_DISPATCH(SumMixedBlocks)(counts, factors, shift, size, sums);
}

}  // namespace mmp
#endif  // HWY_ONCE
