// Per-target include (Highway): dot products of four 8-bit values.
#if defined(MMP_CODEC_QUAD_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_QUAD_DOT_INL_H_
#undef MMP_CODEC_QUAD_DOT_INL_H_
#else
#define MMP_CODEC_QUAD_DOT_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// The most that the signed values of QuadDotAdd may be, so that two products fit 16 bits.
constexpr int kMostOfQuad = 63;

// The product of one of the four bytes in each lane, of QuadDotAdd.
template <int kByte, class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V ByteProduct(D d, V a, V b) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr int kAbove = 24 - 8 * kByte;  // bits
  const auto above_a = hn::ShiftLeft<kAbove>(hn::BitCast(hn::RebindToUnsigned<D>(), a));
  return hn::Mul(hn::BitCast(d, hn::ShiftRight<24>(above_a)),
                 hn::ShiftRight<24>(hn::ShiftLeft<kAbove>(b)));
}

// sum + the products of the four bytes that each 32-bit lane of a and b holds: unsigned ones in a,
// signed ones in [-kMostOfQuad, kMostOfQuad] in b.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V QuadDotAdd(D d, V sum, V a, V b) {
  namespace hn = hwy::HWY_NAMESPACE;
  (void)d;
#if HWY_TARGET <= HWY_AVX3_DL && HWY_ARCH_X86
  // As in PairDotAdd.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
#else
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if constexpr (sizeof(V) == 64)
    return hn::Add(sum,
                   V{_mm512_madd_epi16(_mm512_maddubs_epi16(a.raw, b.raw), _mm512_set1_epi16(1))});
#endif
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  if constexpr (sizeof(V) == 32)
    return hn::Add(sum,
                   V{_mm256_madd_epi16(_mm256_maddubs_epi16(a.raw, b.raw), _mm256_set1_epi16(1))});
#endif
#if HWY_TARGET <= HWY_SSSE3 && HWY_ARCH_X86
  if constexpr (sizeof(V) == 16)
    return hn::Add(sum, V{_mm_madd_epi16(_mm_maddubs_epi16(a.raw, b.raw), _mm_set1_epi16(1))});
#endif
  const V low = hn::Add(ByteProduct<0>(d, a, b), ByteProduct<1>(d, a, b));
  const V high = hn::Add(ByteProduct<2>(d, a, b), ByteProduct<3>(d, a, b));
  return hn::Add(sum, hn::Add(low, high));
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_QUAD_DOT_INL_H_
