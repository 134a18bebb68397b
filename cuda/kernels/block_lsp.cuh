// Block least squares by many threads: what codec/intra/block_lsp.h does, with its bits. The
// floating-point part must be compiled without contraction (-fmad=false).
#ifndef MMP_CUDA_KERNELS_BLOCK_LSP_CUH_
#define MMP_CUDA_KERNELS_BLOCK_LSP_CUH_

#include <cstdint>

#include "codec/intra/block_lsp.h"
#include "codec/intra/block_lsp_by_lanes.h"
#include "codec/intra/canvas.h"
#include "cuda/kernels/lsp.cuh"
#include "cuda/kernels/team.cuh"
#include "cuda/kernels/warp.cuh"

namespace mmp::cuda {

// The samples of a block, four neighbours of a row in a word, and their sums.
struct BlockLspScratch {
  // The band above has 8 rows of up to 32 samples, that on the left up to 16 rows of 8.
  static constexpr int kMostWords = (kBlockLspWindow * (kMacroblockSize + 2 * kBlockLspWindow) +
                                     kMacroblockSize * kBlockLspWindow) /
                                    4;
  // Odd, so that lanes which read the same column of several rows have no bank conflicts.
  static constexpr int kStride = kMostWords + 1;
  static constexpr int kParts = 3;

  uint32_t values[kBlockLspOrder + 1][kStride];  // neighbours and target, 8 bits each
  uint2 weighted[kBlockLspOrder][kStride];       // neighbours times the sample's weight, 16 bits
  // Partial sums of the normal equations without the ridge.
  int32_t parts[kParts][kBlockLspTerms];
  BlockLspRows eliminated;  // while the equations are solved
};

// Where a block's samples are: words [0, above) are rows of the band above from the top down, each
// a little longer than the band, those behind them rows of the band on the left.
struct BlockLspLayout {
  int above_row;  // words
  int above, count;

  __device__ explicit BlockLspLayout(BlockRect rect)
      : above_row((rect.width() + 2 * kBlockLspWindow + 3) / 4),
        above(kBlockLspWindow * above_row),
        count(above + kBlockLspWindow / 4 *
                          min(rect.height() + kBlockLspBelow, kMacroblockSize - rect.y)) {}
};

// Eight bytes from anywhere on the canvas.
struct EightBytes {
  uint32_t low, high;

  // `bytes` is aligned to words.
  __device__ EightBytes(const uint8_t* bytes, int index) {
    const uint32_t* words = reinterpret_cast<const uint32_t*>(bytes) + (index >> 2);
    const int shift = 8 * (index & 3);
    low = __funnelshift_r(words[0], words[1], shift);
    high = __funnelshift_r(words[1], words[2], shift);
  }
  // Four of them from number `first`, 0 to 4, on.
  __device__ uint32_t Four(int first) const { return __funnelshift_rc(low, high, 8 * first); }
};

// Reads the samples: what AddBlockLspSample does with them but the sums.
__device__ inline void LoadBlockLspSamples(Share share, const Canvas& canvas, BlockRect rect,
                                           BlockLspScratch& scratch) {
  const BlockLspLayout layout(rect);
#pragma unroll 1
  for (int k = share.first; k < layout.count; k += share.stride) {
    const bool is_above = k < layout.above;
    const int row_length = is_above ? layout.above_row : kBlockLspWindow / 4;
    const int place = is_above ? k : k - layout.above;
    const int row = place / row_length;
    // Row and column relative to the block's top left pixel.
    const int i = is_above ? row - kBlockLspWindow : row;
    const int j = 4 * (place - row * row_length) - kBlockLspWindow;
    // The rows of the word's neighbours, its own first, from the leftmost one on.
    const int index = Canvas::Index(rect.y + i, rect.x + j) - kBlockLspLeft;
    constexpr int kStride = Canvas::kStride;
    static_assert(kBlockLspUp == 2 && kBlockLspLeft + kBlockLspRight + 4 <= 8);
    const EightBytes pixels[] = {EightBytes(canvas.pixels, index),
                                 EightBytes(canvas.pixels, index - kStride),
                                 EightBytes(canvas.pixels, index - 2 * kStride)};
    const EightBytes there[] = {EightBytes(canvas.available, index),
                                EightBytes(canvas.available, index - kStride),
                                EightBytes(canvas.available, index - 2 * kStride)};
    auto choose = [](uint32_t there, uint32_t value, uint32_t fallback) {
      const uint32_t mask = there * 255;
      return (value & mask) | (fallback & ~mask);
    };
    uint32_t values[kBlockLspOrder + 1];
#pragma unroll
    for (int f = 0; f < kBlockLspOrder; ++f) {
      const BlockLspNeighbour n = BlockLspNeighbourOf(f);
      const int first = n.x + kBlockLspLeft;
      values[f] = pixels[-n.y].Four(first);
      if (n.fallback != f)
        values[f] = choose(there[-n.y].Four(first), values[f], values[n.fallback]);
    }
    values[kBlockLspOrder] = pixels[0].Four(kBlockLspLeft);
    // With W, N and NW.
    const uint32_t usable = there[0].Four(kBlockLspLeft) & there[0].Four(kBlockLspLeft - 1) &
                            there[1].Four(kBlockLspLeft) & there[1].Four(kBlockLspLeft - 1);
    const LevelShape shape = ShapeOfLevel(rect.level);
    uint32_t counts[4];  // weight of each sample
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      const bool counts_at_all =
          (usable >> 8 * s & 1) != 0 && j + s < shape.width() + kBlockLspWindow;
      counts[s] = counts_at_all ? BlockLspSampleWeight(DistanceFromBlock(shape, i, j + s)) : 0;
    }
#pragma unroll
    for (int f = 0; f <= kBlockLspOrder; ++f) scratch.values[f][k] = values[f];
#pragma unroll
    for (int f = 0; f < kBlockLspOrder; ++f) {
      auto weighted = [&](int s) { return (values[f] >> 8 * s & 255) * counts[s]; };
      scratch.weighted[f][k] =
          make_uint2(weighted(0) | weighted(1) << 16, weighted(2) | weighted(3) << 16);
    }
  }
}

