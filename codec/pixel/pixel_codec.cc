#include "codec/pixel/pixel_codec.h"

#include <memory>

#if defined(__arm__)
// NEON of 32 bits has no vectors of doubles.
#define HWY_DISABLED_TARGETS HWY_NEON
#elif defined(__OPTIMIZE__)
// Plain loops gain nothing from what lies between and beyond these. Without optimisation Highway's
// choice of a target is one function for all files, so that all must have the same ones.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/pixel/pixel_codec.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/pixel/pixel_codec-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

template <int kEffort>
bool CodePlaneByEffort(BitPort& port, const PixelPlane& plane, const GoesOn& goes_on) {
  return std::make_unique<PixelCodec<kEffort>>(port, plane)->Run(goes_on);
}

bool CodePixelPlane(BitPort& port, const PixelPlane& plane, int effort, const GoesOn& goes_on) {
  return effort == 1 ? CodePlaneByEffort<1>(port, plane, goes_on)
                     : CodePlaneByEffort<2>(port, plane, goes_on);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(CodePixelPlane);

bool CodePixelPlane(BitPort& port, const PixelPlane& plane, int effort, const GoesOn& goes_on) {
  return HWY_DYNAMIC_DISPATCH(CodePixelPlane)(port, plane, effort, goes_on);
}

}  // namespace mmp
#endif  // HWY_ONCE
