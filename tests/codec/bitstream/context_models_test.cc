#include "codec/bitstream/context_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/test_support.h"

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
    plain_encoder.Encode(
        {plain.Below(symbol, allowed), plain.counts[symbol], plain.Total(allowed)});
    plain.Update(symbol);
    encoder.Encode(model.Encode(symbol, allowed));
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

uint32_t AbsoluteDifference(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

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
        std::max(IndexEstimator::kLimit,
                 IndexEstimator::kLimitPerSymbol * static_cast<uint32_t>(counts.size()));
    if (Total() <= limit) return false;
    for (uint32_t& count : counts) count = (count + 1) / 2;
    return true;
  }
};

void CheckCounts(const IndexModel& model, const PlainIndices& plain) {
  ASSERT_EQ(model.size(), static_cast<int>(plain.counts.size()));
  ASSERT_EQ(model.Total(), plain.Total());
  for (int symbol = 0; symbol < model.size(); ++symbol)
    ASSERT_EQ(model.NearFrequencies()[symbol], plain.counts[symbol]) << "symbol " << symbol;
}

// Starts with `first` symbols and adds one before each `add_every`-th coded.
void CheckIndexModel(uint32_t seed, int first, int add_every, int count) {
  Random random(seed);
  IndexModel model;
  PlainIndices plain;
  RangeEncoder encoder, plain_encoder;
  auto add = [](IndexModel& m, PlainIndices& p) {
    m.Add(IndexModel::kNewCount, PatternOrigin::kGrown);
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
    plain_encoder.Encode({plain.Below(symbol), plain.counts[symbol], plain.Total()});
    encoder.Encode(model.Encode(symbol));
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

// With contexts: beside the specification's formulas, on plain counts.
TEST(ContextModelTest, MixtureIsThatOfTheSpecification) {
  Random random(11);
  constexpr int kContexts = 4;
  ContextModel<5> model(kContexts), decoder_model(kContexts);
  std::array<uint64_t, 5> own;
  own.fill(16);
  std::array<std::array<uint64_t, 5>, kContexts> contexts;
  for (auto& counts : contexts) counts.fill(8);
  uint64_t weight = 32768;
  struct Coded {
    int symbol, context;
    uint32_t allowed;
  };
  std::vector<Coded> all;
  RangeEncoder encoder, plain_encoder;
  for (int k = 0; k < 4000; ++k) {
    const int context = random.Below(kContexts);
    const uint32_t allowed = 1u << context | (1 + random.Below(31));
    // Contexts say much, but not for ever.
    const int wanted = k < 3000 && random.Below(10) > 0 ? context : random.Below(5);
    const int symbol = (allowed >> wanted & 1) != 0 ? wanted : context;
    all.push_back({symbol, context, allowed});
    const std::array<std::array<uint64_t, 5>*, 2> tables = {&own, &contexts[context]};
    const std::array<uint64_t, 2> weights = {65536 - weight, weight};
    std::array<std::array<uint64_t, 5>, 2> parts;
    for (int t = 0; t < 2; ++t) {
      uint64_t sum = 0;
      for (int s = 0; s < 5; ++s) sum += (allowed >> s & 1) != 0 ? (*tables[t])[s] : 0;
      for (int s = 0; s < 5; ++s) parts[t][s] = (weights[t] << 12) / sum * (*tables[t])[s];
    }
    uint32_t below = 0, total = 0, frequency = 0;
    for (int s = 0; s < 5; ++s) {
      if ((allowed >> s & 1) == 0) continue;
      const uint32_t f = static_cast<uint32_t>(1 + ((parts[0][s] + parts[1][s]) >> 12));
      if (s < symbol) below += f;
      if (s == symbol) frequency = f;
      total += f;
    }
    plain_encoder.Encode({below, frequency, total});
    const SymbolInterval interval = model.Encode(symbol, context, allowed);
    ASSERT_EQ(interval.RateQ12(), Log2Q12(total) - Log2Q12(frequency));
    encoder.Encode(interval);
    weight = 256 + 65024 * parts[1][symbol] / (parts[0][symbol] + parts[1][symbol]);
    for (auto* counts : tables) {
      (*counts)[symbol] += 32;
      if (std::accumulate(counts->begin(), counts->end(), uint64_t{0}) > 2048)
        for (uint64_t& count : *counts) count = (count + 1) / 2;
    }
    if (k == 2999) {
      EXPECT_GT(weight, 50000u) << "the contexts should have won";
    }
  }
  EXPECT_EQ(model.without_context().RateQ12(0, 31),
            Log2Q12(static_cast<uint32_t>(std::accumulate(own.begin(), own.end(), uint64_t{0}))) -
                Log2Q12(static_cast<uint32_t>(own[0])));
  const std::vector<uint8_t> bytes = encoder.Finish();
  EXPECT_EQ(bytes, plain_encoder.Finish());
  RangeDecoder decoder(bytes);
  for (const Coded& coded : all)
    ASSERT_EQ(decoder_model.Decode(decoder, coded.context, coded.allowed), coded.symbol);
  EXPECT_TRUE(decoder.AllRead());
}

// The mixture as the specification has it.
struct PlainMixture {
  struct Estimator {
    uint64_t increment;
    std::array<uint64_t, 3> first_counts;  // by PatternOrigin; the first estimator's are given
    std::vector<uint64_t> counts;
    uint64_t Total() const { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }
  };
  std::array<Estimator, 3> estimators = {{{64, {}, {}}, {64, {4, 1, 2}, {}}, {512, {1, 1, 1}, {}}}};
  std::array<uint64_t, 3> weights = {57344, 4096, 4096};

  void Add(uint32_t count, PatternOrigin origin) {
    estimators[0].first_counts.fill(count);
    for (Estimator& e : estimators) e.counts.push_back(e.first_counts[static_cast<int>(origin)]);
  }
  uint64_t Factor(int k) const { return (weights[k] << 14) / estimators[k].Total(); }
  uint64_t Part(int k, size_t symbol) const { return Factor(k) * estimators[k].counts[symbol]; }
  // Where each symbol's part of the whole begins, and where the last one's ends.
  std::vector<uint32_t> Begins() const {
    std::vector<uint32_t> begins;
    std::array<uint64_t, 3> below{};
    for (size_t s = 0;; ++s) {
      const uint64_t sum = Factor(0) * below[0] + Factor(1) * below[1] + Factor(2) * below[2];
      begins.push_back(static_cast<uint32_t>(s + (sum >> 11)));
      if (s == estimators[0].counts.size()) return begins;
      for (int k = 0; k < 3; ++k) below[k] += estimators[k].counts[s];
    }
  }
  void Update(int symbol) {
    const std::array<uint64_t, 3> parts = {Part(0, symbol), Part(1, symbol), Part(2, symbol)};
    for (int k = 0; k < 3; ++k)
      weights[k] = 170 + 65026 * parts[k] / (parts[0] + parts[1] + parts[2]);
    for (Estimator& e : estimators) {
      e.counts[symbol] += e.increment;
      if (e.Total() > std::max<uint64_t>(32768, 8 * e.counts.size()))
        for (uint64_t& count : e.counts) count = (count + 1) / 2;
    }
  }
};

TEST(IndexModelTest, MixtureIsThatOfTheSpecification) {
  Random random(10);
  constexpr PatternOrigin kOrigins[] = {PatternOrigin::kInitial, PatternOrigin::kTrained,
                                        PatternOrigin::kGrown};
  IndexModel model(true), decoder_model(true);
  PlainMixture plain;
  std::vector<std::pair<uint32_t, PatternOrigin>> added;
  auto add = [&] {
    added.emplace_back(1 + random.Below(1000), kOrigins[random.Below(3)]);
    model.Add(added.back().first, added.back().second);
    plain.Add(added.back().first, added.back().second);
  };
  for (int k = 0; k < 69; ++k) add();
  RangeEncoder encoder, plain_encoder;
  std::vector<int> coded;
  std::array<bool, 3> has_led{};
  for (int k = 0; k < 3000; ++k) {
    if (k % 5 == 4) add();
    const std::vector<uint32_t> begins = plain.Begins();
    ASSERT_EQ(model.Total(), begins.back());
    for (int s = 0; s < model.size(); ++s) {
      const uint32_t frequency = begins[s + 1] - begins[s];
      ASSERT_EQ(model.RateQ12(s), Log2Q12(begins.back()) - Log2Q12(frequency)) << "after " << k;
      ASSERT_LE(AbsoluteDifference(model.NearFrequencies()[s], frequency), 1u) << "after " << k;
    }
    // A few symbols that change now and then, at times any.
    const int symbol =
        random.OneIn(10) ? random.Below(model.size()) : (k / 200 * 7 + random.Below(4)) % 60;
    coded.push_back(symbol);
    plain_encoder.Encode({begins[symbol], begins[symbol + 1] - begins[symbol], begins.back()});
    encoder.Encode(model.Encode(symbol));
    plain.Update(symbol);
    has_led[std::max_element(plain.weights.begin(), plain.weights.end()) - plain.weights.begin()] =
        true;
  }
  EXPECT_TRUE(has_led[0] && has_led[2]) << "the weights hardly moved";
  const std::vector<uint8_t> bytes = encoder.Finish();
  ASSERT_EQ(bytes, plain_encoder.Finish());
  RangeDecoder decoder(bytes);
  size_t next = 0;
  auto add_again = [&] {
    decoder_model.Add(added[next].first, added[next].second);
    ++next;
  };
  while (next < 69) add_again();
  for (int k = 0; k < 3000; ++k) {
    if (k % 5 == 4) add_again();
    ASSERT_EQ(decoder_model.Decode(decoder), coded[k]) << "symbol " << k;
  }
  EXPECT_TRUE(decoder.AllRead());
}

// Symbols that are added together are as if they were added one by one.
TEST(IndexModelTest, AddsSeveralAtOnce) {
  Random random(12);
  for (const bool is_mixed : {false, true}) {
    IndexModel one_by_one(is_mixed), together(is_mixed);
    for (const int count : {0, 1, 2, 69, 0, 300, 64}) {
      const uint32_t same = 1 + random.Below(100);
      for (int i = 0; i < count; ++i) one_by_one.Add(same, PatternOrigin::kInitial);
      together.Add(count, same, PatternOrigin::kInitial);
      std::vector<uint16_t> counts;
      for (int i = 0; i < count; ++i) counts.push_back(static_cast<uint16_t>(1 + random.Below(99)));
      for (const uint16_t c : counts) one_by_one.Add(c, PatternOrigin::kTrained);
      together.Add(counts, PatternOrigin::kTrained);
      ASSERT_EQ(together.size(), one_by_one.size());
      if (together.size() == 0) continue;
      ASSERT_TRUE(std::ranges::equal(together.NearFrequencies(), one_by_one.NearFrequencies()));
      ASSERT_EQ(together.Total(), one_by_one.Total());
      RangeEncoder one_encoder, together_encoder;
      const int symbol = random.Below(together.size());
      one_encoder.Encode(one_by_one.Encode(symbol));
      together_encoder.Encode(together.Encode(symbol));
      ASSERT_EQ(one_encoder.Finish(), together_encoder.Finish());
    }
  }
}

// What decoders find by sums of blocks of symbols, from small models to the largest.
TEST(IndexModelTest, MixturesOfAnySizeComeBack) {
  Random random(13);
  for (const int size : {1, 2, 31, 32, 33, 63, 64, 65, 69, 1024, 5000, 65536}) {
    SCOPED_TRACE(testing::Message() << size << " symbols");
    IndexModel model(true), decoder_model(true);
    model.Add(size, IndexModel::kNewCount, PatternOrigin::kGrown);
    decoder_model.Add(size, IndexModel::kNewCount, PatternOrigin::kGrown);
    std::vector<int> coded = {0, size - 1, size / 2, std::min(31, size - 1),
                              std::min(32, size - 1)};
    for (int k = 0; k < 100; ++k) coded.push_back(random.Below(size));
    RangeEncoder encoder;
    for (const int symbol : coded) encoder.Encode(model.Encode(symbol));
    const std::vector<uint8_t> bytes = encoder.Finish();
    RangeDecoder decoder(bytes);
    for (const int symbol : coded) ASSERT_EQ(decoder_model.Decode(decoder), symbol);
    EXPECT_TRUE(decoder.AllRead());
    EXPECT_TRUE(std::ranges::equal(model.NearFrequencies(), decoder_model.NearFrequencies()));
  }
}

TEST(IndexModelTest, RatesAreTheInformation) {
  Random random(8);
  IndexModel model;
  RangeEncoder encoder;
  for (int k = 0; k < 300; ++k) model.Add(IndexModel::kNewCount, PatternOrigin::kGrown);
  for (int k = 0; k < 3000; ++k) encoder.Encode(model.Encode(random.Below(random.Between(1, 300))));
  for (int symbol = 0; symbol < model.size(); ++symbol)
    EXPECT_NEAR(model.RateQ12(symbol) / kUnit,
                -std::log2(static_cast<double>(model.NearFrequencies()[symbol]) / model.Total()),
                kLogTolerance);
}

// The largest dictionary there can be keeps within what the coder takes.
TEST(IndexModelTest, TotalsStayCodable) {
  for (const bool is_mixed : {false, true}) {
    IndexModel model(is_mixed);
    RangeEncoder encoder;
    for (int k = 0; k < 65536; ++k) {
      model.Add(IndexModel::kNewCount, PatternOrigin::kGrown);
      if (k % 199 != 0) continue;
      encoder.Encode(model.Encode(k));
      ASSERT_LE(model.Total(), kMaxFrequencyTotal);
    }
    for (int k = 0; k < 2000; ++k) {
      encoder.Encode(model.Encode(k));
      ASSERT_LE(model.Total(), kMaxFrequencyTotal);
    }
  }
}

TEST(IndexModelTest, GarbageGivesSymbolsThatExist) {
  Random random(9);
  for (int round = 0; round < 50; ++round) {
    const std::vector<uint8_t> bytes = RandomBytes(random, random.Below(40));
    RangeDecoder decoder(bytes);
    IndexModel model;
    for (int k = random.Between(1, 100); k > 0; --k)
      model.Add(IndexModel::kNewCount, PatternOrigin::kGrown);
    for (int k = 0; k < 200; ++k) {
      const int symbol = model.Decode(decoder);
      ASSERT_GE(symbol, 0);
      ASSERT_LT(symbol, model.size());
      if (random.OneIn(5)) model.Add(IndexModel::kNewCount, PatternOrigin::kGrown);
    }
  }
}

}  // namespace
}  // namespace mmp
