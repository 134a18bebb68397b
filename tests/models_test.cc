#include "codec/models.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/test_support.h"

namespace mmp {
namespace {

constexpr double kUnit = 1 << kRateShift;    // of rates, in a bit
constexpr double kLogTolerance = 1.0 / 700;  // bits

TEST(Log2Test, PowersOfTwoAreExact) {
  for (int k = 0; k < 32; ++k) EXPECT_EQ(Log2Q12(1u << k), k << kRateShift);
}

TEST(Log2Test, GrowsAndIsNearlyTheLogarithm) {
  int32_t last = 0;
  auto check = [&last](uint32_t value) {
    const int32_t log = Log2Q12(value);
    ASSERT_GE(log, last) << value;
    const double error = std::log2(value) - log / kUnit;
    ASSERT_GE(error, -1e-9) << value;
    ASSERT_LE(error, kLogTolerance) << value;
    last = log;
  };
  for (uint32_t value = 1; value <= 1u << 17; ++value) check(value);
  for (uint64_t value = 1u << 17; value <= 0xffffffffu; value += 1 + value / 5000)
    check(static_cast<uint32_t>(value));
  check(0xffffffffu);
}

// SymbolModel as its contract has it, on plain counts.
template <int N>
struct PlainSymbols {
  std::vector<uint32_t> counts = std::vector<uint32_t>(N, SymbolModel<N>::kIncrement / 2);

  uint32_t Total(uint32_t allowed) const {
    uint32_t total = 0;
    for (int s = 0; s < N; ++s)
      if ((allowed >> s & 1) != 0) total += counts[s];
    return total;
  }
  uint32_t Below(int symbol, uint32_t allowed) const {
    return Total(allowed & ((1u << symbol) - 1));
  }
  void Update(int symbol) {
    counts[symbol] += SymbolModel<N>::kIncrement;
    if (std::accumulate(counts.begin(), counts.end(), 0u) <= SymbolModel<N>::kLimit) return;
    for (uint32_t& count : counts) count = (count + 1) / 2;
  }
};

int RandomAllowed(Random& random, uint32_t allowed) {
  while (true) {
    const int symbol = random.Below(32);
    if ((allowed >> symbol & 1) != 0) return symbol;
  }
}

template <int N>
void CheckRates(const SymbolModel<N>& model, const PlainSymbols<N>& plain) {
  for (const uint32_t allowed : {(1u << N) - 1, 1u << (N - 1) | 1u}) {
    for (const int symbol : {0, N - 1}) {
      const double bits =
          -std::log2(static_cast<double>(plain.counts[symbol]) / plain.Total(allowed));
      ASSERT_NEAR(model.RateQ12(symbol, allowed) / kUnit, bits, kLogTolerance);
    }
  }
}

// Codes `count` symbols, at each of which some others cannot occur, and checks the bytes, the
// decoder and, in every state, the models' rates.
template <int N>
void CheckSymbolModel(uint32_t seed, int count, bool skewed) {
  Random random(seed);
  SymbolModel<N> model;
  PlainSymbols<N> plain;
  RangeEncoder encoder, plain_encoder;
  std::vector<std::pair<uint32_t, int>> coded;
  for (int k = 0; k < count; ++k) {
    const uint32_t allowed = random.OneIn(3) ? (1u << N) - 1 : 1 + random.Below((1 << N) - 1);
    const int symbol =
        skewed && (allowed & 1) != 0 && !random.OneIn(100) ? 0 : RandomAllowed(random, allowed);
    coded.emplace_back(allowed, symbol);
    plain_encoder.Encode(plain.Below(symbol, allowed), plain.counts[symbol], plain.Total(allowed));
    plain.Update(symbol);
    model.Encode(encoder, symbol, allowed);
    CheckRates(model, plain);
  }
  const std::vector<uint8_t> bytes = encoder.Finish();
  ASSERT_EQ(bytes, plain_encoder.Finish());

  RangeDecoder decoder(bytes);
  SymbolModel<N> decoder_model;
  PlainSymbols<N> decoder_plain;
  for (int k = 0; k < count; ++k) {
    const auto [allowed, symbol] = coded[k];
    ASSERT_EQ(decoder_model.Decode(decoder, allowed), symbol) << "symbol " << k;
    decoder_plain.Update(symbol);
    CheckRates(decoder_model, decoder_plain);
  }
  EXPECT_FALSE(decoder.Overrun());
  EXPECT_TRUE(decoder.AllRead());
}

TEST(SymbolModelTest, ComesBack) {
  CheckSymbolModel<2>(1, 2000, false);
  CheckSymbolModel<3>(2, 2000, false);
  CheckSymbolModel<5>(3, 2000, false);
  CheckSymbolModel<10>(4, 2000, false);
}

TEST(SymbolModelTest, ComesBackIfOneSymbolIsNearlyAll) {
  CheckSymbolModel<3>(5, 3000, true);
  CheckSymbolModel<10>(6, 3000, true);
}

TEST(SymbolModelTest, FirstRatesAreEqual) {
  const SymbolModel<5> model;
  for (int symbol = 0; symbol < 5; ++symbol)
    EXPECT_NEAR(model.RateQ12(symbol, 31) / kUnit, std::log2(5), kLogTolerance);
  EXPECT_EQ(model.RateQ12(2, 1u << 2), 0);
}

TEST(SymbolModelTest, GarbageGivesAllowedSymbols) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const std::vector<uint8_t> bytes = RandomBytes(random, random.Below(40));
    RangeDecoder decoder(bytes);
    SymbolModel<10> model;
    for (int k = 0; k < 200; ++k) {
      const uint32_t allowed = 1 + random.Below(1023);
      const int symbol = model.Decode(decoder, allowed);
      ASSERT_GE(symbol, 0);
      ASSERT_LT(symbol, 10);
      ASSERT_NE(allowed >> symbol & 1, 0u);
    }
  }
}

