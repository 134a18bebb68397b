// Least-squares prediction with one predictor for the whole block (mode 25), fitted to the
// reconstructed pixels around it by weighted least squares; nearer pixels have larger weights. One
// body for host and device. Normative: docs/format.md, "Block least squares".
//
// All sums are exact integers; the solve is that of lsp.h.
#ifndef MMP_CODEC_INTRA_BLOCK_LSP_H_
#define MMP_CODEC_INTRA_BLOCK_LSP_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "codec/intra/lsp.h"
#include "codec/intra/neighbours.h"
#include "common/host_device.h"

namespace mmp {

inline constexpr int kBlockLspOrder = 10;
inline constexpr int kBlockLspWindow = 8;  // pixels
inline constexpr int kBlockLspBelow = 6;   // rows below the block in the band on its left
inline constexpr int kBlockLspTriangle = kBlockLspOrder * (kBlockLspOrder + 1) / 2;
inline constexpr int kBlockLspTerms = kBlockLspTriangle + kBlockLspOrder;  // as in LspSums
// Ridge and default weights, with the meaning of kLspRidge and LspDefault of lsp.h.
inline constexpr int kBlockLspRidge = 16 * 128;
MMP_HOST_DEVICE constexpr int BlockLspDefault(int k) { return k < 4 ? LspDefault(k) : 0; }

// A neighbour, and the earlier one that stands for it where it is not available; itself where it
// always is. All that reads neighbours, with SIMD instructions or threads, goes by this table.
struct BlockLspNeighbour {
  int y, x, fallback;
};
MMP_HOST_DEVICE constexpr BlockLspNeighbour BlockLspNeighbourOf(int k) {
  // W, N, NW, NE, WW, NN, NWW, NNW, NNE, NEE
  constexpr BlockLspNeighbour kNeighbours[kBlockLspOrder] = {
      {0, -1, 0}, {-1, 0, 1},  {-1, -1, 2}, {-1, 1, 1}, {0, -2, 0},
      {-2, 0, 1}, {-1, -2, 2}, {-2, -1, 2}, {-2, 1, 5}, {-1, 2, 3}};
  return kNeighbours[k];
}
// How far they reach: rows up, columns to the left and to the right.
inline constexpr int kBlockLspUp = 2, kBlockLspLeft = 2, kBlockLspRight = 2;
namespace internal {
constexpr bool BlockLspNeighboursFit() {
  for (int k = 0; k < kBlockLspOrder; ++k) {
    const BlockLspNeighbour n = BlockLspNeighbourOf(k);
    if (n.fallback > k || n.y > 0 || (n.y == 0 && n.x >= 0) || n.y < -kBlockLspUp ||
        n.x < -kBlockLspLeft || n.x > kBlockLspRight)
      return false;
  }
  return true;
}
}  // namespace internal
static_assert(internal::BlockLspNeighboursFit());

// The weight of a sample at a distance from the block in pixels, the larger of those down and
// across, from 1 to kBlockLspWindow.
MMP_HOST_DEVICE constexpr int BlockLspSampleWeight(int distance) {
  return distance <= 1 ? 8 : distance <= 2 ? 4 : distance <= 4 ? 2 : 1;
}

// Distance from the block of pixel (i, j), counted from the block's top left pixel; 0 inside.
MMP_HOST_DEVICE constexpr int DistanceFromBlock(LevelShape shape, int i, int j) {
  const int down = i < 0 ? -i : i >= shape.height() ? i - shape.height() + 1 : 0;
  const int across = j < 0 ? -j : j >= shape.width() ? j - shape.width() + 1 : 0;
  return down > across ? down : across;
}

// The normal equations, of all samples, with the ridge: terms as in LspSums.
struct BlockLspSums {
  int32_t terms[kBlockLspTerms];
};

// Adds the sample whose target is the pixel at (y, x), if it and its W, N and NW are available.
MMP_HOST_DEVICE inline void AddBlockLspSample(const Canvas& canvas, BlockRect rect, int y, int x,
                                              BlockLspSums& sums) {
  if (!canvas.Available(y, x) || !canvas.Available(y, x - 1) || !canvas.Available(y - 1, x) ||
      !canvas.Available(y - 1, x - 1))
    return;
  int values[kBlockLspOrder];
  MMP_DEVICE_UNROLL
  for (int k = 0; k < kBlockLspOrder; ++k) {
    const BlockLspNeighbour n = BlockLspNeighbourOf(k);
    values[k] =
        canvas.Available(y + n.y, x + n.x) ? canvas.Pixel(y + n.y, x + n.x) : values[n.fallback];
  }
  const int weight =
      BlockLspSampleWeight(DistanceFromBlock(ShapeOfLevel(rect.level), y - rect.y, x - rect.x));
  const int target = canvas.Pixel(y, x);
  int term = 0;
  MMP_DEVICE_UNROLL
  for (int a = 0; a < kBlockLspOrder; ++a) {
    MMP_DEVICE_UNROLL
    for (int b = a; b < kBlockLspOrder; ++b) sums.terms[term++] += weight * values[a] * values[b];
  }
  MMP_DEVICE_UNROLL
  for (int a = 0; a < kBlockLspOrder; ++a) sums.terms[term++] += weight * values[a] * target;
}

// Which term of the normal equations is in row r and column c; column kBlockLspOrder is the right
// side. Below the diagonal, the one on it.
MMP_HOST_DEVICE constexpr int BlockLspTerm(int r, int c) {
  if (c == kBlockLspOrder) return kBlockLspTriangle + r;
  return r * (2 * kBlockLspOrder - 1 - r) / 2 + (c > r ? c : r);
}
// The ridge's part of that element.
MMP_HOST_DEVICE constexpr int32_t BlockLspRidgeOf(int r, int c) {
  if (c == kBlockLspOrder) return kBlockLspRidge / kLspDefaultScale * BlockLspDefault(r);
  return c == r ? kBlockLspRidge : 0;
}

// Solves the normal equations: from the sums over the samples to the weights in fixed point.
MMP_HOST_DEVICE inline void SolveBlockLsp(const BlockLspSums& sums, int32_t* weights) {
  double terms[kBlockLspTerms], solution[kBlockLspOrder];
  for (int r = 0; r < kBlockLspOrder; ++r) {
    for (int c = r; c <= kBlockLspOrder; ++c) {
      const int t = BlockLspTerm(r, c);
      terms[t] = static_cast<double>(sums.terms[t] + BlockLspRidgeOf(r, c));
    }
  }
  SolveLspWeights<kBlockLspOrder>(terms, solution);
  for (int k = 0; k < kBlockLspOrder; ++k)
    weights[k] = static_cast<int32_t>(QuantizeLspWeight(solution[k]));
}

// The pixels that a block is predicted from and itself: `pixels[i + 2][j + 2]` is pixel (i, j) of
// the block. Right of the block, what is not available repeats the pixel on its left.
struct BlockLspArea {
  static constexpr int kSide = kMacroblockSize + 4;
  int pixels[kMacroblockSize + 2][kSide];
};

// The last column, counted from the block's first, whose pixel in the row `up` above the block is
// there; of those that a block's predictions read, up to two beyond it.
MMP_HOST_DEVICE inline int LastBlockLspColumn(const Canvas& canvas, BlockRect rect, int up) {
  int last = rect.width() - 1;
  if (HasBeyond(canvas, rect, up, 0)) last += HasBeyond(canvas, rect, up, 1) ? 2 : 1;
  return last;
}

MMP_HOST_DEVICE inline void LoadBlockLspArea(const Canvas& canvas, BlockRect rect,
                                             BlockLspArea& area) {
  const int h = rect.height(), w = rect.width();
  for (int i = -2; i < 0; ++i) {
    const int last = LastBlockLspColumn(canvas, rect, -i);
    for (int j = -2; j < w + 2; ++j)
      area.pixels[i + 2][j + 2] = canvas.Pixel(rect.y + i, rect.x + (j < last ? j : last));
  }
  for (int i = 0; i < h; ++i)
    for (int j = -2; j < 0; ++j) area.pixels[i + 2][j + 2] = canvas.Pixel(rect.y + i, rect.x + j);
}

// Predicts `rect`, which must have pixels available above and on its left, two deep. Uses the
// fastest instructions of this machine.
void PredictBlockLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction);

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_BLOCK_LSP_H_
