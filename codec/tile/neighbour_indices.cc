#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/tile/neighbour_indices.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "codec/base/quad_dot-inl.h"
#include "codec/tile/neighbour_indices.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A float is the piecewise linear logarithm of its value, in 2^-23: kFractionBits of them are kept.
constexpr int kFractionBits = 8;
constexpr int kToFraction = 23 - kFractionBits;
constexpr int kFloatOne = 127 << kFractionBits;
constexpr int kMost = 4 << kFractionBits;  // that the context changes a logarithm by

// Of as many quadruples of numbers as d has lanes, each in a lane.
template <class D>
HWY_INLINE hn::Vec<D> LoadQuads(D d, const uint8_t* quads) {
#if HWY_TARGET == HWY_SCALAR
  int32_t lane;
  std::memcpy(&lane, quads, sizeof lane);
  return hn::Set(d, lane);
#else
  return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, D>(), quads));
#endif
}

int SumOf(const std::array<int8_t, kPatternFeatures>& factors) {
  return std::accumulate(factors.begin(), factors.end(), 0);
}

// The sums of the lanes of both.
template <class D, class V = hn::Vec<D>>
HWY_INLINE GroupSums SumBoth(D d, V counted, V weighed) {
  (void)d;
#if HWY_TARGET == HWY_SCALAR
  return {static_cast<uint32_t>(hn::GetLane(counted)), static_cast<uint32_t>(hn::GetLane(weighed))};
#else
  // Of two lanes side by side, both in 64 bits: the lower ones do not overflow.
  const hn::Repartition<uint64_t, D> d64;
  const auto pairs =
      hn::Add(hn::InterleaveLower(d, counted, weighed), hn::InterleaveUpper(d, counted, weighed));
  const uint64_t both = hn::GetLane(hn::SumOfLanes(d64, hn::BitCast(d64, pairs)));
  return {static_cast<uint32_t>(both), static_cast<uint32_t>(both >> 32)};
#endif
}

