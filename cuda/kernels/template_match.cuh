// Template prediction by many threads: what codec/intra/template_match.h does, with its bits.
#ifndef MMP_CUDA_KERNELS_TEMPLATE_MATCH_CUH_
#define MMP_CUDA_KERNELS_TEMPLATE_MATCH_CUH_

#include <cstdint>

#include "codec/intra/canvas.h"
#include "codec/intra/template_match.h"
#include "cuda/kernels/team.cuh"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

// Parts of a search for the best matches; a warp can do one while others do theirs.
inline constexpr int kTemplateParts = 4;

struct TemplateScratch {
  // The canvas as squares of 2x2 pixels, one at each pixel, its top left: a template consists of
  // such squares, and those of a row lie in different memory banks. The lower half of a word has
  // the upper row of its square.
  alignas(16) uint32_t squares[Canvas::kRows * Canvas::kStride];
  // The best places of each part, in order: cost and row as one key, INT32_MAX if there is none;
  // and the column.
  int2 found[kTemplateParts][kTemplateMatches];

  __device__ uint32_t Square(int y, int x) const { return squares[Canvas::Index(y, x)]; }
};

// Makes the squares that the templates of `rect` and of the blocks it can be matched with need.
// Those of the macroblock's last row have it twice.
__device__ inline void LoadTemplateSquares(Share share, const Canvas& canvas, BlockRect rect,
                                           TemplateScratch& scratch) {
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
    *reinterpret_cast<uint4*>(scratch.squares + index) =
        make_uint4(__byte_perm(upper.x, lower.x, 0x5410), __byte_perm(upper.x, lower.x, 0x6521),
                   __byte_perm(upper.x, lower.x, 0x7632),
                   __byte_perm(__funnelshift_r(upper.x, upper.y, 24),
                               __funnelshift_r(lower.x, lower.y, 24), 0x5410));
  }
}

// The first place's row, counted from which a key has its row.
__device__ inline int FirstTemplateRow(BlockRect rect) { return rect.y - kTemplateReachUp; }
__device__ inline int FirstTemplateColumn(BlockRect rect) { return rect.x - kTemplateReachLeft; }

inline constexpr int kTemplateRowBits = 6;
static_assert(kTemplateReachUp + kMacroblockSize < 1 << kTemplateRowBits);

// One warp: from each lane's least keys, in order, the least of all, each once. Calls take(m, key,
// lane) for the m-th, in all lanes; of equal keys the lowest lane's is the first. INT32_MAX is no
// key, but is taken, too, where there are no more.
template <int kCount, typename Take>
__device__ inline void TakeLeastKeys(int32_t (&keys)[kCount], Take take) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int m = 0; m < kTemplateMatches; ++m) {
    const int32_t key = WarpMin(keys[0]);
    const int winner = __ffs(__ballot_sync(kAllLanes, keys[0] == key)) - 1;
    take(m, key, winner);
    if (lane == winner) {
#pragma unroll
      for (int k = 0; k + 1 < kCount; ++k) keys[k] = keys[k + 1];
      keys[kCount - 1] = INT32_MAX;
    }
  }
}

// One warp: the best matches of a part of the rows. A lane has a column of places to match.
__device__ inline void FindTemplateMatchesByWarp(const Canvas& canvas, BlockRect rect, int part,
                                                 TemplateScratch& scratch) {
  static_assert(kTemplateReachLeft + 1 + kTemplateReachRight == 32);
  const LevelShape shape = ShapeOfLevel(rect.level);
  const int h = shape.height(), w = shape.width();
  const int lane = threadIdx.x & 31;
  const int x = FirstTemplateColumn(rect) + lane;
  const int top = FirstTemplateRow(rect), bottom = kMacroblockSize - h;
  // This lane's least (cost, row), in order.
  int32_t keys[kTemplateMatches];
#pragma unroll
  for (int32_t& key : keys) key = INT32_MAX;
  constexpr int kTogether = 4;  // rows
#pragma unroll 1
  for (int y = top + kTogether * part; y <= bottom; y += kTogether * kTemplateParts) {
    // The squared difference of a and b is a a - 2 a b + b b.
    uint32_t own_norm = 0, norms[kTogether] = {}, products[kTogether] = {};
    auto add = [&](int i, int j, uint32_t mask) {
      const uint32_t own = scratch.Square(rect.y + i, rect.x + j) & mask;
      own_norm = __dp4a(own, own, own_norm);
#pragma unroll
      for (int r = 0; r < kTogether; ++r) {
        const uint32_t other = scratch.Square(min(y + r, bottom) + i, x + j) & mask;
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
      int32_t key = static_cast<int32_t>(cost << kTemplateRowBits | (y + r - top));
#pragma unroll
      for (int32_t& kept : keys) {
        const int32_t less = min(kept, key);
        key = max(kept, key);
        kept = less;
      }
    }
  }
  const int left = FirstTemplateColumn(rect);
  TakeLeastKeys(keys, [&](int m, int32_t key, int winner) {
    if (lane == 0) scratch.found[part][m] = make_int2(key, left + winner);
  });
}

// One warp: the best matches of all parts, which have been found.
__device__ inline TemplateMatches JoinTemplateMatchesByWarp(BlockRect rect,
                                                            const TemplateScratch& scratch) {
  // A lane a match. Equal keys are of the same row, which is one part's, whose matches are in
  // order.
  static_assert(kTemplateParts * kTemplateMatches <= 32);
  const int lane = threadIdx.x & 31;
  int2 own = {INT32_MAX, 0};
  if (lane < kTemplateParts * kTemplateMatches)
    own = scratch.found[lane / kTemplateMatches][lane % kTemplateMatches];
  TemplateMatches best;
  int32_t keys[] = {own.x};
  TakeLeastKeys(keys, [&](int m, int32_t key, int winner) {
    const int x = __shfl_sync(kAllLanes, own.y, winner);
    if (key == INT32_MAX) return;
    const int row = FirstTemplateRow(rect) + (key & ((1 << kTemplateRowBits) - 1));
    best.count = m + 1;
    best.matches[m] = {key >> kTemplateRowBits, static_cast<int16_t>(row), static_cast<int16_t>(x)};
  });
  return best;
}

// One warp: what PredictTemplate does, when the matches of all parts have been found. Kept out of
// line, as PredictBlockLspByWarp.
__device__ __noinline__ inline void PredictTemplateByWarp(const Canvas& canvas,
                                                          const TemplateScratch& scratch,
                                                          BlockRect rect, uint8_t* prediction) {
  const TemplateMatches best = JoinTemplateMatchesByWarp(rect, scratch);
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
