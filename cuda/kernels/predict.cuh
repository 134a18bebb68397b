// The predictions of predictors.h by many threads: each pixel or border entry is one thread's.
#ifndef MMP_CUDA_KERNELS_PREDICT_CUH_
#define MMP_CUDA_KERNELS_PREDICT_CUH_

#include <cstdint>

#include "codec/intra/block_copy.h"
#include "codec/intra/canvas.h"
#include "codec/intra/predictors.h"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

// One warp: what LoadBorder does.
__device__ inline void LoadBorderByWarp(const Canvas& canvas, BlockRect rect, BlockBorder& border) {
  constexpr int o = BlockBorder::kOrigin;
  const int lane = threadIdx.x & 31;
  const int h = rect.height(), w = rect.width(), y = rect.y, x = rect.x;
  const BlockNeighbours neighbours = NeighboursOf(canvas, rect);
  // How many pixels beyond the block the row above has, up to h.
  const uint32_t beyond = __ballot_sync(kAllLanes, lane < h && HasBeyond(canvas, rect, 1, lane));
  const int top_count = neighbours.has_top ? w + __ffs(~beyond) - 1 : 0;
  if (lane == 0) {
    static_cast<BlockNeighbours&>(border) = neighbours;
    border.line[o] = neighbours.has_top && neighbours.has_left ? canvas.Pixel(y - 1, x - 1) : 0;
  }
  for (int k = lane; k < BlockBorder::kReach; k += 32) {
    border.line[o + 1 + k] = neighbours.has_top ? canvas.Pixel(y - 1, x + min(k, top_count - 1))
                                                : static_cast<uint8_t>(0);
    border.line[o - 1 - k] =
        neighbours.has_left ? canvas.Pixel(y + min(k, h - 1), x - 1) : static_cast<uint8_t>(0);
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
  if (count == 0) return kValueOfNone;
  const int value = lane < top     ? border.line[o + 1 + lane]
                    : lane < count ? border.line[o - 1 - lane + top]
                                   : 0;
  const int mean = RoundedMean(WarpSum(value), count);
  int frequency = 0;
  for (int k = 0; k < count; ++k) frequency += __shfl_sync(kAllLanes, value, k) == value;
  const int key = FrequencyKey(value, frequency, mean);
  return ValueOfFrequencyKey(WarpMax(lane < count ? key : -1));
}

// One warp: what BlockCopies::Predict does.
__device__ inline void PredictBlockCopyByWarp(const BlockCopies& copies, BlockRect rect, int mode,
                                              uint8_t* prediction) {
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  const uint8_t* first = copies.pixels[mode - kFirstBlockCopy] + rect.y * kMacroblockSize + rect.x;
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

#endif  // MMP_CUDA_KERNELS_PREDICT_CUH_
