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
#include <utility>

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

// What a context makes of the counts of patterns, as many as d has lanes.
template <class D>
class Weigher {
 public:
  using V = hn::Vec<D>;

  Weigher(D d, const IndexContext& context, int power)
      : d_(d),
        shift_(context.shift),
        start_(hn::Set(d, -PatternGroup::kOffset * SumOf(context.factors))),
        offset_(hn::Set(d, kMost + kFloatOne - power * kFloatOne / 16)),
        power_(hn::Set(d, power)) {
    static_assert(IndexContext::kMostFactor <= kMostOfQuad && kFloatOne % 16 == 0);
    std::memcpy(quads_, context.factors.data(), sizeof quads_);
  }

  // `features`: of the first of them in its group.
  HWY_INLINE V operator()(V counted, const uint8_t* features) const {
    const hn::RebindToFloat<D> df;
    const V most = hn::Set(d_, kMost), least = hn::Set(d_, -kMost);
    V sum = start_;
    for (int quad = 0; quad < kQuads; ++quad)
      sum = QuadDotAdd(d_, sum, LoadQuads(d_, features + quad * PatternGroup::kMost * 4),
                       hn::Set(d_, quads_[quad]));
    const V all_said = hn::ShiftRight<4>(hn::ShiftLeftSame(sum, shift_));
    const V said = hn::Min(hn::Max(all_said, least), most);
    const V log = hn::ShiftRight<kToFraction>(  // and kFloatOne
        hn::BitCast(d_, hn::ConvertTo(df, hn::Max(counted, hn::Set(d_, 1)))));
    const V all = hn::Add(hn::Add(hn::ShiftRight<4>(hn::Mul(log, power_)), said), offset_);
    return hn::IfThenZeroElse(hn::Eq(counted, hn::Zero(d_)),
                              hn::ConvertTo(d_, hn::BitCast(df, hn::ShiftLeft<kToFraction>(all))));
  }

 private:
  static constexpr int kQuads = kPatternFeatures / 4;

  const D d_;
  const int shift_;
  const V start_, offset_, power_;
  int32_t quads_[kQuads];
};

uint32_t WeighClasses(const IndexModel::Mixture& mixture, const ClassCounts& counts,
                      const uint32_t* members, const uint8_t* centres, const IndexContext& context,
                      uint32_t* counted, uint32_t* weighed) {
  const hn::CappedTag<int32_t, PatternGroup::kMost> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Weigher weigh(d, context, kClassPower);
  auto load = [d](const auto* from)
                  HWY_ATTR { return hn::LoadU(d, reinterpret_cast<const int32_t*>(from)); };
  auto total = hn::Zero(d);
  for (int k = 0; k < kPatternClasses; k += lanes) {
    auto sum = hn::Zero(d);
    for (int e = 0; e < IndexModel::kEstimators; ++e)
      sum = hn::Add(
          sum, hn::Mul(load(&counts[e][k]), hn::Set(d, static_cast<int32_t>(mixture.factors[e]))));
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto mixed = hn::BitCast(d, hn::ShiftRightSame(hn::BitCast(du, sum), mixture.shift));
    const auto each = hn::Set(d, static_cast<int32_t>(mixture.each));
    const auto of_classes = hn::Add(hn::Mul(load(members + k), each), mixed);
    const auto value = weigh(of_classes, centres + PatternGroup::Place(k, 0));
    hn::StoreU(of_classes, d, reinterpret_cast<int32_t*>(counted) + k);
    hn::StoreU(value, d, reinterpret_cast<int32_t*>(weighed) + k);
    total = hn::Add(total, value);
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, total)));
}

