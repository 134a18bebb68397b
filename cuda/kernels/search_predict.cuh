// A node is predicted by all its modes, and the residuals of the most promising ones are listed for
// matching.
#ifndef MMP_CUDA_KERNELS_SEARCH_PREDICT_CUH_
#define MMP_CUDA_KERNELS_SEARCH_PREDICT_CUH_

#include <cstdint>

#include "codec/intra/neighbours.h"
#include "codec/intra/predict.h"
#include "codec/rdo/decision_rules.h"
#include "codec/tile/reversed_residual.h"
#include "cuda/kernels/block_lsp.cuh"
#include "cuda/kernels/lsp.cuh"
#include "cuda/kernels/mode_rates.cuh"
#include "cuda/kernels/predict.cuh"
#include "cuda/kernels/satd.cuh"
#include "cuda/kernels/search.cuh"
#include "cuda/kernels/tables.cuh"
#include "cuda/kernels/template_match.cuh"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

// Puts the reconstruction of what precedes node n on its path onto the canvas.
template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::LoadNodeCanvas(int n) {
  for (int k = Thread(); k < kMacroblockPixels; k += kThreads) {
    const int y = k / kMacroblockSize, x = k % kMacroblockSize;
    uint8_t pixel = 0, available = 0;
    // Of the first halves that precede n, the one that has the pixel.
    for (int before = Node(n).before; before >= 0; before = Node(before).before) {
      const ScheduleNode& half = Node(before);
      if (y >= half.y && y < half.bottom && x >= half.x && x < half.right) {
        uint32_t path = 0, length = 0;
        const ScheduleNode& leaf = Node(FindNode(before, y, x, path, length));
        pixel =
            Reconstruction()[leaf.first_pixel + (y - leaf.y) * (leaf.right - leaf.x) + x - leaf.x];
        available = 1;
        break;
      }
    }
    shared_.input.canvas.pixels[Canvas::Index(y, x)] = pixel;
    shared_.input.canvas.available[Canvas::Index(y, x)] = available;
  }
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::Predict(int round, int step) {
  const int n = Living(Dealt(round)), first = FirstNode(step);
  if (Thread() == 0) shared_.bright_modes = 0;
  LoadNodeCanvas(n);
  const BlockRect rect = Rect(n);
  const BlockNeighbours neighbours = NeighboursOf(shared_.input.canvas, rect);
  const uint32_t modes = AvailableModes(neighbours, shared_.input.copies, rect) & a_.modes;
  const bool has_lsp = (modes >> kLeastSquares & 1) != 0;
  const int mode_warps = has_lsp ? kModeWarps : kWarps;
  const bool has_template = (modes >> kTemplate & 1) != 0;
  if (Thread() == 0) shared_.next_mode = mode_warps - (has_template ? kTemplateParts : 0);
  if (Thread() < kPredictionModes) shared_.satd[Thread()] = 0;
  const bool must_choose = a_.modes_searched > 0 && __popc(modes) > a_.modes_searched;
  const int count = must_choose ? a_.modes_searched : __popc(modes);
  const SubBlockList sub_blocks = SubBlocks(rect.level);
  // Least squares take longest. Their warps start early unless they help to load the surroundings.
  const bool lsp_goes_ahead = has_lsp && !has_template && (modes >> kBlockLeastSquares & 1) == 0;
  if (!lsp_goes_ahead || Warp() < mode_warps) {
    LoadSurroundings(rect, modes);
    if (Warp() == 1 && Lane() < kLevelCount)
      TakeEntries(sub_blocks.grid, count, FirstEntry(Lane()), &Input().counters, a_.list,
                  shared_.entries);
    if (lsp_goes_ahead)
      ModeTeam().Sync();
    else
      __syncthreads();
    if ((modes >> kBlockLeastSquares & 1) != 0) {
      SumBlockLspSamples({Thread(), kThreads}, rect, shared_.block_lsp);
      __syncthreads();
    }
  }
  if (Warp() < mode_warps)
    PredictModes(n, first, modes);
  else
    PredictLsp(n, first, modes);
  __syncthreads();
  const uint32_t searched = must_choose ? ChooseModes(rect, modes) : modes;
  const ModeShare own = ShareOf(searched);
  WriteEntries(own.share, a_.list, sub_blocks, {shared_.residuals, modes, searched}, own.mode,
               shared_.entries);
  if (own.share.first == 0) atomicAdd(&Input().counters.mode_searches[own.mode], 1);
  SearchedNode& kept = Searched(round, n - first);
  if (Thread() < kLevelCount) kept.first_entry[Thread()] = shared_.entries.first[Thread()];
  if (Thread() == 0) {
    shared_.searched_modes = searched;
    shared_.available_modes = modes;
    kept.modes = searched;
    kept.bright_modes = shared_.bright_modes;
    kept.total_count = shared_.total_count;
    atomicAdd(&Input().counters.nodes, 1);
  }
  __syncthreads();
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::LoadSurroundings(BlockRect rect, uint32_t modes) {
  const Canvas& canvas = shared_.input.canvas;
  if (Warp() == 0) {
    LoadBorderByWarp(canvas, rect, shared_.border);
  } else if (Warp() == 1) {
    const uint32_t total_count =
        CountModesByWarp(shared_.input.device_costs.mode_counts[rect.level], modes);
    if (Lane() == 0) shared_.total_count = total_count;
  } else {
    const Share share = {Thread() - 64, kThreads - 64};
    if ((modes >> kBlockLeastSquares & 1) != 0)
      LoadBlockLspSamples(share, canvas, rect, shared_.block_lsp);
    if ((modes >> kTemplate & 1) != 0)
      LoadTemplateSquares(share, canvas, rect, shared_.template_match);
  }
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictModes(int n, int first, uint32_t modes) {
  const uint32_t own = modes & ~(1u << kLeastSquares | 1u << kTemplate);
  const int count = __popc(own);
  auto take = [&] {
    int k = 0;
    if (Lane() == 0) k = atomicAdd(&shared_.next_mode, 1);
    return __shfl_sync(kAllLanes, k, 0);
  };
  int k = Warp();
  if ((modes >> kTemplate & 1) != 0) {
    if (k < kTemplateParts) {
      PredictTemplate(n, first, modes);
      k = take();
    } else {
      k -= kTemplateParts;
    }
  }
  // The last modes take longest and go first.
  for (; k < count; k = take()) {
    uint32_t rest = __brev(own);
    for (int before = 0; before < k; ++before) rest &= rest - 1;
    PredictMode(n, first, modes, 32 - __ffs(static_cast<int>(rest)));
  }
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictMode(int n, int first, uint32_t modes, int mode) {
  const BlockRect rect = Rect(n);
  const Canvas& canvas = shared_.input.canvas;
  uint8_t* prediction = shared_.predictions + PlaceInMask(modes, mode) * rect.pixels();
  if (mode == kBlockLeastSquares) {
    PredictBlockLspByWarp(canvas, shared_.block_lsp, rect, prediction);
  } else if (mode >= kFirstBlockCopy) {
    PredictBlockCopyByWarp(shared_.input.copies, rect, mode, prediction);
  } else {
    PredictByWarp(shared_.border, mode, rect, prediction);
  }
  __syncwarp();
  KeepPrediction(n, first, modes, mode, {Lane(), 32});
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictTemplate(int n, int first, uint32_t modes) {
  const BlockRect rect = Rect(n);
  const Canvas& canvas = shared_.input.canvas;
  FindTemplateMatchesByWarp(canvas, rect, Warp(), shared_.template_match);
  TemplateTeam().Sync();
  if (Warp() != 0) return;
  PredictTemplateByWarp(canvas, shared_.template_match, rect,
                        shared_.predictions + PlaceInMask(modes, kTemplate) * rect.pixels());
  __syncwarp();
  KeepPrediction(n, first, modes, kTemplate, {Lane(), 32});
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::PredictLsp(int n, int first, uint32_t modes) {
  const BlockRect rect = Rect(n);
  SolveLspByTeam(LspTeam(), shared_.input.canvas, rect, shared_.lsp);
  if (Warp() == kModeWarps)
    ApplyLspByWarp(shared_.input.canvas, rect, shared_.lsp,
                   shared_.predictions + PlaceInMask(modes, kLeastSquares) * rect.pixels());
  LspTeam().Sync();
  KeepPrediction(n, first, modes, kLeastSquares, {LspWarps::Thread(), LspWarps::kThreads});
}

template <bool kCluster, bool kTensor>
__device__ void Search<kCluster, kTensor>::KeepPrediction(int n, int first, uint32_t modes,
                                                          int mode, Share share) {
  const BlockRect rect = Rect(n);
  const int pixels = rect.pixels(), place = PlaceInMask(modes, mode) * pixels;
  const int log2_width = ShapeOfLevel(rect.level).log2_width;
  const uint8_t* prediction = shared_.predictions + place;
  const int step_pixel = Node(n).first_pixel - Node(first).first_pixel;
  uint8_t* kept = Predictions() + step_pixel * kPredictionModes + mode * pixels;
  int16_t* residual = shared_.residuals + place;
  bool bright = false;
  if (a_.reverses) {
    // Each warp adds up all of it.
    int sum = 0;
    for (int k = Lane(); k < pixels; k += 32) sum += prediction[k];
    bright = IsBright(WarpSum(sum), pixels);
    if (bright && share.first == 0) atomicOr(&shared_.bright_modes, 1u << mode);
  }
  for (int k = share.first; k < pixels; k += share.stride) {
    const int i = k >> log2_width, j = k & ((1 << log2_width) - 1);
    const uint8_t value = prediction[k];
    kept[k] = value;
    const int left = shared_.input.original[(rect.y + i) * kMacroblockSize + rect.x + j] - value;
    residual[k] = static_cast<int16_t>(bright ? -left : left);
  }
}

// Of the modes, those of least estimated cost: see SpeedFeatures::modes_searched.
template <bool kCluster, bool kTensor>
__device__ uint32_t Search<kCluster, kTensor>::ChooseModes(BlockRect rect, uint32_t modes) {
  const SatdParts parts(rect);
  for (int k = Thread(); k < __popc(modes) << parts.log2_count; k += kThreads) {
    const int place = k >> parts.log2_count;
    const int32_t sum =
        parts.Of(shared_.residuals + place * rect.pixels(), k & ((1 << parts.log2_count) - 1));
    atomicAdd(&shared_.satd[place], sum);
  }
  __syncthreads();
  // Every warp counts how many modes are better than each; a lane has one mode.
  static_assert(kPredictionModes <= 32);
  const bool has_mode = (modes >> Lane() & 1) != 0;
  const int32_t own =
      has_mode ? ModeEstimateQ4(shared_.satd[PlaceInMask(modes, Lane())],
                                shared_.input.device_costs.root_lambda_q4,
                                ModeRate(rect.level, log2_table.q12[shared_.total_count], Lane()))
               : INT32_MAX;
  int better = 0;
#pragma unroll
  for (int other = 0; other < kPredictionModes; ++other) {
    const int32_t estimate = __shfl_sync(kAllLanes, own, other);
    better += IsMorePromising({estimate, other}, {own, Lane()});
  }
  return __ballot_sync(kAllLanes, has_mode && better < a_.modes_searched);
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_SEARCH_PREDICT_CUH_
