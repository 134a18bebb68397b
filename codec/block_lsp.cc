#include "codec/block_lsp.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/block_lsp.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/pair_dot-inl.h"
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

// Features and weights of all samples, one behind the other. What a sample counts for is 0 if it
// cannot be used.
struct Samples {
  alignas(64) uint8_t value[kFeatures][kMostSamples + 64];
  alignas(64) uint8_t weight[kMostSamples + 64];
  alignas(64) int16_t wide[kFeatures][kMostSamples + 64];
  int count = 0;
};

// Adds `length` samples of a row from (y, x) on, padded to a multiple of eight.
template <class D>
HWY_INLINE void AddRow(D d, const Canvas& canvas, BlockRect rect, int y, int x, int length,
                       Samples& samples) {
  const auto zero = hn::Zero(d);
  const uint8_t* pixel = canvas.pixels + Canvas::Index(y, x);
  const uint8_t* available = canvas.available + Canvas::Index(y, x);
  const LevelShape shape = kLevelShapes[rect.level];
  const int padded = (length + 7) & ~7;
  alignas(64) uint8_t weights[64] = {};
  for (int p = 0; p < length; ++p)
    weights[p] = static_cast<uint8_t>(
        BlockLspSampleWeight(DistanceFromBlock(shape, y - rect.y, x - rect.x + p)));
  for (int p = 0; p < padded; p += static_cast<int>(hn::Lanes(d))) {
    hn::Vec<D> features[kBlockLspOrder];
    auto usable = hn::Sub(zero, hn::LoadU(d, available + p));
    const int at = samples.count + p;
    for (int k = 0; k < kBlockLspOrder; ++k) {
      const BlockLspNeighbour n = BlockLspNeighbourOf(k);
      const int offset = n.y * Canvas::kStride + n.x + p;
      features[k] = hn::LoadU(d, pixel + offset);
      const auto mask = hn::Sub(zero, hn::LoadU(d, available + offset));
      if (n.fallback == k)
        usable = hn::And(usable, mask);
      else
        features[k] = hn::Or(hn::And(mask, features[k]), hn::AndNot(mask, features[n.fallback]));
      hn::StoreU(features[k], d, samples.value[k] + at);
    }
    hn::StoreU(hn::LoadU(d, pixel + p), d, samples.value[kBlockLspOrder] + at);
    hn::StoreU(hn::And(usable, hn::LoadU(d, weights + p)), d, samples.weight + at);
  }
  samples.count += padded;
}

void GatherSamples(const Canvas& canvas, BlockRect rect, Samples& samples) {
  constexpr int kWindow = kBlockLspWindow;
  const hn::CappedTag<uint8_t, 8> d8;
  for (int y = rect.y - kWindow; y < rect.y; ++y)
    AddRow(d8, canvas, rect, y, rect.x - kWindow, rect.width() + 2 * kWindow, samples);
  const int end = std::min(kMacroblockSize, rect.y + rect.height() + kBlockLspBelow);
  for (int y = rect.y; y < end; ++y)
    AddRow(d8, canvas, rect, y, rect.x - kWindow, kWindow, samples);
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

void SumSamples(Samples& samples, BlockLspSums& sums) {
  const hn::CappedTag<int16_t, 32> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  // Up to a whole vector, samples that count for nothing.
  const int count = (samples.count + lanes - 1) / lanes * lanes;
  std::fill(samples.weight + samples.count, samples.weight + count, 0);
  for (int f = 0; f < kFeatures; ++f) {
    std::fill(samples.value[f] + samples.count, samples.value[f] + count, 0);
    for (int p = 0; p < count; p += lanes)
      hn::StoreU(hn::PromoteTo(d16, hn::LoadU(d8, samples.value[f] + p)), d16, samples.wide[f] + p);
  }
  auto sum = [&](int a, const int16_t* weighted) HWY_ATTR {
    auto total = hn::Zero(d32);
    for (int p = 0; p < count; p += lanes)
      total = PairDotAdd(d32, total, hn::BitCast(d32, hn::LoadU(d16, weighted + p)),
                         hn::BitCast(d32, hn::LoadU(d16, samples.wide[a] + p)));
    return hn::GetLane(hn::SumOfLanes(d32, total));
  };
  int term = 0;
  for (int a = 0; a < kBlockLspOrder; ++a) {
    alignas(64) int16_t weighted[kMostSamples + 64];
    for (int p = 0; p < count; p += lanes)
      hn::StoreU(hn::Mul(hn::LoadU(d16, samples.wide[a] + p),
                         hn::PromoteTo(d16, hn::LoadU(d8, samples.weight + p))),
                 d16, weighted + p);
    for (int b = a; b < kBlockLspOrder; ++b) sums.terms[term++] = sum(b, weighted);
    sums.terms[kBlockLspTriangle + a] = sum(kBlockLspOrder, weighted);
  }
}

#endif

void PredictBlockLsp(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  Samples samples;
  GatherSamples(canvas, rect, samples);
  BlockLspSums sums;
  SumSamples(samples, sums);
  int32_t weights[kBlockLspOrder];
  SolveBlockLsp(sums, weights);
  BlockLspArea area;
  LoadBlockLspArea(canvas, rect, area);
  ApplyBlockLsp(weights, kLevelShapes[rect.level], LspBorderRange(canvas, rect), area, prediction);
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
