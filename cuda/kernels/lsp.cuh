// Least-squares prediction by a team of warps: the sums, solves and weights of codec/intra/lsp.h,
// spread over threads. The floating-point part is that header's own; it must be compiled without
// contraction
// (-fmad=false).
#ifndef MMP_CUDA_KERNELS_LSP_CUH_
#define MMP_CUDA_KERNELS_LSP_CUH_

#include <cstdint>

#include "codec/intra/canvas.h"
#include "codec/intra/lsp.h"
#include "codec/intra/neighbours.h"
#include "cuda/kernels/team.cuh"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

struct LspScratch {
  static constexpr int kMostPixels = kMacroblockPixels / 2;  // 16x16 has no LSP
  // Places: the columns of the band above and the rows of the band on the left, each with a
  // window's reach on both sides.
  static constexpr int kMostPlaces = kMacroblockSize + kMacroblockSize / 2 + 4 * kLspWindow;

  int32_t places[kMostPlaces][kLspTerms];           // of a place's samples
  int32_t windows[2 * kMacroblockSize][kLspTerms];  // by the block's columns, then by its rows
  int2 weights[kMostPixels][kLspOrder / 2];
};

// Adds up one place's samples; half of them in each of two neighbouring lanes. Places in [0,
// columns) are those of the band above.
__device__ inline void SumLspPlace(const Canvas& canvas, BlockRect rect, int place, int columns,
                                   int half, bool inside, LspScratch& scratch) {
  LspSums sums{};
  const bool above = place < columns;
  // Rows of the band on the left that are above the block or below the macroblock have no samples.
  const int row = place - columns - kLspWindow;
  if (inside && (above || (row >= 0 && rect.y + row < kMacroblockSize))) {
#pragma unroll
    for (int k = 0; k < kLspWindow; k += 2) {
      const int y = above ? rect.y - kLspWindow + k + half : rect.y + row;
      const int x = rect.x - kLspWindow + (above ? place : k + half);
      AddLspSample(canvas, y, x, sums);
    }
  }
#pragma unroll
  for (int t = 0; t < kLspTerms; ++t) {
    const int32_t sum = sums.terms[t] + __shfl_xor_sync(kAllLanes, sums.terms[t], 1);
    if (inside && half == 0) scratch.places[place][t] = sum;
  }
}

// A team: the weights of every pixel.
template <typename Team>
__device__ void SolveLspByTeam(const Team& team, const Canvas& canvas, BlockRect rect,
                               LspScratch& scratch) {
  const int thread = team.Thread();
  const int h = rect.height(), w = rect.width();
  const int columns = w + 2 * kLspWindow;
  const int tasks = 2 * (columns + h + 2 * kLspWindow);
  for (int k = thread; k < ((tasks + 31) & ~31); k += Team::kThreads)
    SumLspPlace(canvas, rect, k >> 1, columns, k & 1, k < tasks, scratch);
  team.Sync();
  for (int k = thread; k < (w + h) * kLspTerms; k += Team::kThreads) {
    const int window = k / kLspTerms, term = k - window * kLspTerms;
    const int first = window < w ? window : window + 2 * kLspWindow;
    int32_t sum = 0;
#pragma unroll
    for (int p = 0; p <= 2 * kLspWindow; ++p) sum += scratch.places[first + p][term];
    scratch.windows[window][term] = sum;
  }
  team.Sync();
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  for (int k = thread; k < h * w; k += Team::kThreads) {
    const int i = k >> log2_width, j = k & (w - 1);
    LspSums sums;
#pragma unroll
    for (int t = 0; t < kLspTerms; ++t)
      sums.terms[t] = scratch.windows[j][t] + scratch.windows[w + i][t];
    AddLspRidge(sums);
    double terms[kLspTerms], weights[kLspOrder];
#pragma unroll
    for (int t = 0; t < kLspTerms; ++t) terms[t] = static_cast<double>(sums.terms[t]);
    SolveLspWeights(terms, weights);
    auto weight = [&](int a) { return static_cast<int32_t>(QuantizeLspWeight(weights[a])); };
#pragma unroll
    for (int a = 0; a < kLspOrder; a += 2)
      scratch.weights[k][a / 2] = make_int2(weight(a), weight(a + 1));
  }
  team.Sync();
}

