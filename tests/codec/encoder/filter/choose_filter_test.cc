// The choice of a tile's filter: its symbols, the sums that corrections are fitted to, the fit.
#include "codec/encoder/filter/choose_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "codec/encoder/filter/correction_sums.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/encoder/filter/fit_corrections.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/read_port.h"
#include "codec/tile/tile_models.h"
#include "codec/tile/write_port.h"
#include "common/metrics.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kMostCorrection = (1 << kCorrectionBits) - 1;

WienerChoice RandomChoice(Random& random, bool has_corrections) {
  WienerChoice choice;
  choice.strength = random.Below(kWienerStrengths + 1);
  if (choice.strength == 0) return choice;
  WienerCorrections& corrections = choice.corrections;
  if (has_corrections) corrections.sets.resize(random.Below(kMostCorrectionSets + 1));
  const int sets = static_cast<int>(corrections.sets.size());
  if (sets > 0) {
    corrections.step = random.Below(kCorrectionSteps);
    for (uint8_t& set : corrections.set) set = static_cast<uint8_t>(random.Below(sets));
  }
  for (WienerCorrections::Set& set : corrections.sets) {
    const int most = kMostCorrection >> random.Below(10);
    for (int16_t& value : set) value = static_cast<int16_t>(random.Between(-most, most));
  }
  const int kinds = sets > 0 ? kWienerBlockKinds : kWienerBlockKinds - 1;
  for (int block = 0; block < 20; ++block)
    choice.blocks.push_back(static_cast<WienerBlock>(random.Below(kinds)));
  return choice;
}

void ExpectEqual(const WienerChoice& a, const WienerChoice& b) {
  EXPECT_EQ(a.strength, b.strength);
  EXPECT_EQ(a.corrections.step, b.corrections.step);
  EXPECT_EQ(a.corrections.set, b.corrections.set);
  EXPECT_EQ(a.corrections.sets, b.corrections.sets);
  EXPECT_EQ(a.blocks, b.blocks);
}

TEST(FilterSymbolsTest, AreReadAsTheyWereWritten) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const bool has_corrections = random.OneIn(2);
    const WienerChoice choice = RandomChoice(random, has_corrections);
    const int blocks = static_cast<int>(choice.blocks.size());
    const MacroblockSymbols symbols = FilterSymbols(choice, has_corrections);
    TileModels models(CodecParameters{});
    RangeEncoder encoder;
    SymbolStats stats;
    WritePort write_port(models, encoder, stats);
    write_port.Take(symbols);
    ExpectEqual(CodeWienerChoice(write_port, has_corrections, blocks), choice);
    EXPECT_TRUE(write_port.AllTaken());
    EXPECT_EQ(static_cast<double>(FilterRateQ12(choice, has_corrections)) / 4096,
              stats.filter_bits);
    const std::vector<uint8_t> bytes = encoder.Finish();
    RangeDecoder decoder(bytes);
    TileModels models_read(CodecParameters{});
    ReadPort read_port(models_read, decoder);
    ExpectEqual(CodeWienerChoice(read_port, has_corrections, blocks), choice);
    EXPECT_TRUE(decoder.AllRead());
    EXPECT_FALSE(decoder.Overrun());
  }
}

// Whatever the bytes, what is read from them is in the bounds that the filter relies on.
TEST(FilterSymbolsTest, AnyBytesAreInBounds) {
  Random random(2);
  bool has_most_sets = false, has_most_corrections = false;
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> bytes(random.Below(400));
    const int most = random.OneIn(4) ? 256 : 1 + random.Below(256);
    for (uint8_t& byte : bytes)
      byte = static_cast<uint8_t>(random.OneIn(3) ? 255 : random.Below(most));
    RangeDecoder decoder(bytes);
    TileModels models(CodecParameters{});
    ReadPort port(models, decoder);
    const WienerChoice choice = CodeWienerChoice(port, true, 20);
    const WienerCorrections& corrections = choice.corrections;
    ASSERT_LE(choice.strength, kWienerStrengths);
    ASSERT_LE(corrections.sets.size(), size_t{kMostCorrectionSets});
    ASSERT_LT(corrections.step, kCorrectionSteps);
    for (const uint8_t set : corrections.set)
      ASSERT_LT(set, std::max<size_t>(corrections.sets.size(), 1));
    for (const WienerCorrections::Set& set : corrections.sets) {
      for (const int value : set) {
        ASSERT_LE(std::abs(value), kMostCorrection);
        has_most_corrections |= std::abs(value) == kMostCorrection;
      }
    }
    has_most_sets |= corrections.sets.size() == kMostCorrectionSets;
    for (const WienerBlock block : choice.blocks)
      ASSERT_TRUE(block <= WienerBlock::kTrained ||
                  (block == WienerBlock::kCorrected && !corrections.sets.empty()));
  }
  EXPECT_TRUE(has_most_sets);
  EXPECT_TRUE(has_most_corrections);
}

