// Predictions of many places at once by the functions that the search on the device uses: a block
// of threads a place.
#ifndef MMP_TESTS_CUDA_PREDICTIONS_CUH_
#define MMP_TESTS_CUDA_PREDICTIONS_CUH_

#include <cstdint>

#include "codec/base/levels.h"
#include "cuda/kernels/block_lsp.cuh"
#include "cuda/kernels/lsp.cuh"
#include "cuda/kernels/predict.cuh"
#include "cuda/kernels/template_match.cuh"
#include "tests/cuda/places.h"

namespace mmp::cuda {

// What comes of the border of a block.
struct BorderResult {
  BlockBorder border;
  int most_frequent;
  uint8_t predictions[kLastAngle + 1][kMacroblockPixels];  // of border modes
};

// A block of one warp a place.
static __global__ void PredictBorders(const Place* places, BorderResult* results) {
  __shared__ BlockBorder border;
  const Place& place = places[blockIdx.x];
  BorderResult& result = results[blockIdx.x];
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

struct Prediction {
  uint8_t pixels[kMacroblockPixels];
};

// A block of so many warps a place.
template <int kWarps>
__global__ void PredictByLsp(const Place* places, Prediction* predictions) {
  __shared__ LspScratch scratch;
  __shared__ TeamBarrier barrier;
  const Team<0, kWarps> team(barrier);
  if (threadIdx.x == 0) team.Begin();
  __syncthreads();
  const Place& place = places[blockIdx.x];
  SolveLspByTeam(team, place.canvas, place.rect, scratch);
  if (threadIdx.x < 32)
    ApplyLspByWarp(place.canvas, place.rect, scratch, predictions[blockIdx.x].pixels);
}

// A block of threads a place. Whatever was in shared memory before must not matter.
static __global__ void PredictByBlockLsp(const Place* places, Prediction* predictions) {
  __shared__ BlockLspScratch scratch;
  const Place& place = places[blockIdx.x];
  const Share share = {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  LoadBlockLspSamples(share, place.canvas, place.rect, scratch);
  __syncthreads();
  SumBlockLspSamples(share, place.rect, scratch);
  __syncthreads();
  if (threadIdx.x < 32)
    PredictBlockLspByWarp(place.canvas, scratch, place.rect, predictions[blockIdx.x].pixels);
}

static __global__ void PredictByTemplate(const Place* places, Prediction* predictions) {
  __shared__ TemplateScratch scratch;
  const Place& place = places[blockIdx.x];
  const Share share = {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  LoadTemplateSquares(share, place.canvas, place.rect, scratch);
  __syncthreads();
  for (int part = share.first / 32; part < kTemplateParts; part += share.stride / 32)
    FindTemplateMatchesByWarp(place.canvas, place.rect, part, scratch);
  __syncthreads();
  if (threadIdx.x < 32)
    PredictTemplateByWarp(place.canvas, scratch, place.rect, predictions[blockIdx.x].pixels);
}

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_PREDICTIONS_CUH_