void Weigh(const uint32_t* counts, const uint8_t* features, const IndexContext& context, int groups,
           uint32_t* weighed, GroupSums* sums) {
  static_assert(IndexContext::kMostFactor <= kMostOfQuad);
  constexpr int kQuads = kPatternFeatures / 4, kGroup = PatternFeatures::kGroup;
  const hn::CappedTag<int32_t, kGroup> d;
  const hn::RebindToFloat<decltype(d)> df;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto most = hn::Set(d, kMost), least = hn::Set(d, -kMost);
  static_assert(7 * kFloatOne % 8 == 0);
  const auto offset = hn::Set(d, kMost + kFloatOne - 7 * kFloatOne / 8);
  int32_t quads[kQuads];
  std::memcpy(quads, context.factors.data(), sizeof quads);
  const auto start = hn::Set(d, -PatternFeatures::kOffset * SumOf(context.factors));
  for (int group = 0; group < groups; ++group) {
    auto counted_sum = hn::Zero(d), weighed_sum = hn::Zero(d);
    for (int i = 0; i < kGroup; i += lanes) {
      auto sum = start;
      for (int quad = 0; quad < kQuads; ++quad)
        sum = QuadDotAdd(d, sum, LoadQuads(d, features + (quad * kGroup + i) * 4),
                         hn::Set(d, quads[quad]));
      const auto all_said = hn::ShiftRight<4>(hn::ShiftLeftSame(sum, context.shift));
      const auto said = hn::Min(hn::Max(all_said, least), most);
      const auto counted = hn::LoadU(d, reinterpret_cast<const int32_t*>(counts) + i);
      const auto number = hn::ConvertTo(df, hn::Max(counted, hn::Set(d, 1)));
      const auto log = hn::ShiftRight<kToFraction>(hn::BitCast(d, number));  // and kFloatOne
      const auto power = hn::ShiftRight<3>(hn::Sub(hn::ShiftLeft<3>(log), log));
      const auto all = hn::Add(hn::Add(power, said), offset);
      const auto value = hn::ConvertTo(d, hn::BitCast(df, hn::ShiftLeft<kToFraction>(all)));
      hn::StoreU(value, d, reinterpret_cast<int32_t*>(weighed) + i);
      counted_sum = hn::Add(counted_sum, counted);
      weighed_sum = hn::Add(weighed_sum, value);
    }
    sums[group] = SumBoth(d, counted_sum, weighed_sum);
    counts += kGroup;
    weighed += kGroup;
    features += kQuads * kGroup * 4;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {
namespace {

HWY_EXPORT(Weigh);

constexpr int kFactorShift = 24;
constexpr int kFrequencyShift = 21;

}  // namespace

void Weigh(const uint32_t* counts, const uint8_t* features, const IndexContext& context, int groups,
           uint32_t* weighed, GroupSums* sums) {
  HWY_DYNAMIC_DISPATCH(Weigh)(counts, features, context, groups, weighed, sums);
}

void PlainWeigh(const uint32_t* counts, const uint8_t* features, const IndexContext& context,
                int groups, uint32_t* weighed, GroupSums* sums) {
  constexpr int kGroup = PatternFeatures::kGroup;
  for (int group = 0; group < groups; ++group, features += kPatternFeatures * kGroup) {
    sums[group] = {};
    for (int i = 0; i < kGroup; ++i, ++counts, ++weighed) {
      int sum = 0;
      for (int k = 0; k < kPatternFeatures; ++k)
        sum += context.factors[k] *
               (features[(k / 4 * kGroup + i) * 4 + k % 4] - PatternFeatures::kOffset);
      const uint64_t count = std::max(*counts, 1u);
      const int exponent = std::bit_width(count) - 1;
      const int log = 256 * exponent + static_cast<int>((count << 8 >> exponent) % 256);
      const int all = (7 * log >> 3) + std::clamp((sum << context.shift) >> 4, -1024, 1024) + 1024;
      *weighed = static_cast<uint32_t>((uint64_t{256} + all % 256) << (all / 256) >> 8);
      sums[group].counted += *counts;
      sums[group].weighed += *weighed;
    }
  }
}

void NeighbourIndices::Estimate(const IndexModel& counts, const uint8_t* features,
                                const IndexContext& context) {
  counted_ = counts.NearFrequencies();
  const int size = counts.size(), groups = (size + kGroup - 1) / kGroup;
  weighed_.resize(static_cast<size_t>(groups) * kGroup);
  group_sums_.resize(static_cast<size_t>(groups));
  Weigh(counted_.data(), features, context, groups, weighed_.data(), group_sums_.data());
  if (size % kGroup == 0) return;
  // Behind the last pattern there is none.
  Sums last;
  for (int i = size / kGroup * kGroup; i < size; ++i) Add(i, last);
  group_sums_.back() = {static_cast<uint32_t>(last.counted), static_cast<uint32_t>(last.weighed)};
}

auto NeighbourIndices::FactorsOf(Sums all) const -> Factors {
  return {(uint64_t{kWeightUnit - weight_} << kFactorShift) / all.counted,
          (uint64_t{weight_} << kFactorShift) / all.weighed};
}

uint32_t NeighbourIndices::Position(int symbol, Sums before, Factors factors) {
  return static_cast<uint32_t>(symbol) + static_cast<uint32_t>((factors.counted * before.counted +
                                                                factors.weighed * before.weighed) >>
                                                               kFrequencyShift);
}

void NeighbourIndices::Update(int symbol, Factors factors) {
  const uint64_t counted = factors.counted * counted_[symbol];
  const uint64_t weighed = factors.weighed * weighed_[symbol];
  weight_ =
      kShare + static_cast<uint32_t>((kWeightUnit - 2 * kShare) * weighed / (counted + weighed));
}

SymbolInterval NeighbourIndices::Encode(IndexModel& counts, const uint8_t* features,
                                        const IndexContext& context, int symbol) {
  Estimate(counts, features, context);
  Sums all, before;
  const int group = symbol / kGroup;
  for (int g = 0; g < static_cast<int>(group_sums_.size()); ++g) {
    if (g == group) before = all;
    all.Add(group_sums_[g]);
  }
  for (int i = group * kGroup; i < symbol; ++i) Add(i, before);
  const Factors factors = FactorsOf(all);
  const uint32_t below = Position(symbol, before, factors);
  Add(symbol, before);
  const uint32_t end = Position(symbol + 1, before, factors);
  Update(symbol, factors);
  const uint32_t total = Position(counts.size(), all, factors);
  counts.Count(symbol);
  return {below, end - below, total};
}

// First skips whole groups, then single symbols.
int NeighbourIndices::Decode(RangeDecoder& coder, IndexModel& counts, const uint8_t* features,
                             const IndexContext& context) {
  Estimate(counts, features, context);
  Sums all;
  for (const GroupSums sums : group_sums_) all.Add(sums);
  const Factors factors = FactorsOf(all);
  const uint32_t target = coder.Target(Position(counts.size(), all, factors));
  Sums before;
  int symbol = 0;
  for (const GroupSums sums : group_sums_) {
    Sums next = before;
    next.Add(sums);
    if (Position(symbol + kGroup, next, factors) > target) break;
    before = next;
    symbol += kGroup;
  }
  uint32_t below = Position(symbol, before, factors), end;
  for (;; ++symbol) {
    Add(symbol, before);
    end = Position(symbol + 1, before, factors);
    if (end > target) break;
    below = end;
  }
  coder.Consume(below, end - below);
  Update(symbol, factors);
  counts.Count(symbol);
  return symbol;
}

}  // namespace mmp
#endif  // HWY_ONCE
