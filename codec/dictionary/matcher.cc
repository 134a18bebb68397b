#include "codec/dictionary/matcher.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/dictionary/matcher.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/base/pair_dot-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<int32_t, 16>;
using V32 = hn::Vec<D32>;

// Blocks matched at once, and SIMD vectors of patterns per step: their product is the number of
// accumulators, as many as there are registers for.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kTileBlocks = 8;
#else
constexpr int kTileBlocks = 4;
#endif
constexpr int kTileVectors = 2;

HWY_INLINE int32_t LoadPair(const int16_t* values, int pair) {
  int32_t value;
  std::memcpy(&value, values + 2 * pair, sizeof(value));
  return value;
}

// The dot products of blocks with the patterns of a tile of kVectors vectors, from vector number
// `first` of all on.
template <int kBlocks, int kVectors>
HWY_INLINE void AccumulateTile(const PackedPatterns& patterns, int first,
                               const int16_t* HWY_RESTRICT blocks, V32 (&sum)[kBlocks][kVectors]) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int group_vectors = kPatternGroup / lanes;
  const int32_t* words[kVectors];  // of one pair of pixels
  for (int v = 0; v < kVectors; ++v)
    words[v] = reinterpret_cast<const int32_t*>(patterns.Group((first + v) / group_vectors)) +
               (first + v) % group_vectors * lanes;
  for (int k = 0; k < patterns.pairs; ++k) {
    V32 pattern[kVectors];
    for (int v = 0; v < kVectors; ++v) pattern[v] = hn::LoadU(d, words[v] + k * kPatternGroup);
    for (int b = 0; b < kBlocks; ++b) {
      const V32 pixels = hn::Set(d, LoadPair(blocks, b * patterns.pairs + k));
      for (int v = 0; v < kVectors; ++v) sum[b][v] = PairDotAdd(d, sum[b][v], pixels, pattern[v]);
    }
  }
}

template <int kBlocks, int kVectors>
HWY_INLINE void MatchTile(const PackedPatterns& patterns, const int32_t* HWY_RESTRICT bias,
                          const int16_t* HWY_RESTRICT blocks, int first, V32 (&best)[kBlocks]) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V32 sum[kBlocks][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const V32 start = hn::LoadU(d, bias + (first + v) * lanes);
    for (int b = 0; b < kBlocks; ++b) sum[b][v] = start;
  }
  AccumulateTile<kBlocks, kVectors>(patterns, first, blocks, sum);
  for (int b = 0; b < kBlocks; ++b)
    for (int v = 0; v < kVectors; ++v) best[b] = hn::Min(best[b], sum[b][v]);
}

template <int kBlocks>
HWY_NOINLINE void MatchFew(const PackedPatterns& patterns, const int32_t* HWY_RESTRICT bias,
                           const int16_t* HWY_RESTRICT blocks, int32_t* HWY_RESTRICT minimum) {
  // Each accumulator waits for its own last addition, so few blocks take more patterns at once.
  constexpr int kVectors = kBlocks <= kTileBlocks / 2 ? 2 * kTileVectors : kTileVectors;
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V32 best[kBlocks];
  for (int b = 0; b < kBlocks; ++b) best[b] = hn::Set(d, kNoMatch);
  const int count = patterns.groups * (kPatternGroup / lanes);
  int first = 0;
  for (; first + kVectors <= count; first += kVectors)
    MatchTile<kBlocks, kVectors>(patterns, bias, blocks, first, best);
  if constexpr (kVectors > kTileVectors)
    if (first < count) MatchTile<kBlocks, kTileVectors>(patterns, bias, blocks, first, best);
  for (int b = 0; b < kBlocks; ++b) minimum[b] = hn::GetLane(hn::MinOfLanes(d, best[b]));
}

void MatchBlocks(const PackedPatterns& patterns, const int32_t* bias, const int16_t* blocks,
                 int count, int32_t* minimum) {
  const int pixels = 2 * patterns.pairs;
  for (; count >= kTileBlocks; count -= kTileBlocks) {
    MatchFew<kTileBlocks>(patterns, bias, blocks, minimum);
    blocks += kTileBlocks * pixels;
    minimum += kTileBlocks;
  }
  switch (count) {
    case 7:
      return MatchFew<7>(patterns, bias, blocks, minimum);
    case 6:
      return MatchFew<6>(patterns, bias, blocks, minimum);
    case 5:
      return MatchFew<5>(patterns, bias, blocks, minimum);
    case 4:
      return MatchFew<4>(patterns, bias, blocks, minimum);
    case 3:
      return MatchFew<3>(patterns, bias, blocks, minimum);
    case 2:
      return MatchFew<2>(patterns, bias, blocks, minimum);
    case 1:
      return MatchFew<1>(patterns, bias, blocks, minimum);
    default:
      return;
  }
}