// Adds up the samples that are loaded.
__device__ inline void SumBlockLspSamples(Share share, BlockRect rect, BlockLspScratch& scratch) {
  const int count = BlockLspLayout(rect).count;
  constexpr int kParts = BlockLspScratch::kParts;
  for (int k = share.first; k < kParts * kBlockLspTerms; k += share.stride) {
    const int part = k / kBlockLspTerms, term = k - part * kBlockLspTerms;
    // The term is the sum over feature a, weighted, times feature b.
    int a = term - kBlockLspTriangle, b = kBlockLspOrder;
    if (term < kBlockLspTriangle) {
      a = 0;
      b = term;
#pragma unroll
      for (int r = 1; r < kBlockLspOrder; ++r) {
        const int first = r * (2 * kBlockLspOrder + 1 - r) / 2;  // term of row r
        if (term >= first) {
          a = r;
          b = term - first + r;
        }
      }
    }
    uint32_t sum = 0;
#pragma unroll 4
    for (int p = part; p < count; p += kParts) {
      const uint2 weighted = scratch.weighted[a][p];
      const uint32_t values = scratch.values[b][p];
      sum = __dp2a_lo(weighted.x, values, sum);
      sum = __dp2a_hi(weighted.y, values, sum);
    }
    scratch.parts[part][term] = static_cast<int32_t>(sum);
  }
}

// A warp, for SolveBlockLspByLanes.
struct WarpLanes {
  using Double = double;

  template <typename F>
  __device__ double Each(F f) const {
    return f(static_cast<int>(threadIdx.x & 31));
  }
  __device__ double Of(double value, int lane) const { return __shfl_sync(kAllLanes, value, lane); }
  __device__ double Put(int lane, double a, double b) const {
    return static_cast<int>(threadIdx.x & 31) == lane ? a : b;
  }
  template <typename F>
  __device__ void Store(double value, F place) const {
    place(static_cast<int>(threadIdx.x & 31)) = value;
  }
  __device__ void Sync() const { __syncwarp(); }
};

// One warp: what SolveBlockLsp does, from the sums, to all lanes.
__device__ inline void SolveBlockLspByWarp(BlockLspScratch& scratch,
                                           int32_t (&weights)[kBlockLspOrder]) {
  auto sum = [&](int t) {
    int32_t term = 0;
#pragma unroll
    for (int p = 0; p < BlockLspScratch::kParts; ++p) term += scratch.parts[p][t];
    return term;
  };
  const double own_weight = SolveBlockLspByLanes(WarpLanes(), sum, scratch.eliminated);
  const int32_t quantized = static_cast<int32_t>(QuantizeLspWeight(own_weight));
#pragma unroll
  for (int k = 0; k < kBlockLspOrder; ++k) weights[k] = __shfl_sync(kAllLanes, quantized, k);
}

