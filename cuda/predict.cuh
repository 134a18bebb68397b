// The predictions of predictors.h by many threads: each pixel or border entry is one thread's.
#ifndef MMP_CUDA_PREDICT_CUH_
#define MMP_CUDA_PREDICT_CUH_

#include <cstdint>

#include "codec/canvas.h"
#include "codec/copies.h"
#include "codec/predictors.h"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// One warp: what LoadBorder does.
__device__ inline void LoadBorderByWarp(const Canvas& canvas, BlockRect rect, BlockBorder& border) {
  constexpr int o = BlockBorder::kOrigin;
  const int lane = threadIdx.x & 31;
  const int h = rect.height(), w = rect.width(), y = rect.y, x = rect.x;
  const bool has_top = canvas.Available(y - 1, x);
  const bool has_left = canvas.Available(y, x - 1);
  const bool has_top_right = canvas.Available(y - 1, x + w);
  // How many pixels beyond the block the row above has, up to h.
  const uint32_t beyond =
      __ballot_sync(kAllLanes, lane < h && canvas.Available(y - 1, min(x + w + lane, 31)));
  const int top_count = has_top ? w + __ffs(~beyond) - 1 : 0;
  if (lane == 0) {
    border.has_top = has_top;
    border.has_left = has_left;
    border.has_top_right = has_top_right;
    border.has_two = canvas.Available(y - 2, x - 2);
    border.line[o] = has_top && has_left ? canvas.Pixel(y - 1, x - 1) : 0;
  }
  for (int k = lane; k < BlockBorder::kReach; k += 32) {
    border.line[o + 1 + k] =
        has_top ? canvas.Pixel(y - 1, x + min(k, top_count - 1)) : static_cast<uint8_t>(0);
    border.line[o - 1 - k] =
        has_left ? canvas.Pixel(y + min(k, h - 1), x - 1) : static_cast<uint8_t>(0);
  }
  __syncwarp();
  for (int k = lane; k < 2 * BlockBorder::kReach; k += 32) {
    const int a = border.line[k], b = border.line[k + 1];
    border.average2[k] = static_cast<uint8_t>((a + b + 1) >> 1);
    if (k > 0) border.average3[k] = static_cast<uint8_t>((border.line[k - 1] + 2 * a + b + 2) >> 2);
  }
}

// One warp: what MostFrequentValue does.
__device__ inline int MostFrequentValueByWarp(const BlockBorder& border, int height, int width) {
  constexpr int o = BlockBorder::kOrigin;
  const int lane = threadIdx.x & 31;
  const int top = border.has_top ? width : 0;
  const int count = top + (border.has_left ? height : 0);
  if (count == 0) return 128;
  const int value = lane < top     ? border.line[o + 1 + lane]
                    : lane < count ? border.line[o - 1 - lane + top]
                                   : 0;
  const int mean = (2 * WarpSum(value) + count) / (2 * count);
  int frequency = 0;
  for (int k = 0; k < count; ++k) frequency += __shfl_sync(kAllLanes, value, k) == value;
  const int key = frequency << 16 | (255 - abs(value - mean)) << 8 | (255 - value);
  return 255 - (WarpMax(lane < count ? key : -1) & 255);
}

// One warp: what CopyBlocks::Predict does.
__device__ inline void PredictCopyByWarp(const CopyBlocks& copies, BlockRect rect, int mode,
                                         uint8_t* prediction) {
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  const uint8_t* first = copies.pixels[mode - kFirstCopy] + rect.y * kMacroblockSize + rect.x;
  for (int k = threadIdx.x & 31; k < rect.pixels(); k += 32)
    prediction[k] = first[(k >> log2_width) * kMacroblockSize + (k & ((1 << log2_width) - 1))];
}

// One warp: what PredictBlock does, for any mode but kLeastSquares.
__device__ inline void PredictByWarp(const BlockBorder& border, int mode, BlockRect rect,
                                     uint8_t* prediction) {
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  const int pixels = rect.pixels();
  const bool is_plane = mode == kDownLeft && rect.level == kMacroblockLevel;
  const int frequent =
      mode == kMostFrequent ? MostFrequentValueByWarp(border, rect.height(), rect.width()) : 0;
  const LevelShape shape = ShapeOfLevel(rect.level);
  const Angle angle = AngleOf(max(mode, static_cast<int>(kFirstAngle)));
  Plane plane{};
  if (is_plane) plane = FitPlane(border);
  for (int k = threadIdx.x & 31; k < pixels; k += 32) {
    const int i = k >> log2_width, j = k & ((1 << log2_width) - 1);
    int value;
    if (mode == kVertical)
      value = border.Top(j);
    else if (mode == kHorizontal)
      value = border.Left(i);
    else if (mode == kMostFrequent)
      value = frequent;
    else if (is_plane)
      value = plane.At(i, j);
    else if (mode == kPlanar)
      value = PlanarPixel(border, shape, i, j);
    else if (mode >= kFirstAngle)
      value = AnglePixel(border, angle, shape, angle.columns ? j : i, angle.columns ? i : j,
                         [&](int at) { return AngleBorder::Entry(border, angle, at); });
    else if (IsColumnMode(mode))
      value = DirectionalPixel(border, mode, j, i);
    else
      value = DirectionalPixel(border, mode, i, j);
    prediction[k] = static_cast<uint8_t>(value);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_PREDICT_CUH_
