// Least-squares prediction by a team of warps: the sums, solves and weights of codec/lsp.h, spread
// over threads. The floating-point part is that header's own; it must be compiled without contraction
// (-fmad=false).
#ifndef MMP_CUDA_LSP_CUH_
#define MMP_CUDA_LSP_CUH_

#include <cstdint>

#include "codec/canvas.h"
#include "codec/lsp.h"
#include "cuda/team.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

struct LspScratch {
  static constexpr int kMostPixels = kMacroblockPixels / 2;  // 16x16 has no LSP
  static constexpr int kPlaces = kMacroblockSize + 2 * kLspWindow;

  int32_t top_places[kPlaces][kLspTerms];  // of a column's samples in the band above
  int32_t left_places[kMacroblockSize][kLspTerms];  // of a row's in the band on the left
  int32_t top[kMacroblockSize][kLspTerms];          // by window, that is by the block's column
  int32_t left[kMacroblockSize][kLspTerms];         // by the block's row
  int32_t weights[kLspOrder][kMostPixels];
};

// Adds up one place's samples; half of them in each of two neighbouring lanes.
__device__ inline void SumLspPlace(const Canvas& canvas, BlockRect rect, int place, int half,
                                   bool inside, LspScratch& scratch) {
  const int columns = rect.width() + 2 * kLspWindow;
  LspSums sums{};
  if (inside) {
    for (int k = half; k < kLspWindow; k += 2) {
      if (place < columns)
        AddLspSample(canvas, rect.y - kLspWindow + k, rect.x - kLspWindow + place, sums);
      else
        AddLspSample(canvas, rect.y + place - columns, rect.x - kLspWindow + k, sums);
    }
  }
  int32_t* to = place < columns ? scratch.top_places[place] : scratch.left_places[place - columns];
  for (int t = 0; t < kLspTerms; ++t) {
    const int32_t sum = sums.terms[t] + __shfl_xor_sync(kAllLanes, sums.terms[t], 1);
    if (inside && half == 0) to[t] = sum;
  }
}

// A team: the weights of every pixel.
__device__ inline void SolveLspByTeam(const Team& team, const Canvas& canvas, BlockRect rect,
                                      LspScratch& scratch) {
  const int h = rect.height(), w = rect.width();
  const int columns = w + 2 * kLspWindow;
  const int rows = min(h + kLspWindow, kMacroblockSize - rect.y);
  for (int k = team.thread; k < ((2 * (columns + rows) + 31) & ~31); k += team.threads)
    SumLspPlace(canvas, rect, k >> 1, k & 1, k < 2 * (columns + rows), scratch);
  team.Sync();
  // Window k % 32 of term k / 32: there are at most 24 windows.
  for (int k = team.thread; k < 32 * kLspTerms; k += team.threads) {
    const int window = k & 31, term = k >> 5;
    if (window >= w + h) continue;
    int32_t sum = 0;
    if (window < w) {
      for (int p = window; p <= window + 2 * kLspWindow; ++p) sum += scratch.top_places[p][term];
      scratch.top[window][term] = sum;
    } else {
      const int i = window - w;
      for (int p = max(0, i - kLspWindow); p < min(rows, i + kLspWindow + 1); ++p)
        sum += scratch.left_places[p][term];
      scratch.left[i][term] = sum;
    }
  }
  team.Sync();
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  for (int k = team.thread; k < h * w; k += team.threads) {
    const int i = k >> log2_width, j = k & (w - 1);
    LspSums sums;
#pragma unroll
    for (int t = 0; t < kLspTerms; ++t) sums.terms[t] = scratch.top[j][t] + scratch.left[i][t];
    AddLspRidge(sums);
    double terms[kLspTerms], weights[kLspOrder];
#pragma unroll
    for (int t = 0; t < kLspTerms; ++t) terms[t] = static_cast<double>(sums.terms[t]);
    SolveLspWeights(terms, weights);
#pragma unroll
    for (int a = 0; a < kLspOrder; ++a)
      scratch.weights[a][k] = static_cast<int32_t>(QuantizeLspWeight(weights[a]));
  }
  team.Sync();
}

// One warp: the prediction, from the weights. A lane a row; pixel (i, j) comes in step j + 2 i. What
// it is predicted from is then in its own lane (W, WW) or one step old in the lane above (NE); the
// others follow through the lanes.
__device__ inline void ApplyLspByWarp(const Canvas& canvas, BlockRect rect, LspScratch& scratch,
                                      uint8_t* prediction) {
  const int lane = threadIdx.x & 31;
  const int h = rect.height(), w = rect.width();
  const bool has_west2 = canvas.Available(rect.y, rect.x - 2);
  const bool has_north2 = canvas.Available(rect.y - 2, rect.x);
  const bool has_north_east = canvas.Available(rect.y - 1, rect.x + w);
  const int i = lane;
  const uint8_t* row = canvas.pixels + Canvas::Index(rect.y + min(i, h - 1), rect.x);
  LspRange range{255, 0};
  // Left of the block, of this row and of the one above.
  int west = row[-1], west2 = row[-2];
  int north = row[-Canvas::kStride - 1], north_east = row[-Canvas::kStride];
  // The row above the block, and the one above that.
  const uint8_t* above = canvas.pixels + Canvas::Index(rect.y - 1, rect.x);
  if (lane < w + 2 && (lane < w + 1 || has_north_east)) range.Include(above[lane - 1]);
  if (lane < h) range.Include(west);
  range = {WarpMin(range.low), WarpMax(range.high)};
  int north_west = 0, value = 0;
  // North of this row's pixels in the last two steps: the row below needs the older as its NN.
  int old_north[2] = {0, 0};
  const int steps = w + 2 * (h - 1);
  for (int step = 0; step < steps; ++step) {
    const int j = step - 2 * i;
    const int above_value = __shfl_up_sync(kAllLanes, value, 1);
    const int above_north = __shfl_up_sync(kAllLanes, old_north[1], 1);
    if (i < h && j >= 0 && j < w) {
      north_west = north;
      if (i == 0) {
        north = above[j];
        north_east = j + 1 < w || has_north_east ? above[j + 1] : north;
      } else {
        north = north_east;
        north_east = j + 1 < w ? above_value : north;
      }
      const int north2 = i == 0   ? (has_north2 ? above[j - Canvas::kStride] : north)
                         : i == 1 ? above[j]
                                  : above_north;
      const int values[kLspOrder] = {west,       north,
                                     north_west, north_east,
                                     j > 0 || has_west2 ? west2 : west, north2};
      int32_t weights[kLspOrder];
#pragma unroll
      for (int a = 0; a < kLspOrder; ++a) weights[a] = scratch.weights[a][i * w + j];
      value = ApplyLspWeights(weights, values, range);
      prediction[i * w + j] = static_cast<uint8_t>(value);
      west2 = west;
      west = value;
    } else if (j == -1) {
      // The lane above has just predicted its first pixel: this row's first N.
      north_east = above_value;
    }
    old_north[1] = old_north[0];
    old_north[0] = north;
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_LSP_CUH_
