#include "codec/tile/neighbour_indices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/indices.h"
#include "tests/support/simd_targets.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

IndexClasses RandomClasses(Random& random, int most) {
  std::array<uint8_t, kPatternFeatures> weights;
  for (uint8_t& weight : weights) weight = static_cast<uint8_t>(random.Below(256));
  std::array<FeaturesOfPattern, kPatternClasses> centres;
  for (FeaturesOfPattern& centre : centres) centre = RandomFeatures(random, most);
  return {weights, centres};
}

ClassedPatterns RandomPatterns(Random& random, const IndexClasses& classes, int count, int most) {
  ClassedPatterns patterns;
  for (int i = 0; i < count; ++i) {
    const FeaturesOfPattern features = RandomFeatures(random, most);
    patterns.Add(features, classes.Of(features));
  }
  return patterns;
}

// What an index model may make of counts, of one estimator or three.
IndexModel::Mixture RandomMixture(Random& random, bool is_mixed,
                                  const std::array<std::vector<uint32_t>, 3>& counts) {
  if (!is_mixed) return {{counts[0].data(), counts[0].data(), counts[0].data()}, {1, 0, 0}, 0, 0};
  IndexModel::Mixture mixture = {{counts[0].data(), counts[1].data(), counts[2].data()}, {}, 1, 11};
  for (uint32_t& factor : mixture.factors) factor = random.Bits() >> (14 + random.Below(8));
  return mixture;
}

TEST(NeighbourIndicesTest, WeighsAsSpecifiedOnEveryMachine) {
  Random random(2);
  ForEachSimdTarget([&] {
    for (int round = 0; round < 60; ++round) {
      const bool is_mixed = round % 4 > 0;
      const int most = round % 3 == 0 ? 127 : 20;
      const IndexClasses classes = RandomClasses(random, most);
      const ClassedPatterns patterns = RandomPatterns(random, classes, 40, most);
      const IndexContext context =
          RandomContext(random, round % 2 == 0 ? 63 : 20, round % 5 < 2 ? 10 : 3);
      std::array<std::vector<uint32_t>, 3> counts;
      ClassCounts class_counts{};
      for (int e = 0; e < 3; ++e) {
        for (int i = 0; i < 40; ++i)
          counts[e].push_back(1 + (random.Bits() >> (14 + random.Below(16))));
        for (int i = 0; i < 40; ++i) class_counts[e][patterns.ClassOf(i)] += counts[e][i];
      }
      const IndexModel::Mixture mixture = RandomMixture(random, is_mixed, counts);

      std::array<uint32_t, kPatternClasses> counted, weighed, expected_counted, expected;
      const uint32_t sum = WeighClasses(mixture, class_counts, patterns.Members().data(),
                                        classes.Centres(), context, counted.data(), weighed.data());
      EXPECT_EQ(sum, PlainWeighClasses(mixture, class_counts, patterns.Members().data(),
                                       classes.Centres(), context, expected_counted.data(),
                                       expected.data()));
      ASSERT_EQ(counted, expected_counted);
      ASSERT_EQ(weighed, expected);
      for (int k = 0; k < kPatternClasses; ++k) {
        ASSERT_EQ(weighed[k] > 0, patterns.Members()[k] > 0);
        patterns.ForGroups(k, [&](const PatternGroup& group, int count) {
          std::array<uint32_t, PatternGroup::kMost> of_members, expected_of_members;
          const uint32_t all = WeighMembers(mixture, group, count, context, of_members.data());
          EXPECT_EQ(all,
                    PlainWeighMembers(mixture, group, count, context, expected_of_members.data()));
          ASSERT_EQ(of_members, expected_of_members);
          for (int i = 0; i < PatternGroup::kMost; ++i) ASSERT_EQ(of_members[i] > 0, i < count);
        });
      }
    }
  });
}