TEST(SumCorrectionsTest, AreThePlainSums) {
  constexpr int kWidth = 80, kHeight = 48;  // the tile's; the image is smaller
  const Image plane = Draw(Picture::kTexture, kWidth, kHeight, 1);
  const Image image = Draw(Picture::kNoise, 70, 41, 2);
  const WienerFilter filter(plane.pixels(), kWidth, kHeight);
  constexpr auto kOff = WienerBlock::kUnfiltered, kOn = WienerBlock::kTrained;
  const WienerChoice choice = {4, {}, {kOn, kOff, kOn, kOff, kOn, kOn}};
  CorrectionSums expected;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (choice.blocks[y / 32 * 3 + x / 32] == kOff) continue;
      int16_t terms[kTermRows];
      ClassSums& sums = expected[filter.Terms(y, x, choice.strength, terms)];
      terms[kWienerTerms] = static_cast<int16_t>(image.Row(y)[x] - plane.Row(y)[x]);
      ++sums.pixels;
      for (int a = 0, k = 0; a < kTermRows; ++a)
        for (int b = a; b < kTermRows; ++b, ++k) sums.products[k] += terms[a] * terms[b];
    }
  }
  for (const int threads : {1, 3}) {
    TaskPool pool(threads);
    const CorrectionSums sums =
        SumCorrections(filter, choice, image.View(), plane.pixels().data(), kWidth, pool);
    for (int which = 0; which < kWienerClasses; ++which) {
      EXPECT_EQ(sums[which].pixels, expected[which].pixels) << "class " << which;
      EXPECT_EQ(sums[which].products, expected[which].products) << "class " << which;
    }
  }
}

// Of a picture that is what corrections make of its reconstruction.
class FitTest : public testing::Test {
 protected:
  static constexpr int kSide = 96, kStrength = 3;

  FitTest() {
    known_.step = 1;
    known_.sets = {{8, -4, 0, 0, 3, 10, 3, 0, 0, -4, 0, 1}, {-6, 0, 0, 0, 2, -6, 2}};
    for (int which = 0; which < kWienerClasses; ++which)
      known_.set[which] = which < kWienerClasses / 2 ? 0 : 1;
    original_.pixels() = filter_.Filter(kStrength, known_);
  }

  WienerCorrections Fit(double lambda) const {
    const WienerChoice choice = {kStrength, {}, std::vector(9, WienerBlock::kTrained)};
    const CorrectionSums sums = SumCorrections(filter_, choice, original_.View(),
                                               plane_.pixels().data(), kSide, TaskPool::Alone());
    return FitCorrections(sums, kStrength, {static_cast<int32_t>(256 * lambda)});
  }
  uint64_t Error(const std::vector<uint8_t>& filtered) const {
    return SumSquaredError(original_.View(), {filtered.data(), kSide, kSide, kSide});
  }

  const Image plane_ = Draw(Picture::kTexture, kSide, kSide, 3);
  const WienerFilter filter_{plane_.pixels(), kSide, kSide};
  WienerCorrections known_;
  Image original_{kSide, kSide};
};

TEST_F(FitTest, FindsCorrectionsThatAreWorthTheirBits) {
  const WienerCorrections found = Fit(1);
  ASSERT_FALSE(found.sets.empty());
  const uint64_t trained = Error(filter_.Filter(kStrength));
  const uint64_t corrected = Error(filter_.Filter(kStrength, found));
  EXPECT_LT(corrected, trained / 10);
  EXPECT_LT(corrected + static_cast<uint64_t>(CorrectionsRateQ12(found) / 4096), trained);
}

TEST_F(FitTest, FindsNoneThatAreNot) { EXPECT_TRUE(Fit(100000).sets.empty()); }

TEST_F(FitTest, SendsFewerWhereBitsAreDear) {
  int64_t before = INT64_MAX;
  for (const double lambda : {0.1, 1., 10., 100.}) {
    const int64_t rate = CorrectionsRateQ12(Fit(lambda));
    EXPECT_LE(rate, before) << "lambda " << lambda;
    before = rate;
  }
}

TEST(FitCorrectionsTest, NoPixelsNoCorrections) {
  EXPECT_TRUE(FitCorrections({}, 1, {256}).sets.empty());
}

// Sums of the largest tile and the largest differences.
TEST(FitCorrectionsTest, TheLargestSums) {
  Random random(4);
  CorrectionSums sums;
  for (ClassSums& of_class : sums) {
    of_class.pixels = int64_t{1} << 30;
    for (int a = 0; a < kTermRows; ++a)
      for (int b = a; b < kTermRows; ++b)
        of_class.products[TermProduct(a, b)] =
            (int64_t{510} * 510 << 30) / (a == b ? 1 : -random.Between(-3, -1));
  }
  const WienerCorrections found = FitCorrections(sums, 6, {256});
  for (const WienerCorrections::Set& set : found.sets)
    for (const int value : set) EXPECT_LE(std::abs(value), kMostCorrection);
}

}  // namespace
}  // namespace mmp
