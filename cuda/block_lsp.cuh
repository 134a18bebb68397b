// Block least squares by many threads: what codec/block_lsp.h does, with its bits. The
// floating-point part must be compiled without contraction (-fmad=false).
#ifndef MMP_CUDA_BLOCK_LSP_CUH_
#define MMP_CUDA_BLOCK_LSP_CUH_

#include <cstdint>

#include "codec/block_lsp.h"
#include "codec/canvas.h"
#include "cuda/team.cuh"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// The samples of a block, four neighbours of a row in a word, and their sums.
struct BlockLspScratch {
  // The band above has 8 rows of up to 32 samples, that on the left up to 16 rows of 8.
  static constexpr int kMostWords = (kBlockLspWindow * (kMacroblockSize + 2 * kBlockLspWindow) +
                                     kMacroblockSize * kBlockLspWindow) /
                                    4;
  // Odd: lanes that read the same place of several rows meet no bank twice.
  static constexpr int kStride = kMostWords + 1;
  static constexpr int kParts = 3;

  uint32_t values[kBlockLspOrder + 1][kStride];  // neighbours and target, 8 bits each
  uint2 weighted[kBlockLspOrder][kStride];  // neighbours times what the sample counts for, 16 bits
  // Of the normal equations without the ridge, to be added up.
  int32_t parts[kParts][kBlockLspTerms];
  double eliminated[kBlockLspOrder][kBlockLspOrder + 1];  // rows of the equations, while solved
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
    // From the block's top left pixel.
    const int i = is_above ? row - kBlockLspWindow : row;
    const int j = 4 * (place - row * row_length) - kBlockLspWindow;
    const int index = Canvas::Index(rect.y + i, rect.x + j) - 2;
    constexpr int kStride = Canvas::kStride;
    // Of two columns before the word and two behind it: its row, that above, and the next.
    const EightBytes pixel0(canvas.pixels, index), pixel1(canvas.pixels, index - kStride),
        pixel2(canvas.pixels, index - 2 * kStride);
    const EightBytes there0(canvas.available, index), there1(canvas.available, index - kStride),
        there2(canvas.available, index - 2 * kStride);
    auto choose = [](uint32_t there, uint32_t value, uint32_t fallback) {
      const uint32_t mask = there * 255;
      return (value & mask) | (fallback & ~mask);
    };
    uint32_t values[kBlockLspOrder + 1];
    values[0] = pixel0.Four(1);
    values[1] = pixel1.Four(2);
    values[2] = pixel1.Four(1);
    values[3] = choose(there1.Four(3), pixel1.Four(3), values[1]);
    values[4] = choose(there0.Four(0), pixel0.Four(0), values[0]);
    values[5] = choose(there2.Four(2), pixel2.Four(2), values[1]);
    values[6] = choose(there1.Four(0), pixel1.Four(0), values[2]);
    values[7] = choose(there2.Four(1), pixel2.Four(1), values[2]);
    values[8] = choose(there2.Four(3), pixel2.Four(3), values[5]);
    values[9] = choose(there1.Four(4), pixel1.Four(4), values[3]);
    values[10] = pixel0.Four(2);
    const uint32_t usable = there0.Four(2) & there0.Four(1) & there1.Four(2) & there1.Four(1);
    const LevelShape shape = ShapeOfLevel(rect.level);
    uint32_t counts[4];  // what each sample counts for
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

// One warp: what SolveBlockLsp does, from the sums, to all lanes. A lane has a column of the
// equations, the last one the right side; every element meets the operations of SolveLspWeights in
// their order. Loops are kept short: code that runs but once waits for its instructions.
__device__ inline void SolveBlockLspByWarp(BlockLspScratch& scratch,
                                           int32_t (&weights)[kBlockLspOrder]) {
  constexpr int kOrder = kBlockLspOrder;
  const int lane = threadIdx.x & 31, column = min(lane, kOrder);
  // The rows not yet eliminated, the next one first. Those beyond the last, and a column's below
  // the diagonal, have no meaning.
  double rows[kOrder];
#pragma unroll
  for (int r = 0; r < kOrder; ++r) {
    const int t =
        column == kOrder ? kBlockLspTriangle + r : r * (2 * kOrder - 1 - r) / 2 + max(column, r);
    int32_t term = 0;
#pragma unroll
    for (int p = 0; p < BlockLspScratch::kParts; ++p) term += scratch.parts[p][t];
    if (column == r) term += kBlockLspRidge;
    if (column == kOrder) term += kBlockLspRidge / kLspDefaultScale * BlockLspDefault(r);
    rows[r] = static_cast<double>(term);
  }
  double own_inverse = 0;
#pragma unroll 1
  for (int k = 0; k < kOrder; ++k) {
    const double first = rows[0];
    const double inverse = 1.0 / __shfl_sync(kAllLanes, first, k);
    if (lane == k) own_inverse = inverse;
    scratch.eliminated[k][column] = first;
    const double scaled = first * inverse;
#pragma unroll
    for (int r = 1; r < kOrder; ++r)
      rows[r - 1] = rows[r] - __shfl_sync(kAllLanes, scaled, k + r) * first;
  }
  __syncwarp();
  double own_weight = 0;
#pragma unroll 1
  for (int r = kOrder - 1; r >= 0; --r) {
    const double product = scratch.eliminated[r][column] * own_weight;
    double value = scratch.eliminated[r][kOrder];
#pragma unroll
    for (int c = 1; c < kOrder; ++c) {
      if (r + c >= kOrder) break;
      value = value - __shfl_sync(kAllLanes, product, r + c);
    }
    const double weight = value * __shfl_sync(kAllLanes, own_inverse, r);
    if (lane == r) own_weight = weight;
  }
  const int32_t quantized = static_cast<int32_t>(QuantizeLspWeight(own_weight));
#pragma unroll
  for (int k = 0; k < kOrder; ++k) weights[k] = __shfl_sync(kAllLanes, quantized, k);
}

// One warp: what ApplyBlockLsp does. A lane a row; pixel (i, j) comes in step j + 3 i. The pixels
// above it go through the lanes: when its turn comes, the lane above has just predicted its NEE.
__device__ inline void ApplyBlockLspByWarp(const Canvas& canvas, BlockRect rect,
                                           const int32_t (&weights)[kBlockLspOrder],
                                           uint8_t* prediction) {
  constexpr int kStride = Canvas::kStride;
  const int lane = threadIdx.x & 31;
  const int h = rect.height(), w = rect.width();
  const bool has_north_east = canvas.Available(rect.y - 1, rect.x + w);
  // The last columns of the rows above the block that are there.
  const int last =
      w - 1 + has_north_east + (has_north_east && canvas.Available(rect.y - 1, rect.x + w + 1));
  const int last2 = w - 1 + canvas.Available(rect.y - 2, rect.x + w);
  const uint8_t* above = canvas.pixels + Canvas::Index(rect.y - 1, rect.x);
  const uint8_t* row = canvas.pixels + Canvas::Index(rect.y + min(lane, h - 1), rect.x);
  int west = row[-1], west2 = row[-2];
  LspRange range{255, 0};
  if (lane < w + 1 + has_north_east) range.Include(above[lane - 1]);
  if (lane < h) range.Include(west);
  range = {WarpMin(range.low), WarpMax(range.high)};
  // What this lane has seen of the two rows above its own, at the columns around its pixel.
  int north_west2 = 0, north_west = 0, north = 0;
  int north_east = row[-kStride - 2], north_east2 = row[-kStride - 1];
  int north2_west = 0, north2 = 0, north2_east = 0;
  int value = 0;
  const int end = w + 3 * (h - 1);
#pragma unroll 1
  for (int step = -2; step < end; ++step) {
    const int j = step - 3 * lane;
    int next = __shfl_up_sync(kAllLanes, value, 1);
    int next2 = __shfl_up_sync(kAllLanes, north_west, 1);
    if (lane == 0) {
      next = above[min(j + 2, last)];
      next2 = above[min(j + 1, last2) - kStride];
    }
    if (j >= -2) {
      north_west2 = north_west;
      north_west = north;
      north = north_east;
      north_east = north_east2;
      north_east2 = next;
      north2_west = north2;
      north2 = north2_east;
      north2_east = next2;
    }
    const int sum = (1 << (kLspWeightShift - 1)) + weights[1] * north + weights[2] * north_west +
                    weights[3] * north_east + weights[5] * north2 + weights[6] * north_west2 +
                    weights[7] * north2_west + weights[8] * north2_east + weights[9] * north_east2 +
                    weights[4] * west2 + weights[0] * west;
    if (lane < h && j >= 0 && j < w) {
      value = min(max(sum >> kLspWeightShift, range.low), range.high);
      prediction[lane * w + j] = static_cast<uint8_t>(value);
      west2 = west;
      west = value;
    }
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

#endif  // MMP_CUDA_BLOCK_LSP_CUH_
