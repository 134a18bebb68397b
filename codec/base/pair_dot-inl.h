// Per-target include (Highway): dot products of pairs of 16-bit values.
#if defined(MMP_CODEC_PAIR_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PAIR_DOT_INL_H_
#undef MMP_CODEC_PAIR_DOT_INL_H_
#else
#define MMP_CODEC_PAIR_DOT_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// sum + a.low * b.low + a.high * b.high, where each 32-bit lane of a and b holds two signed 16-bit
// values, modulo 2^32.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V PairDotAdd(D d, V sum, V a, V b) {
  namespace hn = hwy::HWY_NAMESPACE;
  (void)d;
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  // Every AVX3_DL machine has AVX-512's VNNI, but not every Highway lets the compiler use it, and
  // some let it use AVX-VNNI for shorter vectors, which Zen 4 and Ice Lake do not have.
  asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
#else
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if constexpr (sizeof(V) == 64) return hn::Add(sum, V{_mm512_madd_epi16(a.raw, b.raw)});
#endif
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  if constexpr (sizeof(V) == 32) return hn::Add(sum, V{_mm256_madd_epi16(a.raw, b.raw)});
#endif
#if HWY_TARGET <= HWY_SSSE3 && HWY_ARCH_X86
  if constexpr (sizeof(V) == 16) return hn::Add(sum, V{_mm_madd_epi16(a.raw, b.raw)});
#endif
  const V low =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  const V high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(sum, hn::Add(low, high));
#endif
}

// The products of pairs of factors with pairs of each lane, summed: the lanes of pair number p
// begin at lanes_of_first + p * stride.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V SumPairProducts(D d, const int16_t* factors, int pairs, const int16_t* lanes_of_first,
                             int stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  V sum = hn::Zero(d);
  for (int pair = 0; pair < pairs; ++pair) {
    int32_t two;
    std::memcpy(&two, factors + 2 * pair, sizeof two);
    const auto* of_lanes = reinterpret_cast<const int32_t*>(lanes_of_first + pair * stride);
    sum = PairDotAdd(d, sum, hn::Set(d, two), hn::LoadU(d, of_lanes));
  }
  return sum;
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PAIR_DOT_INL_H_