// IndexModel as its contract has it, on plain counts.
struct PlainIndices {
  std::vector<uint32_t> counts;

  uint32_t Total() const { return std::accumulate(counts.begin(), counts.end(), 0u); }
  uint32_t Below(int symbol) const {
    return std::accumulate(counts.begin(), counts.begin() + symbol, 0u);
  }
  void Add() { counts.push_back(IndexModel::kNewCount); }
  // True if the counts were halved.
  bool Update(int symbol) {
    counts[symbol] += IndexModel::kIncrement;
    const uint32_t limit =
        std::max(IndexModel::kLimitPerModel,
                 IndexModel::kLimitPerSymbol * static_cast<uint32_t>(counts.size()));
    if (Total() <= limit) return false;
    for (uint32_t& count : counts) count = (count + 1) / 2;
    return true;
  }
};

void CheckCounts(const IndexModel& model, const PlainIndices& plain) {
  ASSERT_EQ(model.size(), static_cast<int>(plain.counts.size()));
  ASSERT_EQ(model.Total(), plain.Total());
  for (int symbol = 0; symbol < model.size(); ++symbol)
    ASSERT_EQ(model.Count(symbol), plain.counts[symbol]) << "symbol " << symbol;
}

// Starts with `first` symbols and adds one before each `add_every`-th coded.
void CheckIndexModel(uint32_t seed, int first, int add_every, int count) {
  Random random(seed);
  IndexModel model;
  PlainIndices plain;
  RangeEncoder encoder, plain_encoder;
  auto add = [](IndexModel& m, PlainIndices& p) {
    m.Add(IndexModel::kNewCount);
    p.Add();
  };
  for (int k = 0; k < first; ++k) add(model, plain);
  std::vector<int> coded;
  int halvings = 0;
  for (int k = 0; k < count; ++k) {
    if (k % add_every == 0) add(model, plain);
    // Mostly low indices, at times any; always the ends.
    const int symbol = random.OneIn(20)  ? model.size() - 1
                       : random.OneIn(3) ? random.Below(model.size())
                                         : random.Below(std::min(model.size(), 7));
    coded.push_back(symbol);
    plain_encoder.Encode(plain.Below(symbol), plain.counts[symbol], plain.Total());
    model.Encode(encoder, symbol);
    const bool halved = plain.Update(symbol);
    halvings += halved;
    if (halved || k % 64 == 0) CheckCounts(model, plain);
  }
  CheckCounts(model, plain);
  EXPECT_GT(halvings, 1);
  const std::vector<uint8_t> bytes = encoder.Finish();
  ASSERT_EQ(bytes, plain_encoder.Finish());

  RangeDecoder decoder(bytes);
  IndexModel decoder_model;
  PlainIndices decoder_plain;
  for (int k = 0; k < first; ++k) add(decoder_model, decoder_plain);
  for (int k = 0; k < count; ++k) {
    if (k % add_every == 0) add(decoder_model, decoder_plain);
    ASSERT_EQ(decoder_model.Decode(decoder), coded[k]) << "symbol " << k;
    decoder_plain.Update(coded[k]);
    if (k % 64 == 0) CheckCounts(decoder_model, decoder_plain);
  }
  CheckCounts(decoder_model, plain);
  EXPECT_FALSE(decoder.Overrun());
  EXPECT_TRUE(decoder.AllRead());
}

