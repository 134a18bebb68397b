#include "codec/postfilter/wiener_row.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/postfilter/wiener_row.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include "codec/base/pair_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void FilterWienerRow(const WienerRowRules& rules, const uint8_t* HWY_RESTRICT pixels,
                     const uint16_t* HWY_RESTRICT activities, const uint8_t* HWY_RESTRICT textures,
                     int width, uint8_t* HWY_RESTRICT filtered) {
  const hn::CappedTag<int32_t, 16> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  using V = hn::Vec<decltype(d)>;
  const V most = hn::Set(d, rules.limit), least = hn::Set(d, -rules.limit);
  const V low_half = hn::Set(d, 0xffff);
  auto load = [&](const uint8_t* from) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, from)); };
  auto limited = [&](V v) HWY_ATTR { return hn::Min(hn::Max(v, least), most); };
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    const V activity = hn::PromoteTo(d, hn::LoadU(d16, activities + x));
    V activity_class = hn::Zero(d);
    for (const int bound : rules.activity_bounds)
      activity_class =
          hn::Sub(activity_class, hn::VecFromMask(d, hn::Gt(activity, hn::Set(d, bound - 1))));
    const V which =
        hn::Add(hn::Mul(activity_class, hn::Set(d, rules.texture_count)), load(textures + x));
    const V first_weight = hn::Mul(which, hn::Set(d, kWienerTaps));
    const uint8_t* centre = pixels + x;
    const V pixel = load(centre);
    V sum = hn::Set(d, 1 << (kWienerWeightShift - 1));
    for (int k = 0; k < kWienerTaps; ++k) {
      const V a = hn::Sub(load(centre + rules.offsets[k]), pixel);
      const V b = hn::Sub(load(centre - rules.offsets[k]), pixel);
      const V terms = hn::Or(hn::And(hn::Add(a, b), low_half),
                             hn::ShiftLeft<16>(hn::Add(limited(a), limited(b))));
      const V weights =
          hn::GatherIndex(d, reinterpret_cast<const int32_t*>(rules.weights) + k, first_weight);
      sum = PairDotAdd(d, sum, terms, weights);
    }
    const V value = hn::Add(pixel, hn::ShiftRight<kWienerWeightShift>(sum));
    // Some Highways demote what is over 32767 to its low bits.
    hn::StoreU(hn::DemoteTo(d8, hn::Min(value, hn::Set(d, 255))), d8, filtered + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(FilterWienerRow);

void FilterWienerRow(const WienerRowRules& rules, const uint8_t* pixels, const uint16_t* activities,
                     const uint8_t* textures, int width, uint8_t* filtered) {
  HWY_DYNAMIC_DISPATCH(FilterWienerRow)(rules, pixels, activities, textures, width, filtered);
}

}  // namespace mmp
#endif  // HWY_ONCE
