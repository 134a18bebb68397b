#include "codec/matcher.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/matcher.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/pair_dot-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<int32_t, 16>;
using V32 = hn::Vec<D32>;

// Blocks matched at once, and vectors of patterns beside each other: as many accumulators as there
// are registers for.
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

// Words of one pair of pixels for a tile's patterns start at group + pair * 2 * kPatternGroup + 2
// p.
template <int kBlocks>
HWY_INLINE void AccumulateTile(const int16_t* HWY_RESTRICT group, int pairs, int p,
                               const int16_t* HWY_RESTRICT blocks,
                               V32 (&sum)[kBlocks][kTileVectors]) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int32_t* words = reinterpret_cast<const int32_t*>(group) + p;
  for (int k = 0; k < pairs; ++k, words += kPatternGroup) {
    V32 pattern[kTileVectors];
    for (int v = 0; v < kTileVectors; ++v) pattern[v] = hn::LoadU(d, words + v * lanes);
    for (int b = 0; b < kBlocks; ++b) {
      const V32 pixels = hn::Set(d, LoadPair(blocks, b * pairs + k));
      for (int v = 0; v < kTileVectors; ++v)
        sum[b][v] = PairDotAdd(d, sum[b][v], pixels, pattern[v]);
    }
  }
}

template <int kBlocks>
HWY_NOINLINE void MatchTile(const PackedPatterns& patterns, const int32_t* HWY_RESTRICT bias,
                            const int16_t* HWY_RESTRICT blocks, int32_t* HWY_RESTRICT minimum) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V32 best[kBlocks];
  for (int b = 0; b < kBlocks; ++b) best[b] = hn::Set(d, kNoMatch);
  for (int g = 0; g < patterns.groups; ++g) {
    const int16_t* group = patterns.Group(g);
    for (int p = 0; p < kPatternGroup; p += kTileVectors * lanes) {
      V32 sum[kBlocks][kTileVectors];
      for (int v = 0; v < kTileVectors; ++v) {
        const V32 start = hn::LoadU(d, bias + g * kPatternGroup + p + v * lanes);
        for (int b = 0; b < kBlocks; ++b) sum[b][v] = start;
      }
      AccumulateTile<kBlocks>(group, patterns.pairs, p, blocks, sum);
      for (int b = 0; b < kBlocks; ++b) best[b] = hn::Min(best[b], hn::Min(sum[b][0], sum[b][1]));
    }
  }
  for (int b = 0; b < kBlocks; ++b) minimum[b] = hn::GetLane(hn::MinOfLanes(d, best[b]));
}

void MatchBlocks(const PackedPatterns& patterns, const int32_t* bias, const int16_t* blocks,
                 int count, int32_t* minimum) {
  const int pixels = 2 * patterns.pairs;
  for (; count >= kTileBlocks; count -= kTileBlocks) {
    MatchTile<kTileBlocks>(patterns, bias, blocks, minimum);
    blocks += kTileBlocks * pixels;
    minimum += kTileBlocks;
  }
  switch (count) {
    case 7:
      return MatchTile<7>(patterns, bias, blocks, minimum);
    case 6:
      return MatchTile<6>(patterns, bias, blocks, minimum);
    case 5:
      return MatchTile<5>(patterns, bias, blocks, minimum);
    case 4:
      return MatchTile<4>(patterns, bias, blocks, minimum);
    case 3:
      return MatchTile<3>(patterns, bias, blocks, minimum);
    case 2:
      return MatchTile<2>(patterns, bias, blocks, minimum);
    case 1:
      return MatchTile<1>(patterns, bias, blocks, minimum);
    default:
      return;
  }
}

int FindMatch(const PackedPatterns& patterns, const int32_t* bias, const int16_t* block,
              int32_t value) {
  const D32 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V32 wanted = hn::Set(d, value);
  for (int g = 0; g < patterns.groups; ++g) {
    for (int p = 0; p < kPatternGroup; p += kTileVectors * lanes) {
      V32 sum[1][kTileVectors];
      for (int v = 0; v < kTileVectors; ++v)
        sum[0][v] = hn::LoadU(d, bias + g * kPatternGroup + p + v * lanes);
      AccumulateTile<1>(patterns.Group(g), patterns.pairs, p, block, sum);
      for (int v = 0; v < kTileVectors; ++v) {
        const auto lane = hn::FindFirstTrue(d, hn::Eq(sum[0][v], wanted));
        if (lane >= 0) return g * kPatternGroup + p + v * lanes + static_cast<int>(lane);
      }
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
HWY_EXPORT(FindMatch);

void MatchBlocks(const PackedPatterns& patterns, const int32_t* bias, const int16_t* blocks,
                 int count, int32_t* minimum) {
  HWY_DYNAMIC_DISPATCH(MatchBlocks)(patterns, bias, blocks, count, minimum);
}

int FindMatch(const PackedPatterns& patterns, const int32_t* bias, const int16_t* block,
              int32_t value) {
  return HWY_DYNAMIC_DISPATCH(FindMatch)(patterns, bias, block, value);
}

}  // namespace mmp
#endif  // HWY_ONCE