TEST(IndexModelTest, ComesBack) {
  CheckIndexModel(1, 69, 1 << 30, 5000);
  CheckIndexModel(2, 511, 1 << 30, 5000);
  CheckIndexModel(3, 0, 1 << 30, 5000);  // a single symbol
}

TEST(IndexModelTest, ComesBackWhileItGrows) {
  CheckIndexModel(4, 69, 3, 6000);
  CheckIndexModel(5, 0, 17, 5000);
  CheckIndexModel(6, 5000, 2, 6000);  // the limit grows with the symbols
}

TEST(IndexModelTest, RatesAreTheInformation) {
  Random random(8);
  IndexModel model;
  RangeEncoder encoder;
  for (int k = 0; k < 300; ++k) model.Add(IndexModel::kNewCount);
  for (int k = 0; k < 3000; ++k) model.Encode(encoder, random.Below(random.Between(1, 300)));
  for (int symbol = 0; symbol < model.size(); ++symbol)
    EXPECT_NEAR(model.RateQ12(symbol) / kUnit,
                -std::log2(static_cast<double>(model.Count(symbol)) / model.Total()),
                kLogTolerance);
}

// The largest dictionary there can be keeps within what the coder takes.
TEST(IndexModelTest, TotalsStayCodable) {
  IndexModel model;
  RangeEncoder encoder;
  for (int k = 0; k < 65536; ++k) {
    model.Add(IndexModel::kNewCount);
    if (k % 7 == 0) model.Encode(encoder, k);
    ASSERT_LE(model.Total(), kMaxFrequencyTotal);
  }
  for (int k = 0; k < 20000; ++k) {
    model.Encode(encoder, k);
    ASSERT_LE(model.Total(), kMaxFrequencyTotal);
  }
}

TEST(IndexModelTest, GarbageGivesSymbolsThatExist) {
  Random random(9);
  for (int round = 0; round < 50; ++round) {
    const std::vector<uint8_t> bytes = RandomBytes(random, random.Below(40));
    RangeDecoder decoder(bytes);
    IndexModel model;
    for (int k = random.Between(1, 100); k > 0; --k) model.Add(IndexModel::kNewCount);
    for (int k = 0; k < 200; ++k) {
      const int symbol = model.Decode(decoder);
      ASSERT_GE(symbol, 0);
      ASSERT_LT(symbol, model.size());
      if (random.OneIn(5)) model.Add(IndexModel::kNewCount);
    }
  }
}

}  // namespace
}  // namespace mmp
