// The predictions by warps against those by loops.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/cuda/device.h"
#include "tests/cuda/places.h"
#include "tests/cuda/predictions.cuh"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

template <typename T>
int FirstDifference(const T& a, const T& b) {
  int k = 0;
  while (k < static_cast<int>(sizeof(T)) && a[k] == b[k]) ++k;
  return k;
}

void Compare(const BorderResult& result, const Place& place) {
  const BlockRect rect = place.rect;
  BlockBorder border{};
  LoadBorder(place.canvas, rect, border);
  const int entries = static_cast<int>(sizeof(border.line));
  ASSERT_EQ(FirstDifference(result.border.line, border.line), entries);
  ASSERT_EQ(FirstDifference(result.border.average2, border.average2), entries);
  ASSERT_EQ(FirstDifference(result.border.average3, border.average3), entries);
  ASSERT_EQ(result.border.has_top, border.has_top);
  ASSERT_EQ(result.border.has_left, border.has_left);
  ASSERT_EQ(result.border.has_top_right, border.has_top_right);
  ASSERT_EQ(result.border.has_two, border.has_two);
  ASSERT_EQ(result.most_frequent, MostFrequentValue(border, rect.height(), rect.width()));
  const uint32_t modes = AvailableModes(border, rect.level);
  for (int mode = 0; mode <= kLastAngle; ++mode) {
    if (!IsBorderMode(mode) || (modes >> mode & 1) == 0) continue;
    uint8_t expected[kMacroblockPixels];
    PredictBlock(border, mode, rect.level, expected);
    for (int k = 0; k < rect.pixels(); ++k)
      ASSERT_EQ(result.predictions[mode][k], expected[k])
          << "mode " << mode << " at row " << k / rect.width() << ", column " << k % rect.width();
  }
}

using PredictByWarps = DeviceTest;

TEST_F(PredictByWarps, EqualTheLoops) {
  std::vector<std::string> names;
  const std::vector<Place> places = RandomPlaces(
      kLevelCount, 60, [](const Canvas&, BlockRect) { return true; }, names);
  const DeviceArray<Place> in(places);
  const DeviceArray<BorderResult> out(places.size());
  PredictBorders<<<static_cast<int>(places.size()), 32>>>(in.data(), out.data());
  Finish();
  const std::vector<BorderResult> results = out.Read();
  for (size_t k = 0; k < places.size(); ++k) {
    SCOPED_TRACE(names[k]);
    Compare(results[k], places[k]);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace mmp::cuda
