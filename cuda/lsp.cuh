// Least-squares prediction by a team of warps: the sums, solves and weights of codec/lsp.h, spread
// over threads. The floating-point part is that header's own; it must be compiled without contraction
// (-fmad=false).
#ifndef MMP_CUDA_LSP_CUH_
#define MMP_CUDA_LSP_CUH_

#include <cstdint>

#include "codec/canvas.h"
#include "codec/lsp.h"
#include "cuda/warp.cuh"

namespace mmp::cuda {

struct LspScratch {
  static constexpr int kMostPixels = kMacroblockPixels / 2;  // 16x16 has no LSP
  static constexpr int kPlaces = kMacroblockSize + 2 * kLspWindow;
  static constexpr int kLine = kMacroblockSize + 4;

  int32_t top_places[kPlaces][kLspTerms];  // of a column's samples in the band above
  int32_t left_places[kMacroblockSize][kLspTerms];  // of a row's in the band on the left
  int32_t top[kMacroblockSize][kLspTerms];          // by window, that is by the block's column
  int32_t left[kMacroblockSize][kLspTerms];         // by the block's row
  int32_t weights[kLspOrder][kMostPixels];
  int32_t work[(kMacroblockSize + 2) * kLine];  // prediction with two rows and columns of border
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

// A team of kThreads threads (whole warps), `thread` in [0, kThreads): the weights of every pixel.
// `sync` is the team's barrier.
template <int kThreads, typename Sync>
__device__ inline void SolveLspByTeam(const Canvas& canvas, BlockRect rect, int thread, Sync sync,
                                      LspScratch& scratch) {
  const int h = rect.height(), w = rect.width();
  const int columns = w + 2 * kLspWindow;
  const int rows = min(h + kLspWindow, kMacroblockSize - rect.y);
  for (int k = thread; k < ((2 * (columns + rows) + 31) & ~31); k += kThreads)
    SumLspPlace(canvas, rect, k >> 1, k & 1, k < 2 * (columns + rows), scratch);
  sync();
  for (int k = thread; k < (w + h) * kLspTerms; k += kThreads) {
    const int window = k / kLspTerms, term = k - window * kLspTerms;
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
  sync();
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  for (int k = thread; k < h * w; k += kThreads) {
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
  sync();
}

// One warp: the prediction, from the weights. A lane a row; pixel (i, j) comes in step j + 2 i, after
// all that it is predicted from.
__device__ inline void ApplyLspByWarp(const Canvas& canvas, BlockRect rect, LspScratch& scratch,
                                      uint8_t* prediction) {
  constexpr int kLine = LspScratch::kLine;
  const int lane = threadIdx.x & 31;
  const int h = rect.height(), w = rect.width();
  const bool has_west2 = canvas.Available(rect.y, rect.x - 2);
  const bool has_north2 = canvas.Available(rect.y - 2, rect.x);
  const bool has_north_east = canvas.Available(rect.y - 1, rect.x + w);
  LspRange range{255, 0};
  for (int k = lane; k < w + 3; k += 32) {
    const int north = canvas.Pixel(rect.y - 1, rect.x - 2 + k);
    scratch.work[kLine + k] = north;
    scratch.work[k] = canvas.Pixel(rect.y - 2, rect.x - 2 + k);
    if (k > 0 && (k < w + 2 || has_north_east)) range.Include(north);
  }
  if (lane < h) {
    const int west = canvas.Pixel(rect.y + lane, rect.x - 1);
    scratch.work[(lane + 2) * kLine + 1] = west;
    scratch.work[(lane + 2) * kLine] = canvas.Pixel(rect.y + lane, rect.x - 2);
    range.Include(west);
  }
  range = {WarpMin(range.low), WarpMax(range.high)};
  __syncwarp();
  const int i = lane;
  int* row = scratch.work + (i + 2) * kLine + 2;
  for (int step = 0; step < w + 2 * (h - 1); ++step) {
    const int j = step - 2 * i;
    if (i < h && j >= 0 && j < w) {
      const int west = row[j - 1], north = row[j - kLine];
      const int values[kLspOrder] = {
          west,
          north,
          row[j - kLine - 1],
          j + 1 < w || (i == 0 && has_north_east) ? row[j - kLine + 1] : north,
          j > 0 || has_west2 ? row[j - 2] : west,
          i > 0 || has_north2 ? row[j - 2 * kLine] : north};
      int32_t weights[kLspOrder];
#pragma unroll
      for (int a = 0; a < kLspOrder; ++a) weights[a] = scratch.weights[a][i * w + j];
      const int value = ApplyLspWeights(weights, values, range);
      row[j] = value;
      prediction[i * w + j] = static_cast<uint8_t>(value);
    }
    __syncwarp();
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_LSP_CUH_
