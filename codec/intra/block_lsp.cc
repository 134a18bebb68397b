#include "codec/intra/block_lsp.h"

#include <algorithm>
#include <array>

#include "codec/base/known_size.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/intra/block_lsp.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/base/pair_dot-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kFeatures = kBlockLspOrder + 1;  // the neighbours and the target
// The band above has 8 rows of up to 32 samples, that on the left up to 16 rows of 8.
constexpr int kMostSamples =
    kBlockLspWindow * (kMacroblockSize + 2 * kBlockLspWindow) + kMacroblockSize * kBlockLspWindow;

// Features and weights of all samples, one behind the other. The weight of a sample that cannot be
// used is 0.
struct Samples {
  alignas(64) uint8_t value[kFeatures][kMostSamples + 64];
  alignas(64) uint8_t weight[kMostSamples + 64];
  alignas(64) int16_t wide[kFeatures][kMostSamples + 64];
  int count = 0;
};

// The weights of the samples of a row, by the distance of the row from the block. The first sample
// is kBlockLspWindow pixels left of the block's left edge.
template <int kLength>
struct RowWeights {
  alignas(64) uint8_t weight[kBlockLspWindow + 1][kLength] = {};
};

// Of the band above a block of kWidth columns: padded to a multiple of 8 samples.
template <int kWidth>
constexpr auto MakeWeightsAbove() {
  constexpr LevelShape kShape = {0, static_cast<uint8_t>(kWidth == 16  ? 4
                                                         : kWidth == 8 ? 3
                                                         : kWidth == 4 ? 2
                                                                       : kWidth / 2)};
  RowWeights<(kWidth + 2 * kBlockLspWindow + 7) / 8 * 8> rows;
  for (int down = 1; down <= kBlockLspWindow; ++down)
    for (int j = 0; j < kWidth + 2 * kBlockLspWindow; ++j)
      rows.weight[down][j] = static_cast<uint8_t>(
          BlockLspSampleWeight(DistanceFromBlock(kShape, -down, j - kBlockLspWindow)));
  return rows;
}

// Of the band on the left; distance 0 is that of the block's own rows.
constexpr auto MakeWeightsLeft() {
  RowWeights<kBlockLspWindow> rows;
  for (int down = 0; down <= kBlockLspBelow; ++down)
    for (int j = 0; j < kBlockLspWindow; ++j)
      rows.weight[down][j] = static_cast<uint8_t>(
          BlockLspSampleWeight(DistanceFromBlock({0, 0}, down, j - kBlockLspWindow)));
  return rows;
}

// Where neighbour k is on a canvas, from the pixel; does not compile unless `fallback` stands for
// it. A loop over the table is not unrolled before registers are given out.
consteval int OffsetOf(int k, int fallback) {
  const BlockLspNeighbour n = BlockLspNeighbourOf(k);
  if (n.fallback != fallback) throw "not what BlockLspNeighbourOf says";
  return n.y * Canvas::kStride + n.x;
}

// Adds samples of a row from (y, x) on, as many as there are weights.
template <int kLength>
HWY_INLINE void AddRow(const Canvas& canvas, int y, int x, const uint8_t (&weights)[kLength],
                       Samples& samples) {
  constexpr int kStride = Canvas::kStride;
  const hn::CappedTag<uint8_t, kLength % 32 == 0 ? 32 : 8> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const uint8_t* pixel = canvas.pixels + Canvas::Index(y, x);
  const uint8_t* available = canvas.available + Canvas::Index(y, x);
  for (int p = 0; p < kLength; p += static_cast<int>(hn::Lanes(d))) {
    const int at = samples.count + p;
    auto load = [&](int offset) HWY_ATTR { return hn::LoadU(d, pixel + p + offset); };
    auto mask = [&](int offset)
                    HWY_ATTR { return hn::Sub(zero, hn::LoadU(d, available + p + offset)); };
    auto store = [&](int k, V v) HWY_ATTR { hn::StoreU(v, d, samples.value[k] + at); };
    auto with_fallback = [&](int offset, V fallback) HWY_ATTR {
      const V m = mask(offset);
      return hn::Or(hn::And(m, load(offset)), hn::AndNot(m, fallback));
    };
    const V west = load(OffsetOf(0, 0)), north = load(OffsetOf(1, 1));
    const V north_west = load(OffsetOf(2, 2));
    const V north_east = with_fallback(OffsetOf(3, 1), north);
    const V north2 = with_fallback(OffsetOf(5, 1), north);
    store(0, west);
    store(1, north);
    store(2, north_west);
    store(3, north_east);
    store(4, with_fallback(OffsetOf(4, 0), west));
    store(5, north2);
    store(6, with_fallback(OffsetOf(6, 2), north_west));
    store(7, with_fallback(OffsetOf(7, 2), north_west));
    store(8, with_fallback(OffsetOf(8, 5), north2));
    store(9, with_fallback(OffsetOf(9, 3), north_east));
    store(10, load(0));
    const V usable =
        hn::And(hn::And(mask(0), mask(-1)), hn::And(mask(-kStride), mask(-kStride - 1)));
    hn::StoreU(hn::And(usable, hn::LoadU(d, weights + p)), d, samples.weight + at);
  }
  samples.count += kLength;
}

