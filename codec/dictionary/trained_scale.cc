#include "codec/dictionary/trained_scale.h"

#include <algorithm>
#include <cstddef>

#include "codec/bitstream/file_header.h"

namespace mmp {
namespace {

constexpr int kScaleUnits = 16;  // in the square root of lambda
constexpr int kUnits = kTrainedUnits * kScaleUnits;
constexpr int kMostScale = 31 << 14;  // of all codes
static_assert(int64_t{128} * kMostScale + kUnits / 2 <= INT32_MAX);

}  // namespace

void ScaleTrainedValues(std::span<const int8_t> values, uint8_t scale_code, int16_t* scaled) {
  const auto scale = static_cast<int32_t>(DecodeThreshold(scale_code));
  static_assert(kUnits == 1 << 6);
  for (size_t k = 0; k < values.size(); ++k)
    scaled[k] = static_cast<int16_t>(std::clamp((values[k] * scale + kUnits / 2) >> 6, -255, 255));
}

}  // namespace mmp
