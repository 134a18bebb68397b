// The predictions by warps against those by loops.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cuda/predict.cuh"
#include "tests/cuda/device.h"
#include "tests/cuda/places.h"
#include "tests/test_support.h"

namespace mmp::cuda {
namespace {

struct Result {
  BlockBorder border;
  int most_frequent;
  uint8_t predictions[kLastAngle + 1][kMacroblockPixels];  // of border modes
};

// A block of one warp a place.
__global__ void PredictAll(const Place* places, Result* results) {
  __shared__ BlockBorder border;
  const Place& place = places[blockIdx.x];
  Result& result = results[blockIdx.x];
  LoadBorderByWarp(place.canvas, place.rect, border);
  __syncwarp();
  const int frequent = MostFrequentValueByWarp(border, place.rect.height(), place.rect.width());
  if (threadIdx.x == 0) result.most_frequent = frequent;
  const uint32_t modes = AvailableModes(border, place.rect.level);
  for (int mode = 0; mode <= kLastAngle; ++mode)
    if (IsBorderMode(mode) && (modes >> mode & 1) != 0)
      PredictByWarp(border, mode, place.rect, result.predictions[mode]);
  if (threadIdx.x != 0) return;
  constexpr int kEntries = 2 * BlockBorder::kReach;  // as many of the averages are defined
  for (int k = 0; k <= kEntries; ++k) {
    result.border.line[k] = border.line[k];
    if (k < kEntries) result.border.average2[k] = border.average2[k];
    if (k > 0 && k < kEntries) result.border.average3[k] = border.average3[k];
  }
  result.border.has_top = border.has_top;
  result.border.has_left = border.has_left;
  result.border.has_top_right = border.has_top_right;
  result.border.has_two = border.has_two;
}

template <typename T>
int FirstDifference(const T& a, const T& b) {
  int k = 0;
  while (k < static_cast<int>(sizeof(T)) && a[k] == b[k]) ++k;
  return k;
}

void Compare(const Result& result, const Place& place) {
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
  const DeviceArray<Result> out(places.size());
  PredictAll<<<static_cast<int>(places.size()), 32>>>(in.data(), out.data());
  Finish();
  const std::vector<Result> results = out.Read();
  for (size_t k = 0; k < places.size(); ++k) {
    SCOPED_TRACE(names[k]);
    Compare(results[k], places[k]);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace mmp::cuda