template <int kWidth>
void GatherSamples(const Canvas& canvas, BlockRect rect, Samples& samples) {
  static constexpr auto kAbove = MakeWeightsAbove<kWidth>();
  static constexpr auto kLeft = MakeWeightsLeft();
  for (int down = kBlockLspWindow; down > 0; --down)
    AddRow(canvas, rect.y - down, rect.x - kBlockLspWindow, kAbove.weight[down], samples);
  const int bottom = rect.y + rect.height();
  for (int y = rect.y; y < std::min(kMacroblockSize, bottom + kBlockLspBelow); ++y)
    AddRow(canvas, y, rect.x - kBlockLspWindow, kLeft.weight[std::max(0, y - bottom + 1)], samples);
}

#if HWY_TARGET == HWY_SCALAR

void SumSamples(Samples& samples, BlockLspSums& sums) {
  sums = {};
  for (int p = 0; p < samples.count; ++p) {
    int term = 0;
    for (int a = 0; a < kBlockLspOrder; ++a) {
      const int weighted = samples.weight[p] * samples.value[a][p];
      for (int b = a; b < kBlockLspOrder; ++b) sums.terms[term++] += weighted * samples.value[b][p];
      sums.terms[kBlockLspTriangle + a] += weighted * samples.value[kBlockLspOrder][p];
    }
  }
}

#else