// The dot product of two vectors of a power of two of values, at least two.
HWY_INLINE int32_t Dot(const int16_t* HWY_RESTRICT a, const int16_t* HWY_RESTRICT b, int values) {
  const auto dot = [&](auto d) {
    const int lanes = static_cast<int>(hn::Lanes(d));
    auto sum = hn::Zero(d);
    for (int k = 0; k < values; k += 2 * lanes)
      sum = PairDotAdd(d, sum, hn::LoadU(d, reinterpret_cast<const int32_t*>(a + k)),
                       hn::LoadU(d, reinterpret_cast<const int32_t*>(b + k)));
    return hn::GetLane(hn::SumOfLanes(d, sum));
  };
  const D32 widest;
  if (values >= 2 * static_cast<int>(hn::Lanes(widest))) return dot(widest);
  const hn::CappedTag<int32_t, 4> narrow;
  if (values >= 2 * static_cast<int>(hn::Lanes(narrow))) return dot(narrow);
  int32_t sum = 0;
  for (int k = 0; k < values; ++k) sum += a[k] * b[k];
  return sum;
}

// Whether one of the patterns of a tile is near: of those that `may_be_near` says, a bit each, from
// number `first` on.
HWY_INLINE bool AnyNear(const SketchedPatterns& patterns, int first, uint32_t may_be_near,
                        const SketchedBlock& block, int64_t threshold) {
  for (; may_be_near != 0; may_be_near &= may_be_near - 1) {
    const int p = first + std::countr_zero(may_be_near);
    if (p >= patterns.count) return false;
    const int16_t* values = patterns.values + static_cast<ptrdiff_t>(p) * patterns.pixels;
    const int32_t dot = Dot(values, block.values, patterns.pixels);
    if (patterns.norms[p] + block.norm - 2 * dot <= threshold) return true;
  }
  return false;
}

// A bit for each true lane.
HWY_INLINE uint32_t BitsOf(D32 d, hn::Mask<D32> mask) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | uint32_t{bytes[1]} << 8;
}

bool HasNear(const SketchedPatterns& patterns, const SketchedBlock& block,
             const NearLimit& near_limit) {
  static_assert(std::tuple_size_v<Sketch> == 4);
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V32 sketch[2] = {hn::Set(d, LoadPair(block.sketch.data(), 0)),
                         hn::Set(d, LoadPair(block.sketch.data(), 1))};
  const V32 limit = hn::Set(d, near_limit.sketch_reach - SquaredNorm(block.sketch));
  // A bit for each pattern of a vector, those from number `first` on, that may be near.
  const auto may_be_near = [&](int first) HWY_ATTR {
    const int32_t* words = reinterpret_cast<const int32_t*>(patterns.sketches.data) +
                           static_cast<ptrdiff_t>(first / kPatternGroup) * 2 * kPatternGroup +
                           first % kPatternGroup;
    V32 sum = hn::LoadU(d, patterns.sketch_norms + first);
    sum = PairDotAdd(d, sum, sketch[0], hn::LoadU(d, words));
    sum = PairDotAdd(d, sum, sketch[1], hn::LoadU(d, words + kPatternGroup));
    return BitsOf(d, hn::Lt(sum, limit));
  };
  for (int first = 0; first < patterns.count; first += 2 * lanes) {
    const uint32_t bits = may_be_near(first) | may_be_near(first + lanes) << lanes;
    if (bits != 0 && AnyNear(patterns, first, bits, block, near_limit.distance)) return true;
  }
  return false;
}

int FindMatch(const PackedPatterns& patterns, const int32_t* bias, const int16_t* block,
              int32_t value) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V32 wanted = hn::Set(d, value);
  const int count = patterns.groups * (kPatternGroup / lanes);
  for (int first = 0; first < count; first += kTileVectors) {
    V32 sum[1][kTileVectors];
    for (int v = 0; v < kTileVectors; ++v) sum[0][v] = hn::LoadU(d, bias + (first + v) * lanes);
    AccumulateTile<1, kTileVectors>(patterns, first, block, sum);
    for (int v = 0; v < kTileVectors; ++v) {
      const auto lane = hn::FindFirstTrue(d, hn::Eq(sum[0][v], wanted));
      if (lane >= 0) return (first + v) * lanes + static_cast<int>(lane);
    }
  }
  return -1;
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(MatchBlocks);
HWY_EXPORT(HasNear);
HWY_EXPORT(FindMatch);

void MatchBlocks(const PackedPatterns& patterns, const int32_t* bias, const int16_t* blocks,
                 int count, int32_t* minimum) {
  HWY_DYNAMIC_DISPATCH(MatchBlocks)(patterns, bias, blocks, count, minimum);
}

bool HasNear(const SketchedPatterns& patterns, const SketchedBlock& block, const NearLimit& limit) {
  return HWY_DYNAMIC_DISPATCH(HasNear)(patterns, block, limit);
}

int FindMatch(const PackedPatterns& patterns, const int32_t* bias, const int16_t* block,
              int32_t value) {
  return HWY_DYNAMIC_DISPATCH(FindMatch)(patterns, bias, block, value);
}

}  // namespace mmp
#endif  // HWY_ONCE
