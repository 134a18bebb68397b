// Template prediction by many threads: what codec/intra/template_match.h does, with its bits.
#ifndef MMP_CUDA_KERNELS_TEMPLATE_MATCH_CUH_
#define MMP_CUDA_KERNELS_TEMPLATE_MATCH_CUH_

#include <cstdint>

#include "codec/intra/canvas.h"
#include "codec/intra/template_match.h"
#include "cuda/kernels/team.cuh"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

// The canvas as squares of 2x2 pixels, one at each pixel, its top left: a template consists of such
// squares, and those of a row lie in different memory banks. The lower half of a word has the upper
// row of its square.
struct TemplateSquares {
  alignas(16) uint32_t squares[Canvas::kRows * Canvas::kStride];

  __device__ uint32_t At(int y, int x) const { return squares[Canvas::Index(y, x)]; }
};

// Makes the squares that the templates of `rect` and of the blocks it can be matched with need.
// Those of the macroblock's last row have it twice.
__device__ inline void LoadTemplateSquares(Share share, const Canvas& canvas, BlockRect rect,
                                           TemplateSquares& squares) {
  static_assert(kTemplateWidth == 2);
  const int top = rect.y - kTemplateReachUp - kTemplateWidth;
  const int left = (rect.x - kTemplateReachLeft - kTemplateWidth) & ~3;
  const int right = rect.x + kTemplateReachRight + rect.width();  // exclusive
  const int row_length = (right - left + 3) / 4;
  const int count = (kMacroblockSize - top) * row_length;
#pragma unroll 1
  for (int k = share.first; k < count; k += share.stride) {
    const int row = k / row_length, y = top + row;
    const int index = Canvas::Index(y, left + 4 * (k - row * row_length));
    auto load = [&](int at) {
      const uint32_t* words = reinterpret_cast<const uint32_t*>(canvas.pixels + at);
      return make_uint2(words[0], words[1]);
    };
    const uint2 upper = load(index);
    const uint2 lower = load(y + 1 < kMacroblockSize ? index + Canvas::kStride : index);
    *reinterpret_cast<uint4*>(squares.squares + index) =
        make_uint4(__byte_perm(upper.x, lower.x, 0x5410), __byte_perm(upper.x, lower.x, 0x6521),
                   __byte_perm(upper.x, lower.x, 0x7632),
                   __byte_perm(__funnelshift_r(upper.x, upper.y, 24),
                               __funnelshift_r(lower.x, lower.y, 24), 0x5410));
  }
}

// One warp: the best matches. A lane has a column of places to match.
__device__ inline TemplateMatches FindTemplateMatchesByWarp(const Canvas& canvas,
                                                            const TemplateSquares& squares,
                                                            BlockRect rect) {
  static_assert(kTemplateReachLeft + 1 + kTemplateReachRight == 32);
  const LevelShape shape = ShapeOfLevel(rect.level);
  const int h = shape.height(), w = shape.width();
  const int lane = threadIdx.x & 31;
  const int left = rect.x - kTemplateReachLeft, x = left + lane;
  const int top = rect.y - kTemplateReachUp, bottom = kMacroblockSize - h;
  // This lane's least (cost, row), in order.
  constexpr int kRowBits = 6;
  static_assert(kTemplateReachUp + kMacroblockSize < 1 << kRowBits);
  int32_t keys[kTemplateMatches];
#pragma unroll
  for (int32_t& key : keys) key = INT32_MAX;
  constexpr int kTogether = 4;  // rows
#pragma unroll 1
  for (int y = top; y <= bottom; y += kTogether) {
    // The squared difference of a and b is a a - 2 a b + b b.
    uint32_t own_norm = 0, norms[kTogether] = {}, products[kTogether] = {};
    auto add = [&](int i, int j, uint32_t mask) {
      const uint32_t own = squares.At(rect.y + i, rect.x + j) & mask;
      own_norm = __dp4a(own, own, own_norm);
#pragma unroll
      for (int r = 0; r < kTogether; ++r) {
        const uint32_t other = squares.At(min(y + r, bottom) + i, x + j) & mask;
        norms[r] = __dp4a(other, other, norms[r]);
        products[r] = __dp4a(own, other, products[r]);
      }
    };
#pragma unroll 2
    for (int j = -kTemplateWidth; j < w; j += 2)
      add(-kTemplateWidth, j, j + 1 < w ? ~0u : 0x00ff00ffu);
#pragma unroll 2
    for (int i = 0; i < h; i += 2) add(i, -kTemplateWidth, i + 1 < h ? ~0u : 0x0000ffffu);
#pragma unroll
    for (int r = 0; r < kTogether; ++r) {
      if (y + r > bottom || !IsTemplateCandidate(canvas, shape, y + r, x)) continue;
      const uint32_t cost = own_norm + norms[r] - 2 * products[r];
      int32_t key = static_cast<int32_t>(cost << kRowBits | (y + r - top));
#pragma unroll
      for (int32_t& kept : keys) {
        const int32_t less = min(kept, key);
        key = max(kept, key);
        kept = less;
      }
    }
  }
  // Of equal keys the lowest lane's is the first.
  TemplateMatches best;
#pragma unroll
  for (int m = 0; m < kTemplateMatches; ++m) {
    const int32_t key = WarpMin(keys[0]);
    const int winner = __ffs(__ballot_sync(kAllLanes, keys[0] == key)) - 1;
    if (key != INT32_MAX) {
      best.count = m + 1;
      best.matches[m] = {key >> kRowBits, static_cast<int16_t>(top + (key & ((1 << kRowBits) - 1))),
                         static_cast<int16_t>(left + winner)};
    }
    if (lane == winner) {
#pragma unroll
      for (int k = 0; k + 1 < kTemplateMatches; ++k) keys[k] = keys[k + 1];
      keys[kTemplateMatches - 1] = INT32_MAX;
    }
  }
  return best;
}

// One warp: what PredictTemplate does; the squares are loaded. Kept out of line, as
// PredictBlockLspByWarp.
__device__ __noinline__ inline void PredictTemplateByWarp(const Canvas& canvas,
                                                          const TemplateSquares& squares,
                                                          BlockRect rect, uint8_t* prediction) {
  const TemplateMatches best = FindTemplateMatchesByWarp(canvas, squares, rect);
  const LevelShape shape = ShapeOfLevel(rect.level);
  int32_t weights[kTemplateMatches];
  WeighTemplateMatches(best, shape, weights);
  int places[kTemplateMatches];
#pragma unroll
  for (int m = 0; m < kTemplateMatches; ++m)
    places[m] = m < best.count ? Canvas::Index(best.matches[m].y, best.matches[m].x) : 0;
#pragma unroll 1
  for (int k = threadIdx.x & 31; k < shape.pixels(); k += 32) {
    const int i = k >> shape.log2_width, j = k & (shape.width() - 1);
    int32_t sum = 1 << (kTemplateWeightShift - 1);
#pragma unroll
    for (int m = 0; m < kTemplateMatches; ++m)
      sum += weights[m] * canvas.pixels[places[m] + i * Canvas::kStride + j];
    prediction[k] = static_cast<uint8_t>(best.count == 0 ? 128 : sum >> kTemplateWeightShift);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_TEMPLATE_MATCH_CUH_
