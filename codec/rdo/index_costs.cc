#include "codec/rdo/index_costs.h"

#include <algorithm>
#include <bit>

#include "codec/base/fixed_log2.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/rdo/index_costs.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

int32_t IndexCosts(const uint32_t* HWY_RESTRICT counts, int32_t log2_total, Lambda lambda, int size,
                   int32_t* HWY_RESTRICT costs) {
  auto cost = [&](int i) { return lambda.Cost(log2_total - Log2Q12(counts[i])); };
  if (size > 0) costs[0] = cost(0);
  int32_t least_of_all = kImpossible;
  int i = 1;
#if HWY_TARGET != HWY_SCALAR
  namespace hn = hwy::HWY_NAMESPACE;
  // Which of two neighbouring 32-bit lanes is the low half of a 64-bit lane.
  constexpr bool kLowIsEven = std::endian::native == std::endian::little;
  constexpr int kFloatMantissaBits = 23, kFloatBias = 127;
  const hn::ScalableTag<int32_t> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToFloat<decltype(d)> df;
  const hn::RepartitionToWide<decltype(du)> du64;
  const int lanes = static_cast<int>(hn::Lanes(d));
  // The exponent field of a float contains its bias, which is compensated here.
  const auto total = hn::Set(d, log2_total + (kFloatBias << kRateShift));
  const auto mantissa_mask = hn::Set(d, (1 << internal::kLogTableBits) - 1);
  const auto multiplier = hn::Set(du, static_cast<uint32_t>(lambda.q8));
  const auto half = hn::Set(du64, uint64_t{1} << (Lambda::kCostShift - 1));
  auto least = hn::Set(d, kImpossible);
  for (; i + lanes <= size; i += lanes) {
    const auto count = hn::BitCast(d, hn::LoadU(du, counts + i));
    const auto bits = hn::BitCast(d, hn::ConvertTo(df, count));  // exact, as the counts are small
    const auto mantissa =
        hn::And(hn::ShiftRight<kFloatMantissaBits - internal::kLogTableBits>(bits), mantissa_mask);
    const auto log2 = hn::Add(hn::ShiftLeft<kRateShift>(hn::ShiftRight<kFloatMantissaBits>(bits)),
                              hn::GatherIndex(d, internal::kLogTable.data(), mantissa));
    auto index_cost = hn::Sub(total, log2);
    if (!lambda.lossless()) {
      const auto rate = hn::BitCast(du, index_cost);
      const auto pairs = hn::BitCast(du64, rate);
      const auto odd_rate =
          hn::BitCast(du, kLowIsEven ? hn::ShiftRight<32>(pairs) : hn::ShiftLeft<32>(pairs));
      const auto even =
          hn::ShiftRight<Lambda::kCostShift>(hn::Add(hn::MulEven(rate, multiplier), half));
      const auto odd =
          hn::ShiftRight<Lambda::kCostShift>(hn::Add(hn::MulEven(odd_rate, multiplier), half));
      index_cost = hn::OddEven(hn::BitCast(d, kLowIsEven ? hn::ShiftLeft<32>(odd) : odd),
                               hn::BitCast(d, kLowIsEven ? even : hn::ShiftLeft<32>(even)));
    }
    hn::StoreU(index_cost, d, costs + i);
    least = hn::Min(least, index_cost);
  }
  least_of_all = hn::GetLane(hn::MinOfLanes(d, least));
#endif
  for (; i < size; ++i) least_of_all = std::min(least_of_all, costs[i] = cost(i));
  return least_of_all;
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(IndexCosts);

int32_t IndexCosts(const uint32_t* counts, int32_t log2_total, Lambda lambda, int size,
                   int32_t* costs) {
  return HWY_DYNAMIC_DISPATCH(IndexCosts)(counts, log2_total, lambda, size, costs);
}

}  // namespace mmp
#endif  // HWY_ONCE
