#include "codec/postfilter/network_rows.h"

#include "codec/postfilter/network_arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/postfilter/network_rows.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<int32_t, 16>;
using V32 = hn::Vec<D32>;

V32 LoadBytes(const uint8_t* from) {
  return hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint8_t, D32>(), from));
}

// What RoundedShift does to the products.
template <int kShift>
V32 RoundedProducts(V32 values, V32 scale) {
  const V32 half = hn::Set(D32(), 1 << (kShift - 1));
  return hn::ShiftRight<kShift>(hn::Add(hn::Mul(values, scale), half));
}

void InputsOfRow(const uint8_t* pixels, const uint8_t* prediction, int count, int input_scale,
                 int16_t* of_pixels, int16_t* of_prediction) {
  const D32 d;
  const hn::Rebind<int16_t, D32> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V32 scale = hn::Set(d, input_scale), middle_gray = hn::Set(d, kMiddleGray);
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    const V32 pixel = LoadBytes(pixels + x), predicted = LoadBytes(prediction + x);
    const V32 first = RoundedProducts<kInputShift>(hn::Sub(pixel, middle_gray), scale);
    const V32 second = RoundedProducts<kInputShift>(hn::Sub(predicted, pixel), scale);
    hn::StoreU(hn::DemoteTo(d16, first), d16, of_pixels + x);
    hn::StoreU(hn::DemoteTo(d16, second), d16, of_prediction + x);
  }
  for (; x < count; ++x) {
    const PixelInputs inputs = InputsOf(pixels[x], prediction[x], input_scale);
    of_pixels[x] = inputs.pixel;
    of_prediction[x] = inputs.prediction;
  }
}

void CorrectRow(const uint8_t* pixels, const int16_t* outputs, int count, int output_scale,
                uint8_t* corrected) {
  const D32 d;
  const hn::Rebind<int16_t, D32> d16;
  const hn::Rebind<uint8_t, D32> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V32 scale = hn::Set(d, output_scale);
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    const V32 output = hn::PromoteTo(d, hn::LoadU(d16, outputs + x));
    // Of 16 bits, even of the largest outputs and scale: what is over, some Highways demote to its
    // low bits.
    const V32 sum = hn::Add(LoadBytes(pixels + x), RoundedProducts<kOutputShift>(output, scale));
    hn::StoreU(hn::DemoteTo(d8, sum), d8, corrected + x);
  }
  for (; x < count; ++x) corrected[x] = CorrectedPixel(pixels[x], outputs[x], output_scale);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(InputsOfRow);
HWY_EXPORT(CorrectRow);

void InputsOfRow(const uint8_t* pixels, const uint8_t* prediction, int count, int input_scale,
                 int16_t* of_pixels, int16_t* of_prediction) {
  HWY_DYNAMIC_DISPATCH(InputsOfRow)
  (pixels, prediction, count, input_scale, of_pixels, of_prediction);
}

void CorrectRow(const uint8_t* pixels, const int16_t* outputs, int count, int output_scale,
                uint8_t* corrected) {
  HWY_DYNAMIC_DISPATCH(CorrectRow)(pixels, outputs, count, output_scale, corrected);
}

}  // namespace mmp
#endif  // HWY_ONCE