TEST(NeighbourIndicesTest, PatternsAreWeighedByTheirFeatures) {
  const std::vector<uint32_t> counts(4, 1u << 16);
  const IndexModel::Mixture mixture = {
      {counts.data(), counts.data(), counts.data()}, {1, 0, 0}, 0, 0};
  ClassedPatterns patterns;
  for (const int first : {0, 16, -16, 127}) patterns.Add({static_cast<int8_t>(first)}, 5);
  IndexContext context;
  context.factors[0] = 32;
  context.shift = 3;
  std::array<uint32_t, PatternGroup::kMost> weighed;
  patterns.ForGroups(5, [&](const PatternGroup& group, int count) {
    WeighMembers(mixture, group, count, context, weighed.data());
  });
  // The power of 13/16 of 2^16 is 2^13, and there are four bits more.
  EXPECT_EQ(weighed[0], 1u << 17);
  EXPECT_EQ(weighed[1], 1u << 18);
  EXPECT_EQ(weighed[2], 1u << 16);
  EXPECT_EQ(weighed[3], 1u << 21);  // a factor of 16 at most
  EXPECT_EQ(weighed[4], 0u);

  ClassCounts class_counts{};
  class_counts[0][7] = 1u << 16;
  std::array<uint32_t, kPatternClasses> of_classes, counted;
  const std::vector<uint8_t> centres(kPatternClasses * kPatternFeatures, PatternGroup::Stored(16));
  EXPECT_EQ(WeighClasses(mixture, class_counts, patterns.Members().data(), centres.data(), context,
                         counted.data(), of_classes.data()),
            1u << 17);  // the power of 3/4 is 2^12
  EXPECT_EQ(counted[7], 1u << 16);
  EXPECT_EQ(of_classes[7], 1u << 17);
}

struct CodedIndex {
  IndexContext context;
  int index;
};

double Bits(const std::vector<CodedIndex>& indices, const IndexClasses& classes,
            const ClassedPatterns& patterns, bool is_mixed, RangeEncoder& encoder) {
  IndexModel counts(is_mixed);
  counts.Add(patterns.size(), 4, PatternOrigin::kInitial);
  CountedClasses counted;
  NeighbourIndices model;
  double bits = 0;
  for (const CodedIndex& coded : indices) {
    counted.Follow(counts, patterns);
    const auto [of_class, within] =
        model.Encode(counts, counted, classes, patterns, coded.context, coded.index);
    counted.Count(coded.index, patterns.ClassOf(coded.index), counts);
    for (const SymbolInterval& interval : {of_class, within}) {
      EXPECT_LE(interval.cumulative + interval.frequency, interval.total);
      EXPECT_LE(interval.total, kMaxFrequencyTotal);
      bits += interval.RateQ12() / 4096.0;
      encoder.Encode(interval);
    }
  }
  return bits;
}

TEST(NeighbourIndicesTest, DecodesWhatItEncodes) {
  Random random(4);
  const IndexClasses classes = RandomClasses(random, 64);
  for (const bool is_mixed : {false, true}) {
    for (const int symbols : {1, 31, 32, 500, 1024, 1 << 16}) {
      // All in one class is the worst that there can be.
      for (const bool is_one_class : {false, true}) {
        ClassedPatterns patterns;
        for (int i = 0; i < symbols; ++i) {
          const FeaturesOfPattern features = RandomFeatures(random, 127);
          patterns.Add(features, is_one_class ? 31 : classes.Of(features));
        }
        std::vector<CodedIndex> indices(symbols > 1024 ? 30 : 2000);
        for (CodedIndex& coded : indices)
          coded = {RandomContext(random, 63, 3), random.Below(symbols)};
        RangeEncoder encoder;
        Bits(indices, classes, patterns, is_mixed, encoder);
        const std::vector<uint8_t> stream = encoder.Finish();
        RangeDecoder decoder(stream);
        IndexModel counts(is_mixed);
        counts.Add(symbols, 4, PatternOrigin::kInitial);
        CountedClasses counted;
        NeighbourIndices model;
        for (const CodedIndex& coded : indices) {
          counted.Follow(counts, patterns);
          ASSERT_EQ(model.Decode(decoder, counts, counted, classes, patterns, coded.context),
                    coded.index);
          counted.Count(coded.index, patterns.ClassOf(coded.index), counts);
        }
      }
    }
  }
}

// What a context says is believed as far as it has been right.
TEST(NeighbourIndicesTest, IsNotMisledForLong) {
  constexpr int kSymbols = 256;
  Random random(6);
  const IndexClasses classes = RandomClasses(random, 64);
  const ClassedPatterns patterns = RandomPatterns(random, classes, kSymbols, 64);
  IndexContext context;
  context.factors[0] = 50;
  context.shift = 3;
  std::vector<CodedIndex> right, wrong;
  for (int k = 0; k < 2000; ++k) {
    const int index = random.Below(kSymbols);
    (patterns.Of(index)[0] > 0 ? right : wrong).push_back({context, index});
  }
  const size_t count = std::min(right.size(), wrong.size());
  right.resize(count);
  wrong.resize(count);
  RangeEncoder first, second;
  EXPECT_LT(Bits(right, classes, patterns, true, first), 7.7 * static_cast<double>(count));
  EXPECT_LT(Bits(wrong, classes, patterns, true, second), 9.2 * static_cast<double>(count));
}

}  // namespace
}  // namespace mmp