// totals[k]: the sum of the lanes of the k-th vector.
template <class D, class V>
HWY_INLINE void SumLanesOfFour(D d, V v0, V v1, V v2, V v3, int32_t (&totals)[4]) {
  const hn::RepartitionToWide<D> d64;
  auto add_halves = [&](V a, V b) HWY_ATTR {
    return hn::BitCast(d64, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  };
  const auto low = add_halves(v0, v1), high = add_halves(v2, v3);
  // In every block of 128 bits, the sums of its lanes.
  const V sums = hn::Add(hn::BitCast(d, hn::InterleaveLower(d64, low, high)),
                         hn::BitCast(d, hn::InterleaveUpper(d64, low, high)));
  constexpr int kMostLanes = 16;
  alignas(64) int32_t blocks[kMostLanes];
  hn::Store(sums, d, blocks);
  for (int k = 0; k < 4; ++k) {
    totals[k] = blocks[k];
    for (int lane = k + 4; lane < static_cast<int>(hn::Lanes(d)); lane += 4)
      totals[k] += blocks[lane];
  }
}

void SumSamples(Samples& samples, BlockLspSums& sums) {
  const hn::CappedTag<int16_t, 32> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  // Padded to a whole SIMD vector with samples of weight 0.
  const int count = (samples.count + lanes - 1) / lanes * lanes;
  std::fill(samples.weight + samples.count, samples.weight + count, 0);
  for (int f = 0; f < kFeatures; ++f) {
    std::fill(samples.value[f] + samples.count, samples.value[f] + count, 0);
    for (int p = 0; p < count; p += lanes)
      hn::StoreU(hn::PromoteTo(d16, hn::LoadU(d8, samples.value[f] + p)), d16, samples.wide[f] + p);
  }
  // Two features by two at a time, so that what is loaded serves twice. The last one, of an odd
  // number, comes twice.
  static_assert(kBlockLspOrder % 2 == 0 && kFeatures % 2 == 1);
  alignas(64) int16_t weighted[2][kMostSamples + 64];
  for (int a = 0; a < kBlockLspOrder; a += 2) {
    for (int p = 0; p < count; p += lanes) {
      const auto weight = hn::PromoteTo(d16, hn::LoadU(d8, samples.weight + p));
      for (int i = 0; i < 2; ++i)
        hn::StoreU(hn::Mul(hn::LoadU(d16, samples.wide[a + i] + p), weight), d16, weighted[i] + p);
    }
    for (int b = a; b < kFeatures; b += 2) {
      const int other = std::min(b + 1, kBlockLspOrder);
      auto sum00 = hn::Zero(d32), sum01 = sum00, sum10 = sum00, sum11 = sum00;
      for (int p = 0; p < count; p += lanes) {
        auto load = [&](const int16_t* row)
                        HWY_ATTR { return hn::BitCast(d32, hn::LoadU(d16, row + p)); };
        const auto left0 = load(weighted[0]), left1 = load(weighted[1]);
        const auto right0 = load(samples.wide[b]), right1 = load(samples.wide[other]);
        sum00 = PairDotAdd(d32, sum00, left0, right0);
        sum01 = PairDotAdd(d32, sum01, left0, right1);
        sum10 = PairDotAdd(d32, sum10, left1, right0);
        sum11 = PairDotAdd(d32, sum11, left1, right1);
      }
      int32_t totals[4];
      SumLanesOfFour(d32, sum00, sum01, sum10, sum11, totals);
      sums.terms[BlockLspTerm(a, b)] = totals[0];
      sums.terms[BlockLspTerm(a, other)] = totals[1];
      if (b > a) sums.terms[BlockLspTerm(a + 1, b)] = totals[2];
      sums.terms[BlockLspTerm(a + 1, other)] = totals[3];
    }
  }
}

#endif

// Where the neighbours are in a BlockLspArea, from the pixel.
constexpr auto kAreaOffsets = [] {
  std::array<int, kBlockLspOrder> offsets{};
  for (int k = 0; k < kBlockLspOrder; ++k)
    offsets[k] = BlockLspNeighbourOf(k).y * BlockLspArea::kSide + BlockLspNeighbourOf(k).x;
  return offsets;
}();
// These two are in the pixel's own row, the others above it.
constexpr int kWest = 0, kWest2 = 4;
static_assert(kAreaOffsets[kWest] == -1 && kAreaOffsets[kWest2] == -2);

// Predicts in raster order, on the predicted pixels: prediction[i * width + j]. Right of the block
// its last column is repeated.
template <int kWidth>
void ApplyWeights(const int32_t* weights, int height, LspRange range, BlockLspArea& area,
                  uint8_t* HWY_RESTRICT prediction) {
  for (int i = 0; i < height; ++i) {
    int* row = area.pixels[i + 2] + 2;
    // First the part of the sum that does not depend on the row itself.
    int partial[kWidth];
    for (int j = 0; j < kWidth; ++j) {
      auto term = [&](int k) HWY_ATTR { return weights[k] * row[j + kAreaOffsets[k]]; };
      partial[j] = (1 << (kLspWeightShift - 1)) + term(1) + term(2) + term(3) + term(5) + term(6) +
                   term(7) + term(8) + term(9);
    }
    int west = row[-1], west2 = row[-2];
    for (int j = 0; j < kWidth; ++j) {
      const int sum = partial[j] + weights[kWest2] * west2 + weights[kWest] * west;
      west2 = west;
      west = std::clamp(sum >> kLspWeightShift, range.low, range.high);
      row[j] = west;
      prediction[i * kWidth + j] = static_cast<uint8_t>(west);
    }
    row[kWidth] = row[kWidth + 1] = west;
  }
}

template <int kWidth>
void PredictOfWidth(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  Samples samples;
  GatherSamples<kWidth>(canvas, rect, samples);
  BlockLspSums sums;
  SumSamples(samples, sums);
  int32_t weights[kBlockLspOrder];
  SolveBlockLsp(sums, weights);
  BlockLspArea area;
  LoadBlockLspArea(canvas, rect, area);
  ApplyWeights<kWidth>(weights, rect.height(), LspBorderRange(canvas, rect), area, prediction);
}

void PredictBlockLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  auto predict = [&]<int kWidth>() HWY_ATTR { PredictOfWidth<kWidth>(canvas, rect, prediction); };
  WithPowerOfTwo<kMacroblockSize>(rect.width(), predict);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(PredictBlockLsp);

void PredictBlockLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  HWY_DYNAMIC_DISPATCH(PredictBlockLsp)(canvas, rect, prediction);
}

}  // namespace mmp
#endif  // HWY_ONCE
