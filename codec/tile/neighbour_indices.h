// The models of indices with tool kNeighbourIndices: an index is coded as a class of patterns and
// which of the class it is, by the counts, and by what the neighbours of a leaf make of them.
// Normative: docs/format-indices.md, "Decoding an index".
#ifndef MMP_CODEC_TILE_NEIGHBOUR_INDICES_H_
#define MMP_CODEC_TILE_NEIGHBOUR_INDICES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "codec/bitstream/context_models.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/index_classes.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"

namespace mmp {

// The powers of counts that classes and their members are estimated by, in 1/16.
inline constexpr int kClassPower = 12, kMemberPower = 13;

// Of the classes of a level, by estimator: the sums of their members' counts.
using ClassCounts = std::array<std::array<uint32_t, kPatternClasses>, IndexModel::kEstimators>;

// counted[k]: what the mixture makes of the counts of class k; weighed[k] =
// 2^(kClassPower / 16 log2(counted[k]) + s) with piecewise linear logarithms, s being what the
// context makes of its centre, see IndexClasses::Centres; 0 if counted[k] is 0. Returns the sum of
// weighed.
uint32_t WeighClasses(const IndexModel::Mixture& mixture, const ClassCounts& counts,
                      const uint32_t* members, const uint8_t* centres, const IndexContext& context,
                      uint32_t* counted, uint32_t* weighed);
// weighed[i] = 2^(kMemberPower / 16 log2(c) + s), c being what the mixture makes of the counts of
// member i of the group, s what the context makes of its features; 0 behind the first `count`, up
// to PatternGroup::kMost. Returns the sum of weighed.
uint32_t WeighMembers(const IndexModel::Mixture& mixture, const PatternGroup& group, int count,
                      const IndexContext& context, uint32_t* weighed);
// The same in plain integers, as it is specified: what these are compared with.
uint32_t PlainWeighClasses(const IndexModel::Mixture& mixture, const ClassCounts& counts,
                           const uint32_t* members, const uint8_t* centres,
                           const IndexContext& context, uint32_t* counted, uint32_t* weighed);
uint32_t PlainWeighMembers(const IndexModel::Mixture& mixture, const PatternGroup& group, int count,
                           const IndexContext& context, uint32_t* weighed);

// What is counted of the classes of a level: sums of the counts of their patterns.
class CountedClasses {
 public:
  // Brings them up to date with the patterns, and where counts have been halved. `counts` has one
  // of each of the patterns.
  void Follow(const IndexModel& counts, const ClassedPatterns& patterns);
  // Counts a pattern, which is of class `which`, here and there.
  void Count(int symbol, int which, IndexModel& counts);

  const ClassCounts& counts() const { return sums_; }
  int patterns() const { return followed_; }

 private:
  // Of so many of the level's patterns, and as often as the estimators have been halved.
  ClassCounts sums_{};
  int followed_ = 0;
  std::array<uint32_t, IndexModel::kEstimators> halvings_{};
};

// Of the indices of a level. The counts of classes are mixed with their power of 3/4, which trusts
// them less, times what the context says of the classes, by how well each has predicted so far;
// the patterns of a class have the power of 13/16 of theirs, times what it says of them.
class NeighbourIndices {
 public:
  struct Intervals {
    SymbolInterval of_class, within;
  };

  // `classes` are those of the level, `patterns` its patterns, of which `counts` has one each, and
  // `counted` has followed both. These learn the symbol by CountedClasses::Count alone.
  Intervals Encode(const IndexModel& counts, const CountedClasses& counted,
                   const IndexClasses& classes, const ClassedPatterns& patterns,
                   const IndexContext& context, int symbol);
  int Decode(RangeDecoder& coder, const IndexModel& counts, const CountedClasses& counted,
             const IndexClasses& classes, const ClassedPatterns& patterns,
             const IndexContext& context);

 private:
  static constexpr uint32_t kWeightUnit = 1u << 16;
  static constexpr uint32_t kShare = 256;  // least weight

  // Over classes: their members, counts and weighed counts.
  struct ClassSums {
    uint32_t members = 0;
    uint64_t counted = 0, weighed = 0;
  };
  // What both are multiplied by in the mixture.
  struct Factors {
    uint64_t counted, weighed;
  };

  // Estimates the classes; returns the sums over all.
  ClassSums EstimateClasses(const IndexModel::Mixture& mixture, const CountedClasses& counted,
                            const IndexClasses& classes, const ClassedPatterns& patterns,
                            const IndexContext& context);
  void Add(int which, const ClassedPatterns& patterns, ClassSums& sums) const {
    sums.members += patterns.Members()[which];
    sums.counted += counted_[which];
    sums.weighed += weighed_[which];
  }
  Factors FactorsOf(const ClassSums& all) const;
  // Where the interval of a class begins, given the sums of those before it.
  static uint32_t Position(const ClassSums& before, Factors factors);
  // Learns which class it was.
  void Update(int which, Factors factors);
  // Estimates the patterns of a class; returns the sum.
  uint64_t EstimateMembers(const IndexModel::Mixture& mixture, const ClassedPatterns& patterns,
                           const IndexContext& context, int which);
  // Where the interval of number `number` of the class begins, given the sum of those before it.
  static uint32_t MemberPosition(int number, uint64_t before, uint64_t factor);

  uint32_t weight_ = kWeightUnit / 4 * 3;
  // Of the next index: estimates of the classes, and of the members of one.
  std::array<uint32_t, kPatternClasses> counted_{}, weighed_{};
  std::vector<uint32_t> member_weighed_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_NEIGHBOUR_INDICES_H_
