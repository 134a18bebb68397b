#include "codec/tile/neighbour_indices.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/simd_targets.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kGroup = PatternFeatures::kGroup;

constexpr int kOffset = PatternFeatures::kOffset;

std::vector<uint8_t> RandomFeatures(Random& random, int groups, int most) {
  std::vector<uint8_t> features(static_cast<size_t>(groups) * kGroup * kPatternFeatures);
  for (uint8_t& feature : features)
    feature = static_cast<uint8_t>(kOffset + random.Between(-most, most));
  return features;
}

IndexContext RandomContext(Random& random, int most, int most_shift) {
  IndexContext context;
  for (int8_t& factor : context.factors) factor = static_cast<int8_t>(random.Between(-most, most));
  context.shift = static_cast<uint8_t>(random.Between(0, most_shift));
  return context;
}

TEST(NeighbourIndicesTest, WeighsAsSpecifiedOnEveryMachine) {
  Random random(2);
  ForEachSimdTarget([&] {
    for (int k = 0; k < 60; ++k) {
      const int groups = 1 + random.Below(5);
      const size_t count = static_cast<size_t>(groups) * kGroup;
      std::vector<uint32_t> counts(count), weighed(count), expected(count);
      for (uint32_t& c : counts) c = random.Bits() >> (12 + random.Below(20));
      counts[0] = 1u << 20;
      const auto features = RandomFeatures(random, groups, k % 3 == 0 ? 127 : 20);
      const IndexContext context = RandomContext(random, k % 2 == 0 ? 63 : 20, k % 5 < 2 ? 10 : 3);
      std::vector<GroupSums> sums(groups), expected_sums(groups);
      Weigh(counts.data(), features.data(), context, groups, weighed.data(), sums.data());
      PlainWeigh(counts.data(), features.data(), context, groups, expected.data(),
                 expected_sums.data());
      ASSERT_EQ(weighed, expected);
      for (int g = 0; g < groups; ++g) {
        ASSERT_EQ(sums[g].counted, expected_sums[g].counted);
        ASSERT_EQ(sums[g].weighed, expected_sums[g].weighed);
      }
    }
  });
}

TEST(NeighbourIndicesTest, PatternsAreWeighedByTheirFeatures) {
  const std::vector<uint32_t> counts(kGroup, 256);
  std::vector<uint8_t> features(kGroup * kPatternFeatures, kOffset);
  features[4 * 1] += 16, features[4 * 2] -= 16, features[4 * 3] += 127;
  IndexContext context;
  context.factors[0] = 32;
  context.shift = 3;
  std::vector<uint32_t> weighed(kGroup);
  GroupSums sums;
  Weigh(counts.data(), features.data(), context, 1, weighed.data(), &sums);
  // The power of 7/8 of 256 is 2^7, and there are four bits more.
  EXPECT_EQ(weighed[0], 1u << 11);
  EXPECT_EQ(weighed[1], 1u << 12);
  EXPECT_EQ(weighed[2], 1u << 10);
  EXPECT_EQ(weighed[3], 1u << 15);  // a factor of 16 at most
}

struct CodedIndex {
  IndexContext context;
  int index;
};

double Bits(const std::vector<CodedIndex>& indices, const std::vector<uint8_t>& features,
            bool is_mixed, int symbols, RangeEncoder& encoder) {
  IndexModel counts(is_mixed);
  counts.Add(symbols, 4, PatternOrigin::kInitial);
  NeighbourIndices model;
  double bits = 0;
  for (const CodedIndex& coded : indices) {
    const SymbolInterval interval =
        model.Encode(counts, features.data(), coded.context, coded.index);
    EXPECT_LE(interval.cumulative + interval.frequency, interval.total);
    EXPECT_LE(interval.total, kMaxFrequencyTotal);
    bits += interval.RateQ12() / 4096.0;
    encoder.Encode(interval);
  }
  return bits;
}

TEST(NeighbourIndicesTest, DecodesWhatItEncodes) {
  Random random(4);
  for (const bool is_mixed : {false, true}) {
    for (const int symbols : {1, 31, 32, 500, 1024, 1 << 16}) {
      const int groups = (symbols + kGroup - 1) / kGroup;
      const auto features = RandomFeatures(random, groups, 127);
      std::vector<CodedIndex> indices(symbols > 1024 ? 30 : 2000);
      for (CodedIndex& coded : indices)
        coded = {RandomContext(random, 63, 3), random.Below(symbols)};
      RangeEncoder encoder;
      Bits(indices, features, is_mixed, symbols, encoder);
      const std::vector<uint8_t> stream = encoder.Finish();
      RangeDecoder decoder(stream);
      IndexModel counts(is_mixed);
      counts.Add(symbols, 4, PatternOrigin::kInitial);
      NeighbourIndices model;
      for (const CodedIndex& coded : indices)
        ASSERT_EQ(model.Decode(decoder, counts, features.data(), coded.context), coded.index);
    }
  }
}

// What a context says is believed as far as it has been right.
TEST(NeighbourIndicesTest, IsNotMisledForLong) {
  constexpr int kSymbols = 256;
  Random random(6);
  const auto features = RandomFeatures(random, kSymbols / kGroup, 64);
  IndexContext context;
  context.factors[0] = 50;
  context.shift = 3;
  std::vector<CodedIndex> right, wrong;
  for (int k = 0; k < 2000; ++k) {
    const int index = random.Below(kSymbols);
    const int feature = features[index / kGroup * kGroup * kPatternFeatures + index % kGroup * 4];
    (feature > kOffset ? right : wrong).push_back({context, index});
  }
  const size_t count = std::min(right.size(), wrong.size());
  right.resize(count);
  wrong.resize(count);
  RangeEncoder first, second;
  EXPECT_LT(Bits(right, features, true, kSymbols, first), 7.7 * static_cast<double>(count));
  EXPECT_LT(Bits(wrong, features, true, kSymbols, second), 8.2 * static_cast<double>(count));
}

}  // namespace
}  // namespace mmp
