#include "codec/tile/flag_models.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "codec/bitstream/logistic.h"
#include "codec/bitstream/range_coder.h"
#include "tests/support/simd_targets.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

FlagFeatures RandomFeatures(Random& random) {
  FlagFeatures features;
  for (int16_t& feature : features) feature = static_cast<int16_t>(random.Between(-127, 127));
  return features;
}

TEST(FlagNetworkTest, LogitIsAsSpecifiedOnEveryMachine) {
  Random random(1);
  FlagNetwork extreme;
  for (auto& pair : extreme.hidden)
    for (auto& unit : pair)
      for (int16_t& weight : unit) weight = random.OneIn(2) ? 8191 : -8191;
  for (auto& level : extreme.hidden_bias)
    for (int16_t& bias : level) bias = static_cast<int16_t>(random.Between(-8191, 8191));
  for (int16_t& weight : extreme.output) weight = 8191;
  for (int16_t& weight : extreme.direct) weight = -8191;
  for (int16_t& bias : extreme.bias) bias = -8191;
  ForEachSimdTarget([&] {
    for (int k = 0; k < 300; ++k) {
      const FlagNetwork& network =
          k % 7 == 6 ? extreme : NetworkOf(static_cast<FlagDecision>(k % kFlagDecisions));
      const int most = k % 3 == 0 ? 127 : 16;
      FlagInputs inputs;
      for (int16_t& x : inputs) x = static_cast<int16_t>(random.Between(-most, most));
      if (k % 11 == 0) inputs.fill(127);
      const int level = random.Below(kLevelCount);
      ASSERT_EQ(network.Logit(level, inputs), network.PlainLogit(level, inputs)) << k;
    }
  });
}

// A flag, and where it stands.
struct Flag {
  bool is_partition;
  int level, context, symbol;
  uint32_t allowed;
  FlagFeatures features;

  FlagPlace place() const { return {level, context, features}; }
};

Flag RandomFlag(Random& random) {
  Flag flag = {random.OneIn(2), 0, random.Below(LeafMap::kContexts), 0, 0, RandomFeatures(random)};
  do {
    flag.level = random.Below(kLevelCount);
    flag.allowed = flag.is_partition ? AllowedPartitions(flag.level, random.Below(26))
                                     : AllowedResidualFlags(flag.level);
  } while (std::has_single_bit(flag.allowed));
  do {
    flag.symbol = random.Below(std::bit_width(flag.allowed));
  } while ((flag.allowed >> flag.symbol & 1) == 0);
  return flag;
}

template <typename Bit>
int Code(FlagModels& models, const Flag& flag, Bit bit) {
  return flag.is_partition ? models.CodePartition(flag.place(), flag.allowed, bit)
                           : models.CodeResidualFlag(flag.place(), flag.allowed, bit);
}

TEST(FlagModelsTest, WhatIsWrittenIsRead) {
  Random random(2);
  constexpr int kFlags = 3000;
  std::vector<Flag> flags;
  flags.reserve(kFlags);
  for (int i = 0; i < kFlags; ++i) flags.push_back(RandomFlag(random));
  RangeEncoder encoder;
  FlagModels written;
  for (const Flag& flag : flags) {
    const int symbol = Code(written, flag, [&](FlagDecision decision, int p) {
      encoder.Encode(BitInterval(FlagBit(decision, flag.symbol), static_cast<uint32_t>(p)));
      return FlagBit(decision, flag.symbol);
    });
    ASSERT_EQ(symbol, flag.symbol) << "the decisions tell another flag";
  }
  const std::vector<uint8_t> bytes = encoder.Finish();
  RangeDecoder decoder(bytes);
  FlagModels read;
  for (const Flag& flag : flags) {
    const int symbol = Code(read, flag, [&](FlagDecision /*decision*/, int p) {
      return DecodeBit(decoder, static_cast<uint32_t>(p));
    });
    ASSERT_EQ(symbol, flag.symbol);
  }
  EXPECT_TRUE(decoder.AllRead());
  EXPECT_FALSE(decoder.Overrun());
}

// Whatever the bits of a stream are, what they say is allowed.
TEST(FlagModelsTest, AnyBitsTellAFlagThatIsAllowed) {
  Random random(3);
  FlagModels models;
  for (int i = 0; i < 5000; ++i) {
    const Flag flag = RandomFlag(random);
    const int symbol = Code(models, flag, [&](FlagDecision /*decision*/, int p) {
      EXPECT_GE(p, 32);
      EXPECT_LE(p, kProbabilityUnit - 32);
      return random.Below(2);
    });
    ASSERT_NE(flag.allowed >> symbol & 1, 0u);
  }
}

// What the network does not know is learnt.
TEST(FlagModelsTest, LearnsFromTheTile) {
  Random random(4);
  const FlagFeatures features = {};
  for (const auto decision : {FlagDecision::kCutBoth, FlagDecision::kCutPartWay}) {
    DecisionModel model(decision);
    double bits_at_first = 0, bits_later = 0;
    for (int i = 0; i < 2000; ++i) {
      // At this context, nearly always a 1; at the other, nearly always a 0.
      const int context = random.Below(2);
      const int bit = random.OneIn(20) ? 1 - context : context;
      model.Code({kMacroblockLevel, context, features}, [&](int p) {
        const double of_bit = (bit == 1 ? p : kProbabilityUnit - p) / double{kProbabilityUnit};
        (i < 200 ? bits_at_first : bits_later) -= std::log2(of_bit);
        return bit;
      });
    }
    EXPECT_LT(bits_later / 1800, 0.40) << "the entropy is 0.29";
    EXPECT_LT(bits_later / 1800, bits_at_first / 200);
  }
}

}  // namespace
}  // namespace mmp