// True if ApplyBlockLspByWarp adds each neighbour to the sums that it is in.
constexpr bool BlockLspNeighboursAreSeen() {
  for (int k = 0; k < kBlockLspOrder; ++k) {
    const BlockLspNeighbour n = BlockLspNeighbourOf(k);
    const int most = n.y == -1 ? 2 : n.y == -2 ? 1 : -1;
    if (n.y < -2 || n.x > most || n.x < (n.y == -2 ? -1 : -2)) return false;
  }
  return true;
}
static_assert(BlockLspNeighboursAreSeen());

// One warp: predicts in raster order, on the predicted pixels. A lane a row, the first two of them
// above the block; the pixel in column j of lane l's row comes in step j + 3 l, the two on the left
// of the block before it. A row's pixels go on to the lane below, two steps ahead of what they are
// the NEE of, and from there to the next one. Each is added to the sums of all pixels that it is a
// neighbour of, as soon as it is there. All lanes take every step, without branches: what they add
// up before they see the block is dropped.
__device__ inline void ApplyBlockLspByWarp(const Canvas& canvas, BlockRect rect,
                                           const int32_t (&weights)[kBlockLspOrder],
                                           uint8_t* prediction) {
  constexpr int kAbove = kBlockLspUp;  // rows
  static_assert(kMacroblockSize + kAbove <= 32);
  const int lane = threadIdx.x & 31, i = lane - kAbove;
  const int h = rect.height(), w = rect.width();
  // The last column that is there of a row above; of one of the block, of what is left of it.
  const int last = i >= 0 ? -1 : LastBlockLspColumn(canvas, rect, -i);
  const uint8_t* given = canvas.pixels + Canvas::Index(rect.y + min(i, h - 1), rect.x);
  const LspRange range = LspBorderRangeByWarp(canvas, rect);
  uint8_t* const own_row = prediction + i * w;
  // What the sum of a pixel at a distance (y, x) takes of this one.
  auto weight = [&](int y, int x) {
    int32_t sum = 0;
#pragma unroll
    for (int k = 0; k < kBlockLspOrder; ++k) {
      const BlockLspNeighbour n = BlockLspNeighbourOf(k);
      if (n.y == -y && n.x == -x) sum += weights[k];
    }
    return sum;
  };
  constexpr int32_t kHalf = 1 << (kLspWeightShift - 1);
  // Of the next pixels' sums, what is known: of those in columns j to j + 3.
  int32_t sums[4] = {};
  int pixel = 0;  // the last one of this row
  // Those of the row above that came last, the newest first.
  int above[4] = {};
  const int end = w + 3 * (h - 1 + kAbove);
#pragma unroll 1
  for (int step = -1; step < end; ++step) {
    const int j = step - 3 * lane;
    const int border = given[max(min(j, last), -2)];
    const int next = __shfl_up_sync(kAllLanes, pixel, 1);
    const int next2 = __shfl_up_sync(kAllLanes, above[3], 1);
    // Those of columns j + 2 and j + 1 of the two rows above.
    const int32_t sum = sums[0] + weight(2, -1) * next2 + weight(1, -2) * next;
    const int predicted = min(max(sum >> kLspWeightShift, range.low), range.high);
    const bool is_inside = i >= 0 && j >= 0;
    if (is_inside && i < h && j < w) own_row[j] = static_cast<uint8_t>(predicted);
    // What is right of the block repeats its last pixel.
    pixel = !is_inside ? border : j < w ? predicted : pixel;
    sums[0] = sums[1] + weight(2, 0) * next2 + weight(1, -1) * next + weight(0, 1) * pixel;
    sums[1] = sums[2] + weight(2, 1) * next2 + weight(1, 0) * next + weight(0, 2) * pixel;
    sums[2] = sums[3] + weight(1, 1) * next;
    sums[3] = kHalf + weight(1, 2) * next;
#pragma unroll
    for (int k = 3; k > 0; --k) above[k] = above[k - 1];
    above[0] = next;
  }
}

// One warp: what PredictBlockLsp does, from the sums. Kept out of line: where it is called, other
// values need its registers.
__device__ __noinline__ inline void PredictBlockLspByWarp(const Canvas& canvas,
                                                          BlockLspScratch& scratch, BlockRect rect,
                                                          uint8_t* prediction) {
  int32_t weights[kBlockLspOrder];
  SolveBlockLspByWarp(scratch, weights);
  ApplyBlockLspByWarp(canvas, rect, weights, prediction);
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_BLOCK_LSP_CUH_