uint32_t WeighMembers(const IndexModel::Mixture& mixture, const PatternGroup& group, int count,
                      const IndexContext& context, uint32_t* weighed) {
  const hn::CappedTag<int32_t, PatternGroup::kMost> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Weigher weigh(d, context, kMemberPower);
  auto total = hn::Zero(d);
  for (int i = 0; i < PatternGroup::kMost; i += lanes) {
    const auto members = hn::PromoteTo(d, hn::LoadU(d16, group.members.data() + i));
    auto sum = hn::Zero(d);
    for (int e = 0; e < IndexModel::kEstimators; ++e)
      sum = hn::Add(
          sum,
          hn::Mul(hn::GatherIndex(d, reinterpret_cast<const int32_t*>(mixture.counts[e]), members),
                  hn::Set(d, static_cast<int32_t>(mixture.factors[e]))));
    const auto mixed =
        hn::Add(hn::BitCast(d, hn::ShiftRightSame(hn::BitCast(du, sum), mixture.shift)),
                hn::Set(d, static_cast<int32_t>(mixture.each)));
    const auto is_member = hn::Lt(hn::Iota(d, i), hn::Set(d, count));
    const auto value = weigh(hn::IfThenElseZero(is_member, mixed),
                             group.features.data() + PatternGroup::Place(i, 0));
    hn::StoreU(value, d, reinterpret_cast<int32_t*>(weighed) + i);
    total = hn::Add(total, value);
  }
  return static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(d, total)));
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {
namespace {

HWY_EXPORT(WeighClasses);
HWY_EXPORT(WeighMembers);

constexpr int kFactorShift = 24;
constexpr int kFrequencyShift = 21;
constexpr int kMemberShift = 40;  // of the factor of members

}  // namespace

uint32_t WeighClasses(const IndexModel::Mixture& mixture, const ClassCounts& counts,
                      const uint32_t* members, const uint8_t* centres, const IndexContext& context,
                      uint32_t* counted, uint32_t* weighed) {
  return HWY_DYNAMIC_DISPATCH(WeighClasses)(mixture, counts, members, centres, context, counted,
                                            weighed);
}

uint32_t WeighMembers(const IndexModel::Mixture& mixture, const PatternGroup& group, int count,
                      const IndexContext& context, uint32_t* weighed) {
  return HWY_DYNAMIC_DISPATCH(WeighMembers)(mixture, group, count, context, weighed);
}

namespace {

// 2^(power / 16 log2(count) + s), s being what the context makes of the features of number i.
uint32_t PlainWeigh(uint32_t count, const uint8_t* features, int i, const IndexContext& context,
                    int power) {
  if (count == 0) return 0;
  int sum = 0;
  for (int k = 0; k < kPatternFeatures; ++k)
    sum += context.factors[k] * PatternGroup::Feature(features, i, k);
  const int exponent = std::bit_width(count) - 1;
  const int log = 256 * exponent + static_cast<int>((uint64_t{count} << 8 >> exponent) % 256);
  const int all = (power * log >> 4) + std::clamp((sum << context.shift) >> 4, -1024, 1024) + 1024;
  return static_cast<uint32_t>((uint64_t{256} + all % 256) << (all / 256) >> 8);
}

}  // namespace

uint32_t PlainWeighClasses(const IndexModel::Mixture& mixture, const ClassCounts& counts,
                           const uint32_t* members, const uint8_t* centres,
                           const IndexContext& context, uint32_t* counted, uint32_t* weighed) {
  uint32_t total = 0;
  for (int k = 0; k < kPatternClasses; ++k) {
    counted[k] =
        mixture.Of(static_cast<int>(members[k]), {counts[0][k], counts[1][k], counts[2][k]});
    total += weighed[k] = PlainWeigh(counted[k], centres, k, context, kClassPower);
  }
  return total;
}

uint32_t PlainWeighMembers(const IndexModel::Mixture& mixture, const PatternGroup& group, int count,
                           const IndexContext& context, uint32_t* weighed) {
  uint32_t total = 0;
  for (int i = 0; i < PatternGroup::kMost; ++i) {
    const int member = group.members[i];
    const uint32_t counted = mixture.Of(
        1, {mixture.counts[0][member], mixture.counts[1][member], mixture.counts[2][member]});
    total += weighed[i] =
        PlainWeigh(i < count ? counted : 0, group.features.data(), i, context, kMemberPower);
  }
  return total;
}

void CountedClasses::Follow(const IndexModel& counts, const ClassedPatterns& patterns) {
  const int size = counts.size();
  for (int e = 0; e < IndexModel::kEstimators; ++e) {
    std::array<uint32_t, kPatternClasses>& sums = sums_[e];
    const uint32_t halvings = counts.halvings()[e];
    const bool is_halved = std::exchange(halvings_[e], halvings) != halvings;
    if (is_halved) sums.fill(0);
    for (int i = is_halved ? 0 : followed_; i < size; ++i)
      sums[patterns.ClassOf(i)] += counts.CountsOf(e)[i];
  }
  followed_ = size;
}

void CountedClasses::Count(int symbol, int which, IndexModel& counts) {
  counts.Count(symbol);
  for (int e = 0; e < IndexModel::kEstimators; ++e) sums_[e][which] += counts.Increment(e);
}

auto NeighbourIndices::EstimateClasses(const IndexModel::Mixture& mixture,
                                       const CountedClasses& counted_classes,
                                       const IndexClasses& classes, const ClassedPatterns& patterns,
                                       const IndexContext& context) -> ClassSums {
  ClassSums all = {.members = static_cast<uint32_t>(counted_classes.patterns())};
  all.weighed = WeighClasses(mixture, counted_classes.counts(), patterns.Members().data(),
                             classes.Centres(), context, counted_.data(), weighed_.data());
  for (const uint32_t counted : counted_) all.counted += counted;
  return all;
}

auto NeighbourIndices::FactorsOf(const ClassSums& all) const -> Factors {
  return {(uint64_t{kWeightUnit - weight_} << kFactorShift) / all.counted,
          (uint64_t{weight_} << kFactorShift) / all.weighed};
}

uint32_t NeighbourIndices::Position(const ClassSums& before, Factors factors) {
  return before.members + static_cast<uint32_t>((factors.counted * before.counted +
                                                 factors.weighed * before.weighed) >>
                                                kFrequencyShift);
}

void NeighbourIndices::Update(int which, Factors factors) {
  const uint64_t counted = factors.counted * counted_[which];
  const uint64_t weighed = factors.weighed * weighed_[which];
  weight_ =
      kShare + static_cast<uint32_t>((kWeightUnit - 2 * kShare) * weighed / (counted + weighed));
}

uint64_t NeighbourIndices::EstimateMembers(const IndexModel::Mixture& mixture,
                                           const ClassedPatterns& patterns,
                                           const IndexContext& context, int which) {
  const int groups =
      (static_cast<int>(patterns.Members()[which]) + PatternGroup::kMost - 1) / PatternGroup::kMost;
  member_weighed_.resize(static_cast<size_t>(groups) * PatternGroup::kMost);
  uint32_t* weighed = member_weighed_.data();
  uint64_t total = 0;
  patterns.ForGroups(which, [&](const PatternGroup& group, int count) {
    total += WeighMembers(mixture, group, count, context, weighed);
    weighed += PatternGroup::kMost;
  });
  return total;
}

uint32_t NeighbourIndices::MemberPosition(int number, uint64_t before, uint64_t factor) {
  return static_cast<uint32_t>(number) + static_cast<uint32_t>(factor * before >> kFrequencyShift);
}

auto NeighbourIndices::Encode(const IndexModel& counts, const CountedClasses& counted,
                              const IndexClasses& classes, const ClassedPatterns& patterns,
                              const IndexContext& context, int symbol) -> Intervals {
  const IndexModel::Mixture mixture = counts.Mix();
  const int which = patterns.ClassOf(symbol);
  Intervals intervals;
  {
    const ClassSums all = EstimateClasses(mixture, counted, classes, patterns, context);
    const Factors factors = FactorsOf(all);
    ClassSums before;
    for (int k = 0; k < which; ++k) Add(k, patterns, before);
    const uint32_t below = Position(before, factors);
    Add(which, patterns, before);
    intervals.of_class = {below, Position(before, factors) - below, Position(all, factors)};
    Update(which, factors);
  }
  const uint64_t all = EstimateMembers(mixture, patterns, context, which);
  const uint64_t factor = (uint64_t{1} << kMemberShift) / all;
  uint64_t sum = 0, before = 0;
  int number = 0, own = 0;
  patterns.ForGroups(which, [&](const PatternGroup& group, int count) {
    for (int i = 0; i < count; ++i, ++number) {
      if (group.members[i] == symbol) own = number, before = sum;
      sum += member_weighed_[number];
    }
  });
  const uint32_t below = MemberPosition(own, before, factor);
  const uint32_t end = MemberPosition(own + 1, before + member_weighed_[own], factor);
  intervals.within = {below, end - below, MemberPosition(number, all, factor)};
  return intervals;
}

int NeighbourIndices::Decode(RangeDecoder& coder, const IndexModel& counts,
                             const CountedClasses& counted, const IndexClasses& classes,
                             const ClassedPatterns& patterns, const IndexContext& context) {
  const IndexModel::Mixture mixture = counts.Mix();
  int which = 0;
  {
    const ClassSums all = EstimateClasses(mixture, counted, classes, patterns, context);
    const Factors factors = FactorsOf(all);
    const uint32_t target = coder.Target(Position(all, factors));
    ClassSums before;
    uint32_t below = 0, end;
    for (;; ++which) {
      Add(which, patterns, before);
      end = Position(before, factors);
      if (end > target) break;
      below = end;
    }
    coder.Consume(below, end - below);
    Update(which, factors);
  }
  const int members = static_cast<int>(patterns.Members()[which]);
  const uint64_t all = EstimateMembers(mixture, patterns, context, which);
  const uint64_t factor = (uint64_t{1} << kMemberShift) / all;
  const uint32_t target = coder.Target(MemberPosition(members, all, factor));
  int number = 0;
  uint32_t below = 0, end;
  for (uint64_t sum = 0;; ++number) {
    sum += member_weighed_[number];
    end = MemberPosition(number + 1, sum, factor);
    if (end > target) break;
    below = end;
  }
  coder.Consume(below, end - below);
  int symbol = 0;
  patterns.ForGroups(which, [&](const PatternGroup& group, int count) {
    if (number >= 0 && number < count) symbol = group.members[number];
    number -= count;
  });
  return symbol;
}

}  // namespace mmp
#endif  // HWY_ONCE