// One warp: what LspBorderRange does.
__device__ inline LspRange LspBorderRangeByWarp(const Canvas& canvas, BlockRect rect) {
  const int lane = threadIdx.x & 31;
  LspRange range{255, 0};
  if (lane < LspBorderColumns(canvas, rect))
    range.Include(canvas.Pixel(rect.y - 1, rect.x - 1 + lane));
  if (lane < rect.height()) range.Include(canvas.Pixel(rect.y + lane, rect.x - 1));
  return {WarpMin(range.low), WarpMax(range.high)};
}

// One warp: the prediction, from the weights. A lane a row; pixel (i, j) comes in step j + 2 i.
// What it is predicted from is then in its own lane (W, WW) or one step old in the lane above (NE);
// the others follow through the lanes. In a block of one column nothing waits for NE: a row a step.
__device__ inline void ApplyLspByWarp(const Canvas& canvas, BlockRect rect, LspScratch& scratch,
                                      uint8_t* prediction) {
  const int lane = threadIdx.x & 31;
  const int h = rect.height(), w = rect.width();
  const bool has_west2 = HasSecondLeft(canvas, rect);
  const bool has_north2 = HasSecondTop(canvas, rect);
  const bool has_north_east = HasTopRight(canvas, rect);
  const int i = lane;
  const uint8_t* row = canvas.pixels + Canvas::Index(rect.y + min(i, h - 1), rect.x);
  // Left of the block, of this row and of the one above.
  int west = row[-1], west2 = row[-2];
  int north = row[-Canvas::kStride - 1], north_east = row[-Canvas::kStride];
  // The row above the block, and the one above that.
  const uint8_t* above = canvas.pixels + Canvas::Index(rect.y - 1, rect.x);
  const LspRange range = LspBorderRangeByWarp(canvas, rect);
  int value = 0;
  // North of this row's pixels in the last two steps: the row below needs the older as its NN.
  int old_north[2] = {0, 0};
  const auto* weights = scratch.weights + min(i, h - 1) * w;
  const bool thin = w == 1;
  const int delay = thin ? 1 : 2, steps = w + delay * (h - 1);
  for (int step = 0; step < steps; ++step) {
    const int j = step - delay * i;
    const int above_value = __shfl_up_sync(kAllLanes, value, 1);
    const int above_north = __shfl_up_sync(kAllLanes, thin ? old_north[0] : old_north[1], 1);
    const bool inside = i < h && j >= 0 && j < w;
    const int column = inside ? j : 0;
    int32_t own_weights[kLspOrder];
#pragma unroll
    for (int a = 0; a < kLspOrder; a += 2) {
      const int2 two = weights[column][a / 2];
      own_weights[a] = two.x;
      own_weights[a + 1] = two.y;
    }
    const int border = above[column], border_next = above[column + 1];
    const int border2 = above[column - Canvas::kStride];
    const int north_west = north;
    if (inside) {
      north = i == 0 ? border : thin ? above_value : north_east;
      north_east = i == 0 ? border_next : above_value;
      if (j + 1 == w && (i > 0 || !has_north_east)) north_east = north;
    } else if (j == -1) {
      // The lane above has just predicted its first pixel: this row's first N.
      north_east = above_value;
    }
    const int north2 = i == 0 ? (has_north2 ? border2 : north) : i == 1 ? border : above_north;
    const int values[kLspOrder] = {
        west, north, north_west, north_east, j > 0 || has_west2 ? west2 : west, north2};
    const int predicted = ApplyLspWeights(own_weights, values, range);
    if (inside) {
      value = predicted;
      prediction[i * w + j] = static_cast<uint8_t>(value);
      west2 = west;
      west = value;
    }
    old_north[1] = old_north[0];
    old_north[0] = north;
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_LSP_CUH_
